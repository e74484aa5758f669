// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.internal.local.LocalLock;
import io.declock.internal.session.KnownNodeSet;
import io.declock.internal.session.MemoryNodeLink;
import io.declock.internal.session.NodeSession;
import io.declock.spi.NodeList;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the lists of memory nodes that replace one another: adds links to memory nodes that are new, goes over from list to list, one
 * {@link Relocation} at a time, and drops links to memory nodes that are not on the last list. Thread-safe.
 */
final class NodeListFollower {
    private static final Logger log = LoggerFactory.getLogger(NodeListFollower.class);

    private final MemoryNodeLinks links;
    private final ConfiguredNodes configured;
    private final KnownNodeSet nodeSet;
    private final Binder binder;
    private final LockTable table;
    private final NodeRuntime runtime;
    private final long patienceNanos;
    private final ReentrantLock relocating = new ReentrantLock();

    @GuardedBy("relocating")
    private @Nullable Relocation relocation;

    @GuardedBy("relocating")
    private boolean isStarted;

    /**
     * Makes one that follows what it {@linkplain #learnt learns}.
     *
     * @param links those to the configured memory nodes
     * @param nodeSet knows the newest list
     * @param binder maps names by each list that is gone over to
     * @param table the locks, some of which move
     * @param patienceNanos how long a relocation waits for sessions, and for holds to be restored
     */
    NodeListFollower(
            MemoryNodeLinks links,
            KnownNodeSet nodeSet,
            Binder binder,
            LockTable table,
            NodeRuntime runtime,
            long patienceNanos) {
        this.links = links;
        this.configured = new ConfiguredNodes(links.all());
        this.nodeSet = nodeSet;
        this.binder = binder;
        this.table = table;
        this.runtime = runtime;
        this.patienceNanos = patienceNanos;
    }

    /** Starts every link. Those that are added from now on are started at once. */
    void start() {
        relocating.lock();
        try {
            isStarted = true;
        } finally {
            relocating.unlock();
        }
        links.all().forEach(MemoryNodeLink::start);
    }

    /** The process leaves: nothing more is done by a list. */
    void stop() {
        Relocation present = relocation();
        if (present != null) {
            present.stop();
        }
    }

    // ---------------------------------------------------------------- going over to a list

    /** A memory node has told a newer list. Another one that is being gone over to comes first, except at the start of this process. */
    void learnt(NodeList list) {
        List<MemoryNodeLink> added;
        Relocation next = null;
        relocating.lock();
        try {
            added = addLinks(list);
            Relocation present = relocation;
            if (present == null || present.isFirst()) {
                next = relocationTo(list, !binder.isMapping() || present != null);
                relocation = next;
            }
            if (present != null && next != null) {
                present.stop();
            }
        } finally {
            relocating.unlock();
        }
        configured.compare(list, false);
        added.forEach(MemoryNodeLink::start);
        if (next != null) {
            next.start();
        }
    }

    private Relocation relocationTo(NodeList list, boolean isFirst) {
        return new Relocation(list, isFirst, new Nodes(), runtime, patienceNanos, this::settled);
    }

    private @Nullable Relocation relocation() {
        relocating.lock();
        try {
            return relocation;
        } finally {
            relocating.unlock();
        }
    }

    /** Adds the links to memory nodes that have none, and returns those that must be started. */
    @GuardedBy("relocating")
    private List<MemoryNodeLink> addLinks(NodeList list) {
        List<NodeList.Node> all = new ArrayList<>(list.nodes());
        if (!list.added()) {
            // It has names to give up.
            all.add(list.changed());
        }
        List<MemoryNodeLink> added = new ArrayList<>();
        for (NodeList.Node node : all) {
            links.all().stream()
                    .filter(link -> link.address().toString().equals(node.address()))
                    .forEach(link -> link.expect(node.id()));
            MemoryNodeLink fresh = links.linkTo(node.id()) == null ? addLink(node) : null;
            if (fresh != null) {
                added.add(fresh);
            }
        }
        return isStarted ? added : List.of();
    }

    private @Nullable MemoryNodeLink addLink(NodeList.Node node) {
        try {
            return links.add(node);
        } catch (IllegalArgumentException e) {
            log.error("Locks of memory node {} cannot be acquired: its address cannot be used here", node.id(), e);
            return null;
        }
    }

    /** A session with a memory node began. */
    void joined(MemoryNodeLink link, NodeSession session) {
        dropOther(link);
        Relocation present = relocation();
        NodeList list = nodeSet.list();
        configured.compare(list, false);
        if (present != null) {
            present.sessionsChanged();
        } else if (!list.isNone()) {
            if (session.declaredList() < list.number()
                    || !session.joined().nodes().awaited().isEmpty()) {
                goOverAgain(list);
            }
            dropUnused(list);
        }
    }

    /** A memory node does not have the list, or has started again before it had taken all names over and has forgotten the words that it had heard. */
    private void goOverAgain(NodeList list) {
        Relocation again;
        relocating.lock();
        try {
            if (relocation != null) {
                return;
            }
            again = relocationTo(list, true);
            relocation = again;
        } finally {
            relocating.unlock();
        }
        again.start();
    }

    /** Everything by a list is done. */
    private void settled(Relocation done) {
        NodeList newest = nodeSet.list();
        Relocation next = null;
        relocating.lock();
        try {
            if (relocation != done) {
                return;
            }
            if (done.list().number() < newest.number()) {
                next = relocationTo(newest, false);
            }
            relocation = next;
        } finally {
            relocating.unlock();
        }
        if (next != null) {
            next.start();
        }
        configured.compare(newest, next == null);
        dropUnused(newest);
    }

    // ---------------------------------------------------------------- links that are not used any more

    /** A memory node that was configured by another address than that of the list has two links: the second one is dropped. */
    private void dropOther(MemoryNodeLink joined) {
        MemoryNodeLink first = links.linkTo(joined.memoryNodeId());
        if (first != null && first != joined && !nodeSet.list().isNone()) {
            drop(joined);
        }
    }

    /** Drops the links to memory nodes that are not on the list, once every one that is has been joined. */
    private void dropUnused(NodeList list) {
        if (relocation() != null || !list.nodes().stream().allMatch(node -> links.isJoined(node.id()))) {
            return;
        }
        for (MemoryNodeLink link : links.all()) {
            if (list.node(link.memoryNodeId()).isEmpty()) {
                log.info(
                        "Memory node {} ({}) is not on {} any more: leaving it",
                        link.memoryNodeId(),
                        link.address(),
                        list.describe());
                drop(link);
            }
        }
    }

    private void drop(MemoryNodeLink link) {
        links.remove(link);
        link.stop(true);
        runtime.waiting().signal();
    }

    /** What a relocation needs of the compute node. */
    private final class Nodes implements Relocation.Nodes {
        @Override
        public @Nullable MemoryNodeLink linkTo(String id) {
            return links.linkTo(id);
        }

        @Override
        public List<NodeSession> sessions() {
            return links.sessions();
        }

        @Override
        public Iterable<LocalLock> locks() {
            return table.all();
        }

        @Override
        public String fullName(String name) {
            return binder.fullName(name);
        }

        @Override
        public @Nullable NodeSession homeSession(String name) {
            return binder.homeSession(name);
        }

        @Override
        public void map(NodeList list, Runnable then) {
            nodeSet.use(list);
            binder.map(list, then);
        }

        @Override
        public void retryUnbound() {
            binder.retryUnbound();
        }
    }
}
