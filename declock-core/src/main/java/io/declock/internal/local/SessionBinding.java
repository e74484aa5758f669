// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import io.declock.Counters.Event;
import io.declock.internal.protocol.CqlEnvironment;
import io.declock.internal.protocol.CqlLock;
import org.jspecify.annotations.Nullable;

/**
 * Binds one lock to a session: to its record, and this node's side of it. Guarded by the lock's mutex, except {@link #session} and {@link
 * #leaseValid}, which need none.
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

    /** Returns whether the lease that the holds rest on has not run out at the time {@code now} on this process's clock (rule C1). */
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

    /** Returns whether the caller must look up the record; if so, the look-up counts as begun. */
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

    /** Unbinds the lock, because its session ended or its record was not found. */
    void unbind() {
        if (remote != null) {
            remote.kill();
        }
        remote = null;
        session = null;
        phase = Phase.UNBOUND;
    }

    /** Returns whether no look-up is under way and the remote side is not in use. */
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
