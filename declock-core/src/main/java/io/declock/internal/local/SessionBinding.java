// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import io.declock.Counters.Event;
import io.declock.internal.protocol.CqlEnvironment;
import io.declock.internal.protocol.CqlLock;
import org.jspecify.annotations.Nullable;

/**
 * What ties one lock to a session: its record, and this node's side of it. Guarded by the lock's mutex, but for {@link #session} and
 * {@link #leaseValid}, which take none.
 */
final class SessionBinding {
    private enum Phase {
        UNBOUND,
        RESOLVING,
        BOUND,
        RETIRED
    }

    private Phase phase = Phase.UNBOUND;
    private volatile @Nullable CqlEnvironment session;
    private @Nullable CqlLock remote;

    /** Returns the session, or null without one. */
    @Nullable
    CqlEnvironment session() {
        return session;
    }

    /** Returns the remote side, or null without a session. */
    @Nullable
    CqlLock remote() {
        return remote;
    }

    /** Returns whether the lease that the holds rest on has not run out when this process's clock shows that (rule C1). */
    boolean leaseValid(long now) {
        CqlEnvironment current = session;
        return current != null && current.leaseValid(now);
    }

    void count(Event event) {
        CqlEnvironment current = session;
        if (current != null) {
            current.counters().count(event);
        }
    }

    /** Returns whether the record must be looked for, and if so, takes it that somebody does. */
    boolean beginResolving() {
        if (phase != Phase.UNBOUND) {
            return false;
        }
        phase = Phase.RESOLVING;
        return true;
    }

    boolean isResolving() {
        return phase == Phase.RESOLVING;
    }

    void bind(CqlEnvironment to, CqlLock side) {
        phase = Phase.BOUND;
        session = to;
        remote = side;
    }

    /** There is no session, or no record, any more. */
    void unbind() {
        if (remote != null) {
            remote.kill();
        }
        remote = null;
        session = null;
        phase = Phase.UNBOUND;
    }

    /** Returns whether nothing of it is in use. */
    boolean isIdle() {
        return phase != Phase.RESOLVING && (remote == null || remote.isForgettable());
    }

    void retire() {
        phase = Phase.RETIRED;
    }

    boolean isRetired() {
        return phase == Phase.RETIRED;
    }

    @Override
    public String toString() {
        return phase + " " + remote;
    }
}
