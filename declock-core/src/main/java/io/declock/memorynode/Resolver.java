// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode;

import io.declock.fabric.FabricException;
import io.declock.fabric.FabricException.Reason;
import io.declock.fabric.Resolution;
import io.declock.layout.RecordLayout;

/** Answers resolutions, and makes those wait whose record is being reclaimed. Thread-safe. */
final class Resolver {
    /** Longest full name in UTF-8 bytes. */
    static final int MAX_FULL_NAME_BYTES = 1024;

    private final String nodeId;
    private final Region region;
    private final RecordLayout layout;
    private final Directory directory;
    private final Reclaimer reclaimer;

    Resolver(String nodeId, Region region, RecordLayout layout, Directory directory, Reclaimer reclaimer) {
        this.nodeId = nodeId;
        this.region = region;
        this.layout = layout;
        this.directory = directory;
        this.reclaimer = reclaimer;
    }

    void resolve(byte[] name, boolean create, ResolveAnswer answer) {
        if (name.length == 0 || name.length > MAX_FULL_NAME_BYTES) {
            answer.refused(new FabricException.Refused(
                    Reason.BAD_REQUEST,
                    "a full lock name must have 1 to " + MAX_FULL_NAME_BYTES + " bytes in UTF-8, this one has "
                            + name.length));
            return;
        }
        // The answer is given inside, so that a reclaim round that begins later finds it on its way already.
        int generation = reclaimer.enterResolve();
        try {
            resolveInside(name, create, answer);
        } finally {
            reclaimer.exitResolve(generation);
        }
    }

    private void resolveInside(byte[] name, boolean create, ResolveAnswer answer) {
        int record = create ? allocating(name) : directory.find(name);
        if (record < 0) {
            if (create) {
                answer.refused(tableFull());
            } else {
                answer.resolved(null);
            }
        } else if (!reclaimer.putOff(record, () -> resolve(name, create, answer))) {
            // As Reclaimer.putOff requires, the record was marked as asked for before it was checked.
            long address = region.recordAddress(record);
            answer.resolved(new Resolution(address, region.read(layout.epoch(address))));
        }
    }

    private int allocating(byte[] name) {
        try {
            return directory.resolve(name);
        } catch (OutOfMemoryError e) {
            return Directory.FULL;
        }
    }

    private FabricException.Refused tableFull() {
        return new FabricException.Refused(
                Reason.TABLE_FULL,
                "memory node " + nodeId
                        + " has no lock record free (or no direct memory for one): raise its number of records"
                        + " (and -XX:MaxDirectMemorySize), or use fewer names");
    }
}
