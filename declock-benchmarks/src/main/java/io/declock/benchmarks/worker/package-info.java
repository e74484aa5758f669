// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** One client process of a run: the threads that make the load, and their measurements. */
@NullMarked
package io.declock.benchmarks.worker;

import org.jspecify.annotations.NullMarked;
