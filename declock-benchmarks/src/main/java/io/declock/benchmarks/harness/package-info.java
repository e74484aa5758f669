// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Starts servers and workers, measures time and CPU time, and collects the results. */
@NullMarked
package io.declock.benchmarks.harness;

import org.jspecify.annotations.NullMarked;
