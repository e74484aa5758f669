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
 * Whose turn it is, and whether ownership may stay in this compute node (DecLock, section 5.3). Decides and changes nothing; called
 * under the lock's mutex.
 */
final class Turn {
    /** For how long local callers pass a known remote waiter because they came earlier by the clocks, which may be wrong. */
    private static final long TRUST = 1_000_000_000L;

    private Turn() {}

    /** The waiter whose turn it is: the first, or under phase-fairness the first reader once a writer has left. */
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

    /** The writer that readers pass when a read phase begins now, or null (rule E9). */
    static @Nullable LocalWaiter passedWriter(WaiterQueue queue, LocalSettings settings) {
        LocalWaiter first = queue.first();
        return first != null && first.isExclusive() && mayBePassed(first, settings) ? first : null;
    }

    private static boolean mayBePassed(LocalWaiter writer, LocalSettings settings) {
        return settings.policy() == FairnessPolicy.PHASE_FAIR && writer.mayBePassed(settings.readerPhases());
    }

    /** Whether a waiter ends a read phase that begins or goes on. */
    static boolean endsReadPhase(
            LocalWaiter waiter, boolean passWriters, Tenure tenure, LocalSettings settings, Effects effects) {
        return !passWriters && (waiter.isExclusive() || without(tenure, waiter, settings, effects) != Passing.ALLOWED);
    }

    /** Whether a reader that waits may join the readers if a look at the remote queue shows nobody who came before it. */
    static boolean joinsAfterLook(CqlLock remote, LocalWaiter waiter, LocalSettings settings, Effects effects) {
        return !waiter.isExclusive() && without(remote.tenure(), waiter, settings, effects) == Passing.AFTER_LOOK;
    }

    /** Whether ownership may pass to a caller inside this node. */
    enum Passing {
        /** It may. */
        ALLOWED,
        /** That is not known before the remote queue was looked at. */
        AFTER_LOOK,
        /** The remote queue has the say. */
        FORBIDDEN
    }

    /** Whether ownership may pass to a waiter inside this node, without the remote queue. */
    static Passing passing(CqlLock remote, LocalWaiter next, LocalSettings settings, Effects effects) {
        Tenure tenure = remote.tenure();
        if (mustReacquire(remote, next) || !tenure.hasNextToken(remote.isExclusive())) {
            return Passing.FORBIDDEN;
        }
        return without(tenure, next, settings, effects);
    }

    /** Other compute nodes' readers may hold a shared position too (rule E1). */
    static boolean mustReacquire(CqlLock remote, LocalWaiter next) {
        return next.isExclusive() && !remote.isExclusive();
    }

    /**
     * Nobody who came before a local caller is passed over knowingly, and unknowingly only within bounds (rule E5). That rests on
     * timestamps for as long as {@link #TRUST}.
     */
    private static Passing without(Tenure tenure, LocalWaiter next, LocalSettings settings, Effects effects) {
        long now = effects.now();
        if (tenure.remoteIsEarlierThan(next.timestamp, next.since) || tenure.passesKnownBeyond(TRUST, now)) {
            return Passing.FORBIDDEN;
        }
        boolean mustLook = tenure.mayBePreceded(next.since)
                && tenure.isUnsureBeyond(
                        settings.localHandOverLimit(),
                        settings.localHandOverTime().toNanos(),
                        now);
        return mustLook ? Passing.AFTER_LOOK : Passing.ALLOWED;
    }

    /** Whether a reader that comes now may join the readers inside this node. */
    static boolean mayJoin(CqlLock remote, LocalSettings settings, long now) {
        Tenure tenure = remote.tenure();
        return !tenure.knowsRemote()
                && !(tenure.mayBePreceded(now)
                        && tenure.isUnsureBeyond(
                                settings.localHandOverLimit(),
                                settings.localHandOverTime().toNanos(),
                                now));
    }

    /** Whether it is worth to look at the remote queue before that waiter's turn comes. */
    static boolean wantsLook(CqlLock remote, @Nullable LocalWaiter next) {
        return next != null
                && !mustReacquire(remote, next)
                && remote.tenure().mayBePreceded(next.since)
                && !remote.tenure().remoteIsEarlierThan(next.timestamp, next.since);
    }
}
