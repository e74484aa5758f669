// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

/**
 * How much a lock is used.
 *
 * @param lock the lock
 * @param perSecond positions given back per second; a hand-over inside a compute node gives none back
 */
public record LockActivity(LockSummary lock, double perSecond) {}
