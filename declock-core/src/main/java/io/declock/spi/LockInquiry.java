// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

/**
 * What an operator of a memory node asks a compute node about one lock.
 *
 * @param number identifies the inquiry in its {@link LockAnswer}
 * @param kind whether the operator looks at the lock, or ends its holds
 * @param fullName namespace and name
 * @param upTo fencing token of the youngest hold that ends: one that was granted after the operator looked goes on; 0 for a look
 * @param why the operator's reason, for the owners of the holds that end; empty for a look
 */
public record LockInquiry(long number, Kind kind, String fullName, long upTo, String why) {
    /** What is to happen. */
    public enum Kind {
        /** Nothing: the compute node tells who holds the lock and who waits for it. */
        LOOK,
        /** Every hold of the compute node that is old enough ends as lost, and its position is given back. */
        END_HOLDS
    }
}
