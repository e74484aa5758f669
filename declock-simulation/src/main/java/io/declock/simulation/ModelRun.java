// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.protocols.application.Application;
import java.util.function.Supplier;

/**
 * An application in virtual time, on DecLock or another lock, with modelled adapters: one memory node, and clients in compute nodes, those of one compute
 * node behind one adapter. Exclusion is checked all the while.
 */
public final class ModelRun {
    /**
     * What is run.
     *
     * @param system the lock
     * @param adapters the model of the adapters
     * @param computeNodes number of compute nodes
     * @param clientsPerNode number of clients in each; client <i>n</i> is in the compute node <i>n</i> modulo their number
     * @param application makes the application
     * @param warmUpNanos virtual nanoseconds before the window
     * @param windowNanos virtual nanoseconds in which is counted
     * @param failures what fails meanwhile
     */
    public record Setting(
            LockSystem system,
            AdapterModel adapters,
            int computeNodes,
            int clientsPerNode,
            Supplier<Application> application,
            long warmUpNanos,
            long windowNanos,
            Failures failures) {
        /** Makes a setting in which nothing fails. */
        public Setting(
                LockSystem system,
                AdapterModel adapters,
                int computeNodes,
                int clientsPerNode,
                Supplier<Application> application,
                long warmUpNanos,
                long windowNanos) {
            this(system, adapters, computeNodes, clientsPerNode, application, warmUpNanos, windowNanos, Failures.NONE);
        }

        int clients() {
            return computeNodes * clientsPerNode;
        }
    }

    /**
     * What fails during a run. Instants are virtual nanoseconds from the beginning of the run. Only DecLock has leases, so only DecLock runs with it.
     *
     * @param lease how long a compute node stays a member after its last heartbeat; zero if nothing fails
     * @param computeNodeDies when the last compute node dies, with its clients; the memory node sees its connection break at once
     * @param memoryNodeDies when the memory node dies; verbs on data wait until it is back
     * @param memoryNodeIsBack when it is back, with empty memory
     * @param sliceNanos length of the slices of the whole run in which operations are counted
     */
    public record Failures(
            long lease, long computeNodeDies, long memoryNodeDies, long memoryNodeIsBack, long sliceNanos) {
        /** Nothing fails. */
        public static final Failures NONE = new Failures(0, 0, 0, 0, 0);
    }

    private ModelRun() {}

    /**
     * Runs a setting. The same seed and setting have the same outcome on each machine.
     *
     * @throws Violation if two clients hold a lock that excludes one of them
     * @throws UnsupportedOperationException if something is to fail under another lock than DecLock
     */
    public static Outcome run(long seed, Setting setting) {
        if (setting.system() instanceof LockSystem.Literature literature) {
            if (!setting.failures().equals(Failures.NONE)) {
                throw new UnsupportedOperationException(literature.name() + " does not run with failures");
            }
            return new LiteratureRun(seed, setting, literature.protocol()).run();
        }
        return new DecLockRun(seed, setting, (LockSystem.DecLockSystem) setting.system()).run();
    }
}
