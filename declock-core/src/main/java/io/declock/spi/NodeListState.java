// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import java.util.List;

/**
 * How far a memory node is with its {@link NodeList}.
 *
 * @param list its list, {@link NodeList#NONE} if it has none
 * @param awaited ids of the memory nodes that have not given up yet the names which this one takes over; nobody gets a position in those names
 * @param undeclared number of compute nodes joined here that have not declared the list yet
 * @param obstacle why the list cannot be changed now, for people; empty if it can
 */
public record NodeListState(NodeList list, List<String> awaited, int undeclared, String obstacle) {
    /** The state of a memory node without a list. */
    public static final NodeListState NONE = new NodeListState(NodeList.NONE, List.of(), 0, "");

    /** Copies the ids. */
    public NodeListState {
        awaited = List.copyOf(awaited);
    }
}
