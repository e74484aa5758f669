// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.spi.FabricException;
import io.declock.spi.GivenUp;
import io.declock.spi.NodeList;
import io.declock.spi.NodeListState;
import java.util.function.Consumer;

/**
 * What compute nodes ask a memory node about lists of memory nodes that replace one another (rules M1 to M5 of docs/protocol.md). Thread-safe.
 */
public interface NodeLists {
    /** Returns the memory node's list of memory nodes. */
    NodeList list();

    /** Returns how far the memory node is with its list of memory nodes. */
    NodeListState state();

    /**
     * Proposes a list of memory nodes, to which the memory node agrees for as long as the session lasts (rule M1).
     *
     * @throws FabricException.Refused if the memory node does not agree
     */
    void propose(MemoryNodeSession session, NodeList list) throws FabricException.Refused;

    /**
     * Declares that the compute node of a session uses a list of memory nodes (rule M3).
     *
     * @param answer is done when the memory node has the list in a place that survives it
     */
    void declare(MemoryNodeSession session, NodeList list, Answer<NodeList> answer);

    /**
     * Waits until the memory node has given up the names that belong to others by a list (rule M4).
     *
     * @param answer receives an epoch that no lock has exceeded
     */
    void awaitGivenUp(MemoryNodeSession session, long number, Answer<Long> answer);

    /**
     * Brings the word that another memory node has given names up (rule M4).
     *
     * @param answer receives the epoch of the records of restored holds
     */
    void takeOver(GivenUp word, Answer<Long> answer);

    /**
     * Receives the end of a request, once, perhaps later and on another thread.
     *
     * @param done receives the result
     * @param refused receives why there is none
     */
    record Answer<T>(Consumer<? super T> done, Consumer<FabricException.Refused> refused) {}
}
