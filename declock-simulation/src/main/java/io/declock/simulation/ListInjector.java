// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.internal.memorynode.MemoryNodeSession;
import io.declock.internal.memorynode.NodeLists;
import io.declock.spi.FabricException;
import io.declock.spi.JoinRequest;
import io.declock.spi.NodeList;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Changes the list of memory nodes as the program of a memory node does: all of them agree, and then each gets the list. */
final class ListInjector {
    private final SimulatedCluster cluster;
    private final SimulatedWorld world;
    private long publishers = 1L << 32;

    ListInjector(SimulatedCluster cluster) {
        this.cluster = cluster;
        this.world = cluster.world();
    }

    /** Adds a memory node, or removes one, unless a memory node does not agree. */
    void change() {
        NodeList next = next();
        Map<MemoryNodeLife, MemoryNodeSession> sessions = new LinkedHashMap<>();
        try {
            for (SimulatedMemoryNode memoryNode : cluster.memoryNodes()) {
                boolean concerned = next.node(memoryNode.toString()).isPresent()
                        || next.changed().id().equals(memoryNode.toString());
                if (concerned) {
                    agree(memoryNode, next, sessions);
                }
            }
        } catch (FabricException.Refused e) {
            world.note(() -> "list " + next.number() + " is not published: " + e.getMessage());
            sessions.values().forEach(session -> session.leave(() -> {}));
            return;
        }
        publish(next, sessions);
    }

    private void agree(SimulatedMemoryNode memoryNode, NodeList next, Map<MemoryNodeLife, MemoryNodeSession> sessions)
            throws FabricException.Refused {
        if (!memoryNode.isUp()) {
            throw new FabricException.Refused(FabricException.Reason.NOT_YET, memoryNode + " is down");
        }
        MemoryNodeLife life = memoryNode.life();
        MemoryNodeSession session = life.node().join(publisher(), SimulatedJoin.NOBODY);
        sessions.put(life, session);
        life.node().nodeLists().propose(session, next);
    }

    private JoinRequest publisher() {
        long lease = MemoryNodeClock.paced(cluster.options().cluster().lease());
        return new JoinRequest(++publishers, 1, "publisher", "", 0, lease);
    }

    /** A list may be on a disk although the memory node died before it could say so. */
    private NodeList newest() {
        for (SimulatedMemoryNode memoryNode : cluster.memoryNodes()) {
            NodeList known = memoryNode.life().node().nodeLists().list();
            if (known.number() > cluster.list().number()) {
                cluster.list(known);
            }
        }
        return cluster.list();
    }

    private NodeList next() {
        NodeList last = newest();
        List<NodeList.Node> listed = new ArrayList<>(last.nodes());
        List<NodeList.Node> others = new ArrayList<>();
        for (int i = 0; i < cluster.memoryNodes().size(); i++) {
            NodeList.Node node = new NodeList.Node("mn" + i, "sim://mn:" + (1 + i));
            if (last.isNone() && i < cluster.options().wiring().configured()) {
                listed.add(node);
            } else if (!listed.contains(node)) {
                others.add(node);
            }
        }
        boolean adds = listed.size() == 1 || !others.isEmpty() && world.chance(0.6);
        List<NodeList.Node> from = adds ? others : listed;
        NodeList.Node changed = from.get((int) world.below(from.size()));
        if (adds) {
            listed.add(changed);
        } else {
            listed.remove(changed);
        }
        return new NodeList(last.number() + 1, listed, changed, adds);
    }

    /** The first one that takes it makes it the newest; the others get it at other times, or learn of it from compute nodes. */
    private void publish(NodeList next, Map<MemoryNodeLife, MemoryNodeSession> sessions) {
        long most = cluster.options().cluster().lease() / 4;
        List<MemoryNodeLife> all = new ArrayList<>(sessions.keySet());
        MemoryNodeLife first = all.get((int) world.below(all.size()));
        declare(first, sessions.get(first), next, () -> {
            world.note(() -> next.describe()
                    + (next.added() ? ", new is " : ", without ")
                    + next.changed().id());
            cluster.list(next);
            all.stream().filter(life -> life != first).forEach(life -> {
                boolean forgets = world.chance(0.1);
                if (!forgets) {
                    world.after(
                            world.below(most), life.place(), () -> declare(life, sessions.get(life), next, () -> {}));
                }
            });
        });
        world.after(
                most,
                null,
                () -> sessions.forEach((life, session) -> {
                    if (life.place().isAlive()) {
                        session.leave(() -> {});
                    }
                }));
    }

    private void declare(MemoryNodeLife life, @Nullable MemoryNodeSession session, NodeList next, Runnable then) {
        if (session != null && life.place().isAlive() && !session.isCut()) {
            NodeLists.Answer<NodeList> answer = new NodeLists.Answer<>(
                    taken -> then.run(),
                    why -> world.note(() -> "list " + next.number() + " is not taken: " + why.getMessage()));
            life.node().nodeLists().declare(session, next, answer);
        }
    }
}
