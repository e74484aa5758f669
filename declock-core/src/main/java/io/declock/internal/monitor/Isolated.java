// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.monitor;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs steps whose failure must not prevent the next step. Thread-safe. */
public final class Isolated {
    private static final Logger log = LoggerFactory.getLogger(Isolated.class);

    private Isolated() {}

    /**
     * Runs a step. An exception, or an {@link Error}, is logged and not passed on.
     *
     * @param what description of the step, for the log: "Notifying session 3.7 of the members"
     * @return whether the step ended without an exception
     */
    public static boolean run(String what, Runnable step) {
        try {
            step.run();
            return true;
        } catch (RuntimeException | Error e) {
            log.error("{} failed", what, e);
            return false;
        }
    }
}
