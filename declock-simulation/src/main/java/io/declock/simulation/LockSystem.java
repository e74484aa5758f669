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
     */
    record DecLockSystem(
            FairnessPolicy policy, boolean preArmed, ReleaseRead releaseRead, boolean keep, HandOver handOver)
            implements LockSystem {
        /** As the library is set if nothing is configured, but for keeping locks. */
        public static final DecLockSystem DEFAULT =
                new DecLockSystem(FairnessPolicy.TASK_FAIR, true, ReleaseRead.ADAPTIVE, false, HandOver.BY_TIMESTAMPS);

        /** As in the paper: each release reads the queue, and no hand-over is pre-armed. */
        public static final DecLockSystem AS_IN_THE_PAPER =
                new DecLockSystem(FairnessPolicy.TASK_FAIR, false, ReleaseRead.ALWAYS, false, HandOver.BY_TIMESTAMPS);

        @Override
        public String name() {
            return "DecLock " + policy + (preArmed ? " pre-armed" : "") + " " + releaseRead + (keep ? " kept" : "")
                    + (handOver.equals(HandOver.BY_TIMESTAMPS) ? "" : " " + handOver);
        }

        /** Returns it with another fairness policy. */
        public DecLockSystem with(FairnessPolicy other) {
            return new DecLockSystem(other, preArmed, releaseRead, keep, handOver);
        }

        /** Returns it with another choice between local and remote waiters. */
        public DecLockSystem with(HandOver other) {
            return new DecLockSystem(policy, preArmed, releaseRead, keep, other);
        }

        /** Returns it with locks that are kept. */
        public DecLockSystem keeping() {
            return new DecLockSystem(policy, preArmed, releaseRead, true, handOver);
        }
    }

    /**
     * To which waiter a compute node hands a lock over (DecLock, section 6.3). Only {@link #BY_TIMESTAMPS} runs: {@link ModelRun#run} refuses the others, because the library's
     * settings bound how far local waiters pass others by time too, and cannot express them.
     *
     * @param choice how it chooses
     * @param bound most consecutive grants to local waiters, for {@link Choice#LOCAL_BOUND}; zero otherwise
     */
    record HandOver(Choice choice, int bound) {
        /** How a compute node chooses between its own waiters and those of others. */
        public enum Choice {
            /** By the timestamps of the waiters. */
            BY_TIMESTAMPS,
            /** To waiters of other compute nodes, if there are any. */
            REMOTE_PREFER,
            /** To its own waiters, if there are any. */
            LOCAL_PREFER,
            /** To its own waiters, so often in a row at most. */
            LOCAL_BOUND
        }

        /** By the timestamps of the waiters. */
        public static final HandOver BY_TIMESTAMPS = new HandOver(Choice.BY_TIMESTAMPS, 0);

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
