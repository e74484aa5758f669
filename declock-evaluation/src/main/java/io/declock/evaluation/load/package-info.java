// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Loads of locks as applications: the microbenchmark, and the lock traces of TPC-C and TATP. */
@NullMarked
package io.declock.evaluation.load;

import org.jspecify.annotations.NullMarked;
