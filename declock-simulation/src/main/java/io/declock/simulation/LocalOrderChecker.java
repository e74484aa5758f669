// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.FairnessPolicy;
import io.declock.LocalSettings;
import io.declock.internal.local.LocalWaiter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks the order inside one compute node. Task-fair: no caller is granted before one that came earlier. Phase-fair: readers pass the
 * first waiting writer in a bounded number of phases, and no other caller passes.
 */
final class LocalOrderChecker {
    private static final class Queue {
        private final List<LocalWaiter> waiting = new ArrayList<>();
        private final Map<LocalWaiter, Integer> passedIn = new LinkedHashMap<>();
        private final Map<LocalWaiter, Integer> passes = new LinkedHashMap<>();
        private int readers;
        private int phase;
    }

    private final LocalSettings settings;
    private final Map<String, Queue> queues = new HashMap<>();

    LocalOrderChecker(LocalSettings settings) {
        this.settings = settings;
    }

    private Queue queue(SimulatedComputeNode node, String name) {
        return queues.computeIfAbsent(node + "/" + name, fresh -> new Queue());
    }

    /** A caller that may wait asks for the lock. */
    void comes(SimulatedComputeNode node, String name, LocalWaiter waiter) {
        queue(node, name).waiting.add(waiter);
    }

    /** A caller is no longer waiting and was not granted. */
    void goes(SimulatedComputeNode node, String name, LocalWaiter waiter) {
        Queue queue = queue(node, name);
        queue.waiting.remove(waiter);
        queue.passes.remove(waiter);
        queue.passedIn.remove(waiter);
    }

    /** A caller is granted, not by reentry. */
    void granted(SimulatedComputeNode node, String name, LocalWaiter waiter) {
        Queue queue = queue(node, name);
        boolean first = true;
        for (LocalWaiter earlier : queue.waiting) {
            if (earlier == waiter) {
                break;
            }
            if (earlier.state() == LocalWaiter.State.WAITING) {
                passed(queue, earlier, waiter, first && earlier.mode().isExclusive(), node + " '" + name + "'");
                first = false;
            }
        }
        goes(node, name, waiter);
        queue.readers += waiter.mode().isExclusive() ? 0 : 1;
    }

    private void passed(Queue queue, LocalWaiter earlier, LocalWaiter later, boolean firstWriter, String where) {
        boolean mayPass =
                settings.policy() == FairnessPolicy.PHASE_FAIR && !later.mode().isExclusive();
        if (!mayPass) {
            throw new Violation("local order", where + ": " + later.owner() + " was granted before " + earlier.owner());
        }
        if (firstWriter && !Integer.valueOf(queue.phase).equals(queue.passedIn.put(earlier, queue.phase))) {
            int passes = queue.passes.merge(earlier, 1, Integer::sum);
            if (passes > settings.readerPhases()) {
                throw new Violation(
                        "phases", where + ": readers passed " + earlier.owner() + " in " + passes + " phases");
            }
        }
    }

    /** A reader's hold ends. */
    void readerLeaves(SimulatedComputeNode node, String name) {
        Queue queue = queue(node, name);
        queue.readers--;
        if (queue.readers == 0) {
            queue.phase++;
        }
    }
}
