// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.time.Clock;
import io.declock.internal.time.RandomSource;
import io.declock.internal.time.TimerService;

/**
 * What the links of one process share: time, randomness and counters, injected once and passed on, the identity of the process and its set
 * of memory nodes.
 *
 * @param clock monotonic clock
 * @param timer runs tasks later
 * @param random jitter and incarnations
 * @param counters counters of the compute node
 * @param processId identifies the process
 * @param nodeSet the set of memory nodes, which the links learn
 * @param inquiries answers operators' inquiries
 * @param keeps whether this process keeps locks, so that it expects others to do so
 */
public record Surroundings(
        Clock clock,
        TimerService timer,
        RandomSource random,
        NodeCounters counters,
        long processId,
        KnownNodeSet nodeSet,
        Inquiries inquiries,
        boolean keeps) {

    /** Makes them for a process that keeps no locks. */
    public Surroundings(
            Clock clock,
            TimerService timer,
            RandomSource random,
            NodeCounters counters,
            long processId,
            KnownNodeSet nodeSet,
            Inquiries inquiries) {
        this(clock, timer, random, counters, processId, nodeSet, inquiries, false);
    }
}
