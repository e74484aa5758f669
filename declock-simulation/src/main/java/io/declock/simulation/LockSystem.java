// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.FairnessPolicy;
import io.declock.ReleaseRead;
import io.declock.protocols.LockProtocol;

/** A lock on which an application runs in {@link ModelRun}. Immutable. */
public sealed interface LockSystem {
    /** Returns its name, which says how it is set. */
    String name();

    /**
     * A lock of the literature.
     *
     * @param protocol the lock
     */
    record Literature(LockProtocol protocol) implements LockSystem {
        @Override
        public String name() {
            return protocol.name();
        }
    }

    /**
     * DecLock's own classes.
     *
     * @param policy fairness policy
     * @param preArmed whether hand-overs are pre-armed
     * @param releaseRead which releases read the queue; in the paper all of them
     * @param keep whether locks are kept; in the paper none is
     * @param handOver to which waiter a compute node hands a lock over
     * @param variation what an experiment varies besides
     */
    record DecLockSystem(
            FairnessPolicy policy,
            boolean preArmed,
            ReleaseRead releaseRead,
            boolean keep,
            HandOver handOver,
            Variation variation)
            implements LockSystem {
        /** As the library is set if nothing is configured, but for keeping locks. */
        public static final DecLockSystem DEFAULT = new DecLockSystem(
                FairnessPolicy.TASK_FAIR, true, ReleaseRead.ADAPTIVE, false, HandOver.BY_TIMESTAMPS, Variation.NONE);

        /** As in the paper: each release reads the queue, and no hand-over is pre-armed. */
        public static final DecLockSystem AS_IN_THE_PAPER = new DecLockSystem(
                FairnessPolicy.TASK_FAIR, false, ReleaseRead.ALWAYS, false, HandOver.BY_TIMESTAMPS, Variation.NONE);

        @Override
        public String name() {
            return "DecLock " + policy + (preArmed ? " pre-armed" : "") + " " + releaseRead + (keep ? " kept" : "")
                    + (handOver.equals(HandOver.BY_TIMESTAMPS) ? "" : " " + handOver)
                    + (variation.equals(Variation.NONE) ? "" : " " + variation);
        }

        /** Returns it with another fairness policy. */
        public DecLockSystem with(FairnessPolicy other) {
            return new DecLockSystem(other, preArmed, releaseRead, keep, handOver, variation);
        }

        /** Returns it with another choice between local and remote waiters. */
        public DecLockSystem with(HandOver other) {
            return new DecLockSystem(policy, preArmed, releaseRead, keep, other, variation);
        }

        /** Returns it with pre-armed hand-overs, or without. */
        public DecLockSystem preArmed(boolean other) {
            return new DecLockSystem(policy, other, releaseRead, keep, handOver, variation);
        }

        /** Returns it with another choice of the releases that read the queue. */
        public DecLockSystem with(ReleaseRead other) {
            return new DecLockSystem(policy, preArmed, other, keep, handOver, variation);
        }

        /** Returns it varied. */
        public DecLockSystem with(Variation other) {
            return new DecLockSystem(policy, preArmed, releaseRead, keep, handOver, other);
        }

        /** Returns it with locks that are kept. */
        public DecLockSystem keeping() {
            return new DecLockSystem(policy, preArmed, releaseRead, true, handOver, variation);
        }
    }

    /**
     * What an experiment varies of DecLock that is no setting of the library.
     *
     * @param selfCheck whether waiters look at the queue themselves (rule A3)
     * @param capacity entries of a queue; zero for as many as there are compute nodes. The library has up to 256: of longer queues the model has the
     *     words that a READ of the queue carries, which nobody writes
     * @param epochs whether a READ of the queue carries the header and the full epoch, as the library's does; the paper's carries the entries only
     */
    record Variation(boolean selfCheck, int capacity, boolean epochs) {
        /** As the library is. */
        public static final Variation NONE = new Variation(true, 0, true);
    }

    /**
     * To which waiter a compute node hands a lock over (DecLock, section 6.3). The library has {@link #BY_TIMESTAMPS} only; the others are for comparison.
     *
     * @param choice how it chooses
     * @param bound most consecutive grants to local waiters, for {@link Choice#LOCAL_BOUND}; zero otherwise
     */
    record HandOver(Choice choice, int bound) {
        /** How a compute node chooses between its own waiters and those of others. */
        public enum Choice {
            /** By the timestamps of the waiters, within the library's bounds. */
            BY_TIMESTAMPS,
            /** By the timestamps of the waiters alone, as the paper prints it. */
            AS_PRINTED,
            /** To waiters of other compute nodes, if there are any. */
            REMOTE_PREFER,
            /** To its own waiters, if there are any. */
            LOCAL_PREFER,
            /** To its own waiters, so often in a row at most. */
            LOCAL_BOUND
        }

        /** By the timestamps of the waiters, within the library's bounds. */
        public static final HandOver BY_TIMESTAMPS = new HandOver(Choice.BY_TIMESTAMPS, 0);

        /** By the timestamps of the waiters alone, as the paper prints it. */
        public static final HandOver AS_PRINTED = new HandOver(Choice.AS_PRINTED, 0);

        /** To waiters of other compute nodes, if there are any. */
        public static final HandOver REMOTE_PREFER = new HandOver(Choice.REMOTE_PREFER, 0);

        /** To its own waiters, if there are any. */
        public static final HandOver LOCAL_PREFER = new HandOver(Choice.LOCAL_PREFER, 0);

        /** Returns: to its own waiters, so often in a row at most. */
        public static HandOver localBound(int most) {
            return new HandOver(Choice.LOCAL_BOUND, most);
        }

        @Override
        public String toString() {
            return choice == Choice.LOCAL_BOUND ? choice + " " + bound : choice.toString();
        }
    }
}
