// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The public API: a fair, fenced, distributed reader-writer lock. Start at {@link io.declock.DecLock} (how to get one) and {@link
 * io.declock.DistributedReadWriteLock} (what it does).
 */
@NullMarked
package io.declock;

import org.jspecify.annotations.NullMarked;
