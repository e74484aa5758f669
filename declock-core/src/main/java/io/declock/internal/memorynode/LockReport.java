// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.spi.LockUse;
import io.declock.spi.Member;
import java.time.Duration;
import java.util.List;

/**
 * What is known of one lock at a memory node, and what the compute nodes that use it say.
 *
 * @param lock its header
 * @param users the compute nodes that know the lock, with their answers
 * @param inTrust how long the memory node itself keeps the lock for a compute node that has left, zero if it does not
 */
public record LockReport(LockSummary lock, List<User> users, Duration inTrust) {
    /** Copies the list. */
    public LockReport {
        users = List.copyOf(users);
    }

    /**
     * One compute node.
     *
     * @param member the compute node
     * @param answered false if it did not answer in time: it is cut off, busy, or of a release that knows no inquiries
     * @param uses its holds and waits, the holds first
     * @param more how many uses there are besides
     */
    public record User(Member member, boolean answered, List<LockUse> uses, int more) {
        /** Copies the list. */
        public User {
            uses = List.copyOf(uses);
        }
    }
}
