// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** Measurements of DecLock and of other lock services. */
@NullMarked
package io.declock.benchmarks;

import org.jspecify.annotations.NullMarked;
