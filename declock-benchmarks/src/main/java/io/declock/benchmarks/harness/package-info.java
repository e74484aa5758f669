// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Starts servers and workers, takes the time and the CPU time, and gathers what was measured. */
@NullMarked
package io.declock.benchmarks.harness;

import org.jspecify.annotations.NullMarked;
