// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.time.Clock;
import io.declock.internal.time.RandomSource;
import io.declock.internal.time.TimerService;

/**
 * Time, randomness and counters, injected once and passed on, and the identity of the process.
 *
 * @param clock monotonic clock
 * @param timer runs tasks later
 * @param random jitter and incarnations
 * @param counters counters of the compute node
 * @param processId identifies the process
 */
public record Surroundings(
        Clock clock, TimerService timer, RandomSource random, NodeCounters counters, long processId) {}
