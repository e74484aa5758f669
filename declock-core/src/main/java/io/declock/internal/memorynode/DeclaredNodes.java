// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.JoinRequest;
import io.declock.spi.NodeList;
import io.declock.spi.NodeSet;
import org.jspecify.annotations.Nullable;

/**
 * Which memory nodes the compute nodes here use: each session declares a set, or that it uses a list, and this memory node agrees to one set
 * at a time, in which it is itself (rules C11 and M3 of docs/protocol.md). What a session has declared lies in that session.
 *
 * <p>Guarded by the session table's lock, so that two sessions cannot declare different sets at a time; {@link #set} and
 * {@link #oneThatKnowsNoLists} may be asked without it.
 */
final class DeclaredNodes {
    private final MemoryNodeSettings settings;
    private final CurrentList list;
    private final JoinedSessions sessions;

    DeclaredNodes(MemoryNodeSettings settings, CurrentList list, JoinedSessions sessions) {
        this.settings = settings;
        this.list = list;
        this.sessions = sessions;
    }

    /** Returns the memory nodes that are used together, as configured here or as declared by a session other than one. */
    NodeSet set(@Nullable MemoryNodeSession except) {
        NodeSet known = list.list().isNone() ? settings.nodeSet() : list.set();
        for (MemoryNodeSession session : sessions.snapshot()) {
            if (known.isNone() && session != except) {
                known = session.nodeSet();
            }
        }
        return known;
    }

    /**
     * Returns the set with which a compute node joins.
     *
     * @param earlier the session of its process that it replaces, or null
     * @throws FabricException.Refused if other compute nodes use another one
     */
    NodeSet joining(JoinRequest request, boolean knowsLists, @Nullable MemoryNodeSession earlier)
            throws FabricException.Refused {
        NodeSet declared = request.nodeSet();
        boolean isReplaced = knowsLists && isReplaced(declared);
        // A compute node that took this memory node for another one notices that itself (rule C8).
        NodeSet set = declared.contains(settings.id()) && !isReplaced ? declared : NodeSet.NONE;
        check(earlier, set);
        return set;
    }

    /** Returns the number of the list that a compute node uses which joins with a set. It holds nothing yet, and is told of the list. */
    static long joiningList(NodeSet set, boolean knowsLists, NodeList told) {
        return knowsLists || set.equals(told.set()) ? told.number() : 0;
    }

    /**
     * A compute node declares the memory nodes that it uses.
     *
     * @throws FabricException.Refused if other compute nodes use another set
     */
    void declareSet(MemoryNodeSession session, NodeSet set) throws FabricException.Refused {
        if (session.knowsLists() && isReplaced(set)) {
            // It has been told of the list meanwhile, and declares it once it has moved its locks.
            return;
        }
        check(session, set);
        session.nodeSet(set);
        if (set.equals(list.set())) {
            session.declaredList = list.list().number();
        }
    }

    private boolean isReplaced(NodeSet set) {
        return !list.list().isNone() && !set.equals(list.set());
    }

    private void check(@Nullable MemoryNodeSession asking, NodeSet set) throws FabricException.Refused {
        if (set.isNone()) {
            return;
        }
        NodeSet known = set(asking);
        if (!known.isNone() && !known.equals(set)) {
            throw new FabricException.Refused(
                    Reason.BAD_NODE_SET,
                    "memory node " + settings.id()
                            + " belongs to another set of memory nodes than this process is configured with; every"
                            + " process must list the same memory nodes");
        }
        if (!set.contains(settings.id())) {
            throw new FabricException.Refused(
                    Reason.BAD_NODE_SET,
                    "memory node " + settings.id()
                            + " is not among the memory nodes that this process uses; give the memory node the id"
                            + " back that it had (declock.memory-node.id), or restart every service that uses it");
        }
    }

    /** A compute node uses a list of memory nodes. */
    void declareList(MemoryNodeSession session, long number) {
        session.declaredList = Math.max(session.declaredList, number);
    }

    /** Returns how many sessions have not declared a list of memory nodes. */
    int undeclared(long number) {
        int count = 0;
        for (MemoryNodeSession session : sessions.snapshot()) {
            count += session.declaredList < number ? 1 : 0;
        }
        return count;
    }

    /** Returns a compute node that knows no lists of memory nodes, or an empty text. */
    String oneThatKnowsNoLists() {
        for (MemoryNodeSession session : sessions.snapshot()) {
            if (!session.knowsLists()) {
                return session.describe();
            }
        }
        return "";
    }
}
