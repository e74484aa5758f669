// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

/**
 * A lock as its header shows it.
 *
 * @param namespace namespace of the name
 * @param name name without its namespace
 * @param positions positions of compute nodes in its queue, those that hold it included
 * @param writers how many of them are exclusive
 * @param epoch how often it was reset, a number that rises
 * @param inReset whether it is being reset
 */
public record LockSummary(String namespace, String name, int positions, int writers, long epoch, boolean inReset) {}
