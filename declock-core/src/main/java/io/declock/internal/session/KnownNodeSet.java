// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import io.declock.MemoryNodeAddress;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.JoinReply;
import io.declock.spi.NodeList;
import io.declock.spi.NodeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The set of memory nodes of this process (rule C11). It is known as soon as one memory node has told what its members declared, or as
 * soon as every configured memory node was joined. After that only a {@link NodeList} changes it (rule M6), which any memory node tells.
 * Thread-safe.
 */
public final class KnownNodeSet {
    private final int configured;
    private final Consumer<NodeList> whenNewer;
    private final AtomicReference<NodeSet> set = new AtomicReference<>(NodeSet.NONE);
    private final AtomicReference<NodeList> list = new AtomicReference<>(NodeList.NONE);
    private volatile long used;

    /**
     * Makes the set of a process that is told of no lists, not known yet.
     *
     * @param configured number of memory nodes that the process is configured with
     */
    public KnownNodeSet(int configured) {
        this(configured, newer -> {});
    }

    /**
     * Makes the set of a process, not known yet.
     *
     * @param configured number of memory nodes that the process is configured with
     * @param whenNewer receives each list that is newer than the last one
     */
    public KnownNodeSet(int configured, Consumer<NodeList> whenNewer) {
        this.configured = configured;
        this.whenNewer = whenNewer;
    }

    /** Returns the set, {@link NodeSet#NONE} while it is not known. */
    public NodeSet get() {
        return set.get();
    }

    /** Sets the set unless it is known already. */
    public void learn(NodeSet learnt) {
        set.compareAndSet(NodeSet.NONE, learnt);
    }

    /** Returns the newest list that a memory node told, {@link NodeList#NONE} if none told one. */
    public NodeList list() {
        return list.get();
    }

    /** Learns a list, which is used once {@link #use} is called. */
    public void learn(NodeList told) {
        NodeList before = list.getAndUpdate(known -> told.number() > known.number() ? told : known);
        if (told.number() > before.number()) {
            whenNewer.accept(told);
        }
    }

    /** Names are mapped by a list from now on. */
    public void use(NodeList mapped) {
        set.set(mapped.set());
        used = mapped.number();
    }

    /** Returns the number of the list by which names are mapped, 0 if that is none. */
    public long used() {
        return used;
    }

    /**
     * Learns the set from a memory node's answer to a join request.
     *
     * @return why the process must not stay joined to this memory node, or null
     */
    FabricException.@Nullable Refused learn(MemoryNodeAddress address, JoinReply joined) {
        NodeList newest = joined.nodes().list();
        String id = joined.memoryNodeId();
        if (!newest.isNone()) {
            learn(newest);
            return null;
        }
        NodeList known = list();
        if (known.isNone()) {
            return learnDeclared(address, joined);
        }
        // A memory node that has not heard of the list yet is told when this process declares it.
        return known.node(id).isPresent() || known.changed().id().equals(id) ? null : stranger(address, id);
    }

    private FabricException.@Nullable Refused learnDeclared(MemoryNodeAddress address, JoinReply joined) {
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
            return stranger(address, id);
        }
        return null;
    }

    private static FabricException.Refused stranger(MemoryNodeAddress address, String id) {
        return refused(address + " calls itself memory node '" + id
                + "', which is not among the memory nodes that the other processes use. Give the memory node its id"
                + " back (declock.memory-node.id), or restart every service that uses it");
    }

    private static FabricException.Refused refused(String message) {
        return new FabricException.Refused(Reason.BAD_NODE_SET, message);
    }
}
