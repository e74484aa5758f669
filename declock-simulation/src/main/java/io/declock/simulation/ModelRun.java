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
     */
    public record Setting(
            LockSystem system,
            AdapterModel adapters,
            int computeNodes,
            int clientsPerNode,
            Supplier<Application> application,
            long warmUpNanos,
            long windowNanos) {
        int clients() {
            return computeNodes * clientsPerNode;
        }
    }

    private ModelRun() {}

    /**
     * Runs a setting. The same seed and setting have the same outcome on each machine.
     *
     * @throws Violation if two clients hold a lock that excludes one of them
     * @throws UnsupportedOperationException for a hand-over that the library does not have
     */
    public static Outcome run(long seed, Setting setting) {
        if (setting.system() instanceof LockSystem.Literature literature) {
            return new LiteratureRun(seed, setting, literature.protocol()).run();
        }
        return new DecLockRun(seed, setting, (LockSystem.DecLockSystem) setting.system()).run();
    }
}
