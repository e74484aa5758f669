// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.monitor;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs steps of which none may keep the next from being taken. Thread-safe. */
public final class Isolated {
    private static final Logger log = LoggerFactory.getLogger(Isolated.class);

    private Isolated() {}

    /**
     * Runs a step. What it throws, an {@link Error} too, is logged and goes no further.
     *
     * @param what what fails then, for the log: "Telling session 3.7 of the membership"
     * @return whether it came to its end
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
