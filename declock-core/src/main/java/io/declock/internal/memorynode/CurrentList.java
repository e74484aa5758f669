// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.spi.NodeList;
import io.declock.spi.NodeSet;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The list of memory nodes that a memory node has, and where names belong by it. Thread-safe. */
final class CurrentList {
    private final long self;
    private volatile State state = new State(NodeList.NONE, NodeSet.NONE, NodeSet.NONE, List.of());

    private record State(NodeList list, NodeSet set, NodeSet former, List<String> awaited) {}

    /** @param id id of the memory node */
    CurrentList(String id) {
        this.self = NodeSet.hash(id);
    }

    /** Goes on with what a former life has kept (rule M5). */
    void begin(KeptNodes kept) {
        set(kept.list(), kept.awaited());
    }

    /**
     * Replaces the list.
     *
     * @param awaited ids of the memory nodes that have not given their names up yet
     */
    void set(NodeList list, Collection<String> awaited) {
        state = new State(
                list,
                list.isNone() ? NodeSet.NONE : list.set(),
                list.isNone() ? NodeSet.NONE : list.former(),
                List.copyOf(awaited));
    }

    NodeList list() {
        return state.list;
    }

    /** Returns the memory nodes of the list, {@link NodeSet#NONE} without one. */
    NodeSet set() {
        return state.set;
    }

    /** Returns the ids of the memory nodes that have not given their names up yet. */
    List<String> awaited() {
        return state.awaited;
    }

    /** Returns whether a name belongs to this memory node; without a list every name does. */
    boolean isHome(byte[] name) {
        State now = state;
        return now.set.isNone() || now.set.homeOf(NodeSet.hash(name)) == self;
    }

    /** Returns whether a name belonged to this memory node before the list. */
    boolean wasHome(byte[] name) {
        State now = state;
        return now.former.isNone() || now.former.homeOf(NodeSet.hash(name)) == self;
    }

    /** Returns the id of the memory node that a name belonged to and that has not given it up yet, or null. */
    @Nullable
    String awaitedFor(byte[] name) {
        State now = state;
        if (now.awaited.isEmpty()) {
            return null;
        }
        long home = now.former.homeOf(NodeSet.hash(name));
        for (String id : now.awaited) {
            if (NodeSet.hash(id) == home) {
                return id;
            }
        }
        return null;
    }
}
