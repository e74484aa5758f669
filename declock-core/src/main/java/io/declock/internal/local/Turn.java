// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import io.declock.FairnessPolicy;
import io.declock.LocalSettings;
import io.declock.internal.protocol.CqlLock;
import io.declock.internal.protocol.Effects;
import io.declock.internal.protocol.Tenure;
import org.jspecify.annotations.Nullable;

/**
 * Decides which waiter is next, and whether ownership may stay in this compute node (DecLock, section 5.3). Changes no state; called under
 * the lock's mutex.
 */
final class Turn {
    /**
     * For how long local callers may pass a known remote waiter because they came earlier according to the clocks. The clocks may be wrong.
     */
    private static final long TRUST = 1_000_000_000L;

    private Turn() {}

    /** Returns the next waiter to grant: the first, or under phase-fairness the first reader once a writer has left. */
    static @Nullable LocalWaiter next(WaiterQueue queue, LocalSettings settings, boolean afterWriter) {
        LocalWaiter first = queue.first();
        if (first == null || !first.isExclusive() || !afterWriter || !mayBePassed(first, settings)) {
            return first;
        }
        for (LocalWaiter waiter = first.next; waiter != null; waiter = waiter.next) {
            if (!waiter.isExclusive()) {
                return waiter;
            }
        }
        return first;
    }

    /** Returns the writer that readers pass when a read phase begins now, or null (rule E9). */
    static @Nullable LocalWaiter passedWriter(WaiterQueue queue, LocalSettings settings) {
        LocalWaiter first = queue.first();
        return first != null && first.isExclusive() && mayBePassed(first, settings) ? first : null;
    }

    private static boolean mayBePassed(LocalWaiter writer, LocalSettings settings) {
        return settings.policy() == FairnessPolicy.PHASE_FAIR && writer.mayBePassed(settings.readerPhases());
    }

    /** Returns whether a waiter ends a read phase that begins or goes on. */
    static boolean endsReadPhase(
            LocalWaiter waiter, boolean passWriters, Tenure tenure, LocalSettings settings, Effects effects) {
        return !passWriters && (waiter.isExclusive() || without(tenure, waiter, settings, effects) != Passing.ALLOWED);
    }

    /** Returns whether a waiting reader may join the readers if a look at the remote queue shows no earlier waiter. */
    static boolean joinsAfterLook(CqlLock remote, LocalWaiter waiter, LocalSettings settings, Effects effects) {
        return !waiter.isExclusive() && without(remote.tenure(), waiter, settings, effects) == Passing.AFTER_LOOK;
    }

    /** The ways in which ownership may pass to a caller inside this node. */
    enum Passing {
        /** It may. */
        ALLOWED,
        /** It may only if a look at the remote queue shows no earlier waiter. */
        AFTER_LOOK,
        /** The lock must go through the remote queue. */
        FORBIDDEN
    }

    /** Returns whether ownership may pass to a waiter inside this node, without the remote queue. */
    static Passing passing(CqlLock remote, LocalWaiter next, LocalSettings settings, Effects effects) {
        Tenure tenure = remote.tenure();
        if (mustReacquire(remote, next) || needsToken(remote) && !tenure.hasNextToken(remote.isExclusive())) {
            return Passing.FORBIDDEN;
        }
        return without(tenure, next, settings, effects);
    }

    /** Returns whether a grant inside this node needs a token of its own: readers that follow readers in a kept position share theirs. */
    static boolean needsToken(CqlLock remote) {
        return remote.isExclusive() || !remote.isKept();
    }

    /** Returns whether a writer waits while the position is shared: readers of other compute nodes may hold the lock too (rule E1). */
    static boolean mustReacquire(CqlLock remote, LocalWaiter next) {
        return next.isExclusive() && !remote.isExclusive();
    }

    /**
     * A local caller passes earlier remote waiters only within bounds (rule E5), which are narrower if they are known. Timestamps decide which
     * is earlier, but no longer than for {@link #TRUST}.
     */
    private static Passing without(Tenure tenure, LocalWaiter next, LocalSettings settings, Effects effects) {
        long now = effects.now();
        if (tenure.passesKnownBeyond(TRUST, now)) {
            return Passing.FORBIDDEN;
        }
        if (tenure.remoteIsEarlierThan(next.timestamp, next.since)) {
            return mayPassKnown(tenure, settings, now) ? Passing.ALLOWED : Passing.FORBIDDEN;
        }
        return mustLook(tenure, next.since, settings, now) ? Passing.AFTER_LOOK : Passing.ALLOWED;
    }

    private static boolean mayPassKnown(Tenure tenure, LocalSettings settings, long now) {
        return tenure.mayPassKnown(
                settings.localHandOverLimit(), settings.localHandOverTime().toNanos(), now);
    }

    /** Returns whether a reader that comes now may join the readers inside this node. */
    static boolean mayJoin(CqlLock remote, LocalSettings settings, long now) {
        return !remote.tenure().knowsRemote() && !mustLook(remote.tenure(), now, settings, now);
    }

    private static boolean mustLook(Tenure tenure, long since, LocalSettings settings, long now) {
        return tenure.mayBePreceded(since)
                && tenure.isUnsureBeyond(
                        settings.localHandOverLimit(),
                        settings.localHandOverTime().toNanos(),
                        now);
    }

    /** Returns whether it is worth looking at the remote queue before this waiter's turn comes. */
    static boolean wantsLook(CqlLock remote, @Nullable LocalWaiter next) {
        return next != null
                && !mustReacquire(remote, next)
                && remote.tenure().mayBePreceded(next.since)
                && !remote.tenure().remoteIsEarlierThan(next.timestamp, next.since);
    }
}
