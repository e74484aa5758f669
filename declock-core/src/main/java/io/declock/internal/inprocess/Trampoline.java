// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.inprocess;

import java.util.ArrayDeque;

/**
 * Runs tasks on the calling thread, but never one inside another: a task that is submitted while another one runs waits until that one has
 * returned. So completions that post further chains never nest.
 */
final class Trampoline {
    private static final ThreadLocal<Trampoline> CURRENT = ThreadLocal.withInitial(Trampoline::new);

    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private boolean running;

    private Trampoline() {}

    /** Runs a task now, or after the tasks that were submitted before it on this thread. */
    static void run(Runnable task) {
        CURRENT.get().add(task);
    }

    private void add(Runnable task) {
        waiting.add(task);
        if (running) {
            return;
        }
        running = true;
        try {
            for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
                next.run();
            }
        } finally {
            running = false;
        }
    }
}
