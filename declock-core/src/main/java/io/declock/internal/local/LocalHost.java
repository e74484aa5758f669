// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import io.declock.LocalSettings;
import io.declock.LockMode;
import io.declock.internal.time.Clock;

/** The services that local locks need from their compute node. Thread-safe. */
public interface LocalHost {
    /** Returns the bounds of the local level. */
    LocalSettings localSettings();

    /** Returns the choice between callers of this compute node and remote waiters. */
    default Precedence precedence() {
        return Precedence.BY_TIMESTAMPS;
    }

    /** Returns the locks whose positions are kept; by default none is. */
    default KeptLocks kept() {
        return KeptLocks.NONE;
    }

    /** Returns the monotonic clock. */
    Clock clock();

    /** A hold of that name was lost, in the mode that it had then. The caller holds no mutex. */
    void holdLost(String name, LockMode mode);

    /** Runs a user's loss listener, which may block. The caller holds no mutex. */
    void tellOfLoss(Runnable listener);

    /** Returns whether no caller may begin to wait any more; once true, it stays true. Called under the lock's mutex. */
    boolean isClosed();

    /** Counts a hold that began (+1) or ended (-1). Called under the lock's mutex. */
    void held(int change);
}
