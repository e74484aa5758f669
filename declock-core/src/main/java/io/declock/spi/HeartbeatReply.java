// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

/**
 * A lease renewed.
 *
 * @param memoryNodeTimeNanos the memory node's clock when it answered
 * @param recordsInUse lock records that belong to a name
 * @param recordsTotal lock records the region holds
 * @param membershipVersion version of the membership when it answered
 */
public record HeartbeatReply(long memoryNodeTimeNanos, long recordsInUse, long recordsTotal, long membershipVersion) {}
