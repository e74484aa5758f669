// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.local;

import io.declock.protocol.CqlLock;
import io.declock.protocol.Effects;
import io.declock.protocol.Tenure;
import org.jspecify.annotations.Nullable;

/**
 * Whose turn it is, and whether ownership may stay in this compute node (DecLock, section 5.3). Decides and changes nothing; called
 * under the lock's mutex.
 */
final class Turn {
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
    static boolean endsReadPhase(LocalWaiter waiter, boolean passWriters, Tenure tenure) {
        return !passWriters && (waiter.isExclusive() || tenure.remoteIsEarlierThan(waiter.timestamp));
    }

    /** Whether ownership may pass to a waiter inside this node, without the remote queue. */
    static boolean mayStay(CqlLock remote, LocalWaiter next, LocalSettings settings, Effects effects) {
        Tenure tenure = remote.tenure();
        if (mustReacquire(remote, next) || !tenure.hasNextToken(remote.isExclusive())) {
            return false;
        }
        return !tenure.knowsRemote()
                || isWithinBound(tenure, settings, effects) && !tenure.remoteIsEarlierThan(next.timestamp);
    }

    /** Other compute nodes' readers may hold a shared position too (rule E1). */
    static boolean mustReacquire(CqlLock remote, LocalWaiter next) {
        return next.isExclusive() && !remote.isExclusive();
    }

    /** The hard bound on grants inside this node, whatever the timestamps say (rule E5). */
    private static boolean isWithinBound(Tenure tenure, LocalSettings settings, Effects effects) {
        return tenure.localGrants() < settings.localHandOverLimit()
                && effects.now() - tenure.since() < settings.localHandOverTime().toNanos();
    }
}
