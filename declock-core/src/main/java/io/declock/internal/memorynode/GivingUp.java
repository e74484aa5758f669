// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.internal.monitor.Isolated;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.NodeList;
import io.declock.spi.NodeSet;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory node as a source: gives up the names that belong to others by its list, once for each list, when no compute node takes positions
 * in them any more, and tells those that wait for that an epoch above every one of these names (rule M4 of docs/protocol.md).
 *
 * <p>Thread-safe. Answers are given after the lock was released.
 */
final class GivingUp {
    private static final Logger log = LoggerFactory.getLogger(GivingUp.class);
    private static final int DETACHED_AT_ONCE = 1 << 16;

    private final NodeBasics node;
    private final CurrentList current;
    private final Directory directory;
    private final RecordAllocator allocator;
    private final HighWaterMark mark;
    private final LongPredicate mayGiveUp;
    private final Runnable whenGivenUp;
    private final int detachedAtOnce;
    private final ReentrantLock lock = new ReentrantLock();

    /** The sessions that wait until the names are given up, each with its last request: earlier ones have timed out. */
    @GuardedBy("lock")
    private final Map<MemoryNodeSession, Waiting> waiting = new LinkedHashMap<>();

    /** What a session waits for: the names that belong to others by a list. */
    private record Waiting(long number, LongConsumer told) {}

    /** Number of the list whose foreign names are being detached, or were. */
    @GuardedBy("lock")
    private long detaching;

    /** Number of the last list by which names were given up. */
    private volatile long givenUp;

    /**
     * @param mayGiveUp returns whether no compute node takes positions any more in names that belong to others by the list of that number
     * @param whenGivenUp runs when records may be left that no compute node uses any more
     */
    GivingUp(
            NodeBasics node,
            CurrentList current,
            Directory directory,
            RecordAllocator allocator,
            HighWaterMark mark,
            LongPredicate mayGiveUp,
            Runnable whenGivenUp) {
        this(node, current, directory, allocator, mark, mayGiveUp, whenGivenUp, DETACHED_AT_ONCE);
    }

    /** As above, detaching that many records at a time. */
    GivingUp(
            NodeBasics node,
            CurrentList current,
            Directory directory,
            RecordAllocator allocator,
            HighWaterMark mark,
            LongPredicate mayGiveUp,
            Runnable whenGivenUp,
            int detachedAtOnce) {
        this.node = node;
        this.current = current;
        this.directory = directory;
        this.allocator = allocator;
        this.mark = mark;
        this.mayGiveUp = mayGiveUp;
        this.whenGivenUp = whenGivenUp;
        this.detachedAtOnce = detachedAtOnce;
    }

    /** Returns whether the names are given up that belong to others by the list of that number. */
    boolean isDone(long number) {
        return givenUp >= number;
    }

    /**
     * Waits until the names that belong to others by a list are given up. Those of a list that another one has followed are: without that no memory
     * node agrees to another one (rule M1), and a life that has started since then gives up names by its present list only. So a session is answered,
     * too, when another list follows while it waits.
     */
    void await(MemoryNodeSession session, long number, NodeLists.Answer<Long> answer) {
        long present = current.list().number();
        if (number > present) {
            answer.refused()
                    .accept(new FabricException.Refused(
                            Reason.NOT_YET,
                            "memory node " + node.id() + " does not have list " + number + " of memory nodes yet"));
            return;
        }
        boolean now;
        lock.lock();
        try {
            now = number < present || isDone(number);
            if (!now) {
                waiting.keySet().removeIf(other -> other.gone);
                waiting.put(session, new Waiting(number, answer.done()::accept));
            }
        } finally {
            lock.unlock();
        }
        if (now) {
            answer.done().accept(mark.current());
        } else {
            look();
        }
    }

    /** Gives the names up if that may be done by now and has not begun. */
    void look() {
        NodeList list = current.list();
        long number = list.number();
        tellBefore(number);
        if (isDone(number) || !mayGiveUp.test(number)) {
            return;
        }
        lock.lock();
        try {
            if (detaching >= number) {
                return;
            }
            detaching = number;
        } finally {
            lock.unlock();
        }
        detachFrom(0, list);
    }

    /**
     * Takes the records from the names that belong to others, so that the names can come back to this memory node by a later list, and raises
     * the mark above their epochs. It stops when another list follows, which a life that has started since the memory nodes agreed to that list may
     * get before it is done: compute nodes may still use the names that the next list moves, and names may come back by it.
     */
    private void detachFrom(int first, NodeList list) {
        NodeSet set = list.set();
        int used = allocator.everUsed();
        int last = Math.min(used, first + detachedAtOnce);
        for (int record = first; record < last; record++) {
            if (current.list().number() != list.number()) {
                return;
            }
            byte[] name = directory.names().get(record);
            if (name != null && !Directory.isDetached(name) && !isHome(set, name)) {
                raiseAbove(record);
                directory.detach(record);
                node.values().forget(record);
            }
        }
        if (last < used) {
            node.timer().schedule(1, () -> detachFrom(last, list));
        } else {
            gaveUp(list.number());
        }
    }

    private boolean isHome(NodeSet set, byte[] name) {
        return set.homeOf(NodeSet.hash(name)) == NodeSet.hash(node.id());
    }

    private void raiseAbove(int record) {
        long reached = node.region().read(node.layout().epoch(node.region().recordAddress(record)));
        if (node.isPlausible(reached)) {
            mark.raiseAbove(reached);
        }
    }

    private void gaveUp(long number) {
        lock.lock();
        try {
            givenUp = number;
        } finally {
            lock.unlock();
        }
        log.info("Memory node {} has given up the names that belong to others by list {}", node.id(), number);
        tellBefore(number + 1);
        whenGivenUp.run();
    }

    /** Answers those that wait for the names of a list before that one. */
    private void tellBefore(long number) {
        List<LongConsumer> told = new ArrayList<>();
        lock.lock();
        try {
            waiting.values().removeIf(one -> one.number() < number && told.add(one.told()));
        } finally {
            lock.unlock();
        }
        long highest = mark.current();
        told.forEach(one -> Isolated.run("Telling that names are given up", () -> one.accept(highest)));
    }
}
