// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Looks into a running compute node, for health, metrics and the endpoint. Thread-safe. */
public interface ComputeNodeMonitor {
    /** Returns one view per configured memory node. */
    List<MemoryNodeView> memoryNodes();

    /** Returns the view of the memory node that a name lives on, empty while not every memory node has been joined once. */
    Optional<MemoryNodeView> memoryNodeOf(String name);

    /** Returns what this process holds and waits for now, at most {@code limit} of it. */
    List<LockView> locks(int limit);

    /** Returns what this process holds and waits for now under one name. */
    List<LockView> locksNamed(String name);

    /** Returns how many locks are held now. */
    long heldNow();

    /** Returns how many callers wait now. */
    long waitingNow();

    /** Returns how many lock names this process has in its table, idle ones included. */
    int tableSize();

    /** Returns the counters. */
    Counters counters();

    /** Returns how the fabrics are doing beside their sessions: texts and growing numbers by name; empty if there is nothing to say. */
    default Map<String, Object> fabricDetails() {
        return Map.of();
    }

    /** Looks one name up at its memory node without creating it. */
    CompletionStage<Optional<LockRecordView>> inspect(String name);
}
