// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

/**
 * What a compute node tells the next life of a memory node of a lock that it holds (rule H3 of docs/protocol.md).
 *
 * @param fullName namespace and name
 * @param exclusive whether it is held for writing
 * @param epoch full epoch that the lock had in the former life, as far as this process knows
 */
public record RestoredHold(String fullName, boolean exclusive, long epoch) {}
