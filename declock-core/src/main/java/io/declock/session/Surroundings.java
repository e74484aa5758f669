// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.session;

import io.declock.monitor.Counters;
import io.declock.time.Clock;
import io.declock.time.RandomSource;
import io.declock.time.TimerService;

/**
 * Time, randomness and counters, injected once and handed on.
 *
 * @param clock monotonic clock
 * @param timer runs tasks later
 * @param random jitter and incarnations
 * @param counters what is counted
 */
public record Surroundings(Clock clock, TimerService timer, RandomSource random, Counters counters) {}
