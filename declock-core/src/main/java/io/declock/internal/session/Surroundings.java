// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.time.Clock;
import io.declock.internal.time.RandomSource;
import io.declock.internal.time.TimerService;

/**
 * Time, randomness and counters, injected once and handed on.
 *
 * @param clock monotonic clock
 * @param timer runs tasks later
 * @param random jitter and incarnations
 * @param counters what is counted
 */
public record Surroundings(Clock clock, TimerService timer, RandomSource random, NodeCounters counters) {}
