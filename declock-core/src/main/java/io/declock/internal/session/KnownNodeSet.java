// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import io.declock.MemoryNodeAddress;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.JoinReply;
import io.declock.spi.NodeSet;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The set of memory nodes of this process (rule C11). It is known as soon as one memory node has told what its members declared, or as
 * soon as every configured memory node was joined; it does not change after that. Thread-safe.
 */
public final class KnownNodeSet {
    private final int configured;
    private final AtomicReference<NodeSet> set = new AtomicReference<>(NodeSet.NONE);

    /**
     * Makes the set of a process, not known yet.
     *
     * @param configured number of memory nodes that the process is configured with
     */
    public KnownNodeSet(int configured) {
        this.configured = configured;
    }

    /** Returns the set, {@link NodeSet#NONE} while it is not known. */
    public NodeSet get() {
        return set.get();
    }

    /** Sets the set unless it is known already. */
    public void learn(NodeSet learnt) {
        set.compareAndSet(NodeSet.NONE, learnt);
    }

    /**
     * Learns the set from a memory node's answer to a join request.
     *
     * @return why the process must not stay joined to this memory node, or null
     */
    FabricException.@Nullable Refused learn(MemoryNodeAddress address, JoinReply joined) {
        NodeSet told = joined.nodeSet();
        String id = joined.memoryNodeId();
        if (!told.isNone() && told.size() != configured) {
            return refused("memory node '" + id + "' (" + address + ") is one of " + told.size()
                    + " memory nodes that are used together, and this process is configured with " + configured
                    + "; every process must list the same memory nodes");
        }
        if (told.contains(id)) {
            learn(told);
        }
        NodeSet known = get();
        if (!known.isNone() && !told.isNone() && !told.equals(known)) {
            return refused("memory node '" + id + "' (" + address
                    + ") belongs to another set of memory nodes than those that this process joined before; every"
                    + " process must list the same memory nodes");
        }
        if (!known.isNone() && !known.contains(id) || !told.isNone() && !told.contains(id)) {
            return refused(address + " calls itself memory node '" + id
                    + "', which is not among the memory nodes that the other processes use. Give the memory node its id"
                    + " back (declock.memory-node.id), or restart every service that uses it");
        }
        return null;
    }

    private static FabricException.Refused refused(String message) {
        return new FabricException.Refused(Reason.BAD_NODE_SET, message);
    }
}
