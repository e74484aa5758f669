// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The public API: a fair, fenced, distributed reader-writer lock. Start with {@link io.declock.DecLock}, which opens locks, and {@link
 * io.declock.DistributedReadWriteLock}, which describes them.
 */
@NullMarked
package io.declock;

import org.jspecify.annotations.NullMarked;
