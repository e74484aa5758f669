// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Shows the state of a running compute node, for health, metrics and the endpoint. Thread-safe. */
public interface ComputeNodeMonitor {
    /** {@return one view per configured memory node} */
    List<MemoryNodeView> memoryNodes();

    /**
     * {@return the memory node that a name lives on, null until every memory node has been joined at least once} Cheap enough to be asked
     * before each acquisition.
     *
     * @param name the lock's name without its namespace
     */
    @Nullable
    Home homeOf(String name);

    /**
     * {@return the present holds and waits of this process and the locks that it keeps, at most {@code limit} of them}
     *
     * @param limit most views to return
     */
    List<LockView> locks(int limit);

    /**
     * {@return the present holds and waits of this process under one name, or that it keeps the lock}
     *
     * @param name the lock's name without its namespace
     */
    List<LockView> locksNamed(String name);

    /** {@return how many locks are held now} */
    long heldNow();

    /** {@return how long the lock that this process has held for longest has been held, zero if it holds none} Reserved locks do not count. */
    Duration longestHold();

    /** {@return how many locks this process keeps now although none of its callers holds them} They are not held. */
    int keptNow();

    /** {@return how many callers wait now} */
    long waitingNow();

    /** {@return how many lock names this process has in its table, idle ones included} */
    int tableSize();

    /** {@return the counters} */
    Counters counters();

    /** {@return details of the fabrics that belong to no session: texts and growing numbers by name; empty if there are none} */
    default Map<String, Object> fabricDetails() {
        return Map.of();
    }

    /**
     * {@return the longest time for which work had to wait for one of the event loops that exchange messages with memory nodes and peers, in
     * the last half or whole minute} An event loop that is late for a lease loses the session. Zero if there are no event loops.
     */
    default Duration eventLoopLag() {
        return Duration.ZERO;
    }

    /**
     * Looks one name up at its memory node without creating a record for it.
     *
     * @param name the lock's name without its namespace
     * @return completes with the record, empty if the name has none
     */
    CompletionStage<Optional<LockRecordView>> inspect(String name);

    /** The memory node that a lock lives on: one object as long as the compute node runs. Thread-safe. */
    interface Home {
        /** {@return the configured address} */
        MemoryNodeAddress address();

        /** {@return how long there has been no session, in nanoseconds: zero if there is one, and more than zero if there is none} */
        long downNanos();

        /** {@return everything there is to see} */
        MemoryNodeView view();
    }
}
