// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** A B+tree in memory-node memory in the manner of Sherman (Wang, Lu, Shu, SIGMOD 2022): lookups without locks, a write lock for each node that changes. */
@NullMarked
package io.declock.evaluation.index;

import org.jspecify.annotations.NullMarked;
