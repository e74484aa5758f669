// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.FairnessPolicy;
import io.declock.LocalSettings;
import io.declock.internal.local.LocalWaiter;
import io.declock.internal.local.Precedence;
import io.declock.internal.protocol.Tenure;
import io.declock.simulation.LockSystem.HandOver;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * The choices between local and remote waiters that DecLock's paper compares (6.3), on the library's own local locks. As in the paper (figure 10), a
 * reader that finds readers in its compute node joins them unless a local writer waits, whoever waits elsewhere, and a phase-fair reader shares the lock
 * with all that wait in its compute node. Remote-prefer is an exception: its waiters always acquire the lock from the remote queue, the paper says.
 */
abstract class HandOverPrecedence extends Precedence {
    /** Returns the precedence of a compute node that hands over in a way. */
    static Precedence of(HandOver handOver) {
        return switch (handOver.choice()) {
            case BY_TIMESTAMPS -> BY_TIMESTAMPS;
            case AS_PRINTED -> new AsPrinted();
            case REMOTE_PREFER -> new RemotePrefer();
            case LOCAL_PREFER -> new LocalPrefer();
            case LOCAL_BOUND -> new LocalBound(handOver.bound());
        };
    }

    @Override
    public Passing sharing(Tenure tenure, LocalWaiter reader, boolean passesWriters, LocalSettings settings, long now) {
        return settings.policy() == FairnessPolicy.PHASE_FAIR
                ? Passing.ALLOWED
                : passing(tenure, reader, settings, now);
    }

    @Override
    public boolean mayJoin(Tenure tenure, LocalSettings settings, long now) {
        return true;
    }

    @Override
    public boolean looksAhead() {
        return false;
    }

    /** The waiter with the earlier timestamp is next; an unknown remote waiter counts as later. */
    private static final class AsPrinted extends HandOverPrecedence {
        @Override
        public Passing passing(Tenure tenure, LocalWaiter next, LocalSettings settings, long now) {
            return tenure.remoteStampIsBefore(next.timestamp()) ? Passing.FORBIDDEN : Passing.ALLOWED;
        }

        @Override
        public boolean looksAhead() {
            return true;
        }
    }

    /** A local waiter queues behind all remote ones, readers beside readers of their compute node, too. */
    private static final class RemotePrefer extends HandOverPrecedence {
        @Override
        public Passing passing(Tenure tenure, LocalWaiter next, LocalSettings settings, long now) {
            return Passing.FORBIDDEN;
        }

        @Override
        public Passing sharing(
                Tenure tenure, LocalWaiter reader, boolean passesWriters, LocalSettings settings, long now) {
            return Passing.FORBIDDEN;
        }

        @Override
        public boolean mayJoin(Tenure tenure, LocalSettings settings, long now) {
            return false;
        }
    }

    /** A local waiter passes all remote ones. */
    private static final class LocalPrefer extends HandOverPrecedence {
        @Override
        public Passing passing(Tenure tenure, LocalWaiter next, LocalSettings settings, long now) {
            return Passing.ALLOWED;
        }
    }

    /** Local waiters pass all remote ones so often in a row. */
    private static final class LocalBound extends HandOverPrecedence {
        private record Run(int tenure, int grants) {}

        private final int most;
        private final Map<Tenure, Run> runs = new WeakHashMap<>();

        LocalBound(int most) {
            this.most = most;
        }

        private int grants(Tenure tenure) {
            Run run = runs.get(tenure);
            return run == null || run.tenure != tenure.number() ? 0 : run.grants;
        }

        @Override
        public Passing passing(Tenure tenure, LocalWaiter next, LocalSettings settings, long now) {
            return grants(tenure) < most ? Passing.ALLOWED : Passing.FORBIDDEN;
        }

        @Override
        public Passing sharing(
                Tenure tenure, LocalWaiter reader, boolean passesWriters, LocalSettings settings, long now) {
            return passing(tenure, reader, settings, now);
        }

        @Override
        public boolean mayJoin(Tenure tenure, LocalSettings settings, long now) {
            return grants(tenure) < most;
        }

        @Override
        public void grantsLocally(Tenure tenure) {
            runs.put(tenure, new Run(tenure.number(), grants(tenure) + 1));
        }
    }
}
