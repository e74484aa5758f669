// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** One client process of a run: the threads that put the load on, and what they measured. */
@NullMarked
package io.declock.benchmarks.worker;

import org.jspecify.annotations.NullMarked;
