// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.util.List;

/**
 * One lock as stored on its memory node: the words of its record, decoded.
 *
 * @param name the lock's name without its namespace
 * @param memoryNode stable id of its memory node
 * @param record offset of the record in the region
 * @param epoch full epoch
 * @param head index of the queue head: the number of releases in this epoch
 * @param size queue positions taken, holders and waiters together
 * @param writers how many of them are exclusive
 * @param resetBy node id of the initiator of a reset under way, 0 for none
 * @param entries the filled entries of the positions taken
 */
public record LockRecordView(
        String name,
        String memoryNode,
        long record,
        long epoch,
        int head,
        int size,
        int writers,
        int resetBy,
        List<Entry> entries) {
    /** Copies the list. */
    public LockRecordView {
        entries = List.copyOf(entries);
    }

    /**
     * One filled entry.
     *
     * @param index queue index
     * @param exclusive whether a writer waits there
     * @param nodeId node id of the waiting compute node
     * @param member display name of that compute node, empty when it is not live
     */
    public record Entry(int index, boolean exclusive, int nodeId, String member) {}
}
