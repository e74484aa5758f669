// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Measurements of DecLock beside other lock services. */
@NullMarked
package io.declock.benchmarks;

import org.jspecify.annotations.NullMarked;
