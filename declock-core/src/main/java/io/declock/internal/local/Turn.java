// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import io.declock.FairnessPolicy;
import io.declock.LocalSettings;
import io.declock.internal.local.Precedence.Passing;
import io.declock.internal.protocol.CqlLock;
import io.declock.internal.protocol.Effects;
import io.declock.internal.protocol.Tenure;
import org.jspecify.annotations.Nullable;

/**
 * Decides which waiter is next, and whether ownership may stay in this compute node (DecLock, section 5.3), as far as {@link Precedence} has it stay.
 * Changes no state; called under the lock's mutex.
 */
final class Turn {
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
            LocalWaiter waiter, boolean passWriters, Tenure tenure, LocalHost host, Effects effects) {
        return waiter.isExclusive()
                ? !passWriters
                : sharing(tenure, waiter, passWriters, host, effects) != Passing.ALLOWED;
    }

    /** Returns whether a waiting reader may join the readers if a look at the remote queue shows no earlier waiter. */
    static boolean joinsAfterLook(CqlLock remote, LocalWaiter waiter, LocalHost host, Effects effects) {
        return !waiter.isExclusive() && sharing(remote.tenure(), waiter, false, host, effects) == Passing.AFTER_LOOK;
    }

    /** Returns whether ownership may pass to a waiter inside this node, without the remote queue. */
    static Passing passing(CqlLock remote, LocalWaiter next, LocalHost host, Effects effects) {
        Tenure tenure = remote.tenure();
        if (mustReacquire(remote, next) || needsToken(remote) && !tenure.hasNextToken(remote.isExclusive())) {
            return Passing.FORBIDDEN;
        }
        return host.precedence().passing(tenure, next, host.localSettings(), effects.now());
    }

    private static Passing sharing(
            Tenure tenure, LocalWaiter reader, boolean passWriters, LocalHost host, Effects effects) {
        return host.precedence().sharing(tenure, reader, passWriters, host.localSettings(), effects.now());
    }

    /** Returns whether a reader that comes now may join the readers inside this node. */
    static boolean mayJoin(CqlLock remote, LocalHost host, long now) {
        return host.precedence().mayJoin(remote.tenure(), host.localSettings(), now);
    }

    /** Returns whether a grant inside this node needs a token of its own: readers that follow readers in a kept position share theirs. */
    static boolean needsToken(CqlLock remote) {
        return remote.isExclusive() || !remote.isKept();
    }

    /** Returns whether a writer waits while the position is shared: readers of other compute nodes may hold the lock too (rule E1). */
    static boolean mustReacquire(CqlLock remote, LocalWaiter next) {
        return next.isExclusive() && !remote.isExclusive();
    }

    /** Returns whether it is worth looking at the remote queue before this waiter's turn comes. */
    static boolean wantsLook(CqlLock remote, @Nullable LocalWaiter next, LocalHost host) {
        return next != null
                && host.precedence().looksAhead()
                && !mustReacquire(remote, next)
                && remote.tenure().mayBePreceded(next.since)
                && !remote.tenure().remoteIsEarlierThan(next.timestamp, next.since);
    }
}
