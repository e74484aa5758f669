// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/** An object store in memory-node memory: objects in fixed slots behind reader-writer locks, and loads with the figures of published caches. */
@NullMarked
package io.declock.evaluation.store;

import org.jspecify.annotations.NullMarked;
