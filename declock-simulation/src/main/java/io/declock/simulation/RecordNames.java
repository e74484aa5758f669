// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.spi.NodeList;
import io.declock.spi.NodeSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The names of the records of one life of a memory node, and which of them have moved to another memory node. */
final class RecordNames {
    private final long home;
    private final Map<Long, String> names = new HashMap<>();
    private final Set<Long> foreign = new HashSet<>();

    /** @param id of the memory node, which says which names are its own */
    RecordNames(String id) {
        this.home = NodeSet.hash(id);
    }

    /** A hold in a record was restored by its name. */
    void restored(long record, String name) {
        names.put(record, name);
    }

    /** A name was resolved. Returns whether the record had another name before, or none. */
    boolean resolved(long record, String name, NodeList newest) {
        boolean passesOn = !name.equals(names.put(record, name));
        if (passesOn) {
            foreign.remove(record);
        }
        if (belongsToAnother(newest, name)) {
            // By a compute node that has not moved yet.
            foreign.add(record);
        }
        return passesOn;
    }

    /** A list was published: what is left of the names of others is nobody's. */
    void listChanges(NodeList list) {
        names.forEach((record, name) -> {
            if (belongsToAnother(list, name)) {
                foreign.add(record);
            }
        });
    }

    private boolean belongsToAnother(NodeList list, String name) {
        return !list.isNone() && list.set().homeOf(NodeSet.hash(name)) != home;
    }

    /** Returns whether a record's name has moved to another memory node. */
    boolean isForeign(long record) {
        return foreign.contains(record);
    }
}
