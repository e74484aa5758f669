// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.LockMode;
import java.util.HashMap;
import java.util.Map;

/** Checks that a writer holds a lock alone. Locks and clients are known by numbers. */
final class HoldersChecker {
    private static final int NOBODY = -1;

    private static final class Holders {
        private int writer = NOBODY;
        private int readers;
    }

    private final Map<Long, Holders> holders = new HashMap<>();

    /** A client holds a lock from now on. */
    void entered(int client, long lock, LockMode mode) {
        Holders now = holders.computeIfAbsent(lock, any -> new Holders());
        if (now.writer != NOBODY || mode == LockMode.WRITE && now.readers > 0) {
            throw new Violation(
                    "exclusion",
                    "client " + client + " has lock " + lock + " to " + mode + " beside writer " + now.writer + " and "
                            + now.readers + " readers");
        }
        if (mode == LockMode.WRITE) {
            now.writer = client;
        } else {
            now.readers++;
        }
    }

    /** A client has died: it holds nothing any more. */
    void dies(int client, Map<Integer, LockMode> held) {
        held.forEach((lock, mode) -> leaves(client, lock, mode));
    }

    /** A client holds a lock no more. */
    void leaves(int client, long lock, LockMode mode) {
        Holders now = holders.get(lock);
        if (now == null || (mode == LockMode.WRITE ? now.writer != client : now.readers == 0)) {
            throw new Violation(
                    "exclusion", "client " + client + " releases lock " + lock + ", which it does not hold");
        }
        if (mode == LockMode.WRITE || --now.readers == 0) {
            holders.remove(lock);
        }
    }
}
