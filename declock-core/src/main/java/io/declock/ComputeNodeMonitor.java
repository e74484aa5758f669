// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Shows the state of a running compute node, for health, metrics and the endpoint. Thread-safe. */
public interface ComputeNodeMonitor {
    /** Returns one view per configured memory node. */
    List<MemoryNodeView> memoryNodes();

    /** Returns the view of the memory node that a name lives on, empty until every memory node has been joined at least once. */
    Optional<MemoryNodeView> memoryNodeOf(String name);

    /** Returns the present holds and waits of this process, at most {@code limit} of them. */
    List<LockView> locks(int limit);

    /** Returns the present holds and waits of this process under one name. */
    List<LockView> locksNamed(String name);

    /** Returns how many locks are held now. */
    long heldNow();

    /** Returns how many callers wait now. */
    long waitingNow();

    /** Returns how many lock names this process has in its table, idle ones included. */
    int tableSize();

    /** Returns the counters. */
    Counters counters();

    /** Returns details of the fabrics that belong to no session: texts and growing numbers by name; empty if there are none. */
    default Map<String, Object> fabricDetails() {
        return Map.of();
    }

    /** Looks one name up at its memory node without creating a record for it. */
    CompletionStage<Optional<LockRecordView>> inspect(String name);
}
