// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.spi.NodeList;
import io.declock.spi.NodeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The set of memory nodes by which names are mapped, and the number of locks whose request is being sent, or whose answer is being used, by it. When
 * another one replaces it, no lock is looked up or bound by it any more once all those have ended (rule M6). Thread-safe.
 */
final class Mapping {
    private final NodeSet set;
    private final NodeSet former;
    private final long list;
    private final AtomicInteger binding = new AtomicInteger();
    private final AtomicReference<@Nullable Runnable> whenQuiet = new AtomicReference<>();

    /** Makes the first one. */
    Mapping(NodeSet set) {
        this(set, NodeSet.NONE, 0);
    }

    /** Makes that of a list. */
    Mapping(NodeList list) {
        this(list.set(), list.former(), list.number());
    }

    private Mapping(NodeSet set, NodeSet former, long list) {
        this.set = set;
        this.former = former;
        this.list = list;
    }

    /**
     * Returns whether a name may be looked up at its memory node: where it belonged before, or where the memory node has the list, too, and so
     * knows that another one may not have given the name up yet.
     *
     * @param declaredList number of the list that this process uses there
     */
    boolean mayAsk(String fullName, long declaredList) {
        return declaredList >= list || former.homeOf(NodeSet.hash(fullName)) == homeOf(fullName);
    }

    /** Returns the hash of the id of the memory node that a name with its namespace belongs to. */
    long homeOf(String fullName) {
        return set.size() == 1 ? set.hashes()[0] : set.homeOf(NodeSet.hash(fullName));
    }

    /** Returns whether a lock that was looked up by another mapping may be bound by this one. */
    boolean is(Mapping askedBy) {
        return askedBy == this;
    }

    /** A lock is about to be looked up or bound; {@link #end} must follow. */
    void begin() {
        binding.getAndIncrement();
    }

    /** Its request was sent, or its answer was used. */
    void end() {
        if (binding.decrementAndGet() == 0) {
            runIfQuiet();
        }
    }

    /** Nothing begins any more, because it was replaced; runs an action once nothing is under way. */
    void replaced(Runnable quiet) {
        whenQuiet.set(quiet);
        runIfQuiet();
    }

    private boolean isQuiet() {
        return binding.get() == 0;
    }

    private void runIfQuiet() {
        if (isQuiet()) {
            Runnable quiet = whenQuiet.getAndSet(null);
            if (quiet != null) {
                quiet.run();
            }
        }
    }
}
