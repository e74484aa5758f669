// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.internal.memorynode.MemoryNode;
import io.declock.spi.NodeList;
import io.declock.spi.NodeListState;
import io.declock.spi.PeerMessage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The memory node, the compute nodes, and the network between the compute nodes. */
final class SimulatedCluster {
    /** Bytes of a message between compute nodes on the way. */
    private static final long MESSAGE_BYTES = 64;

    private final SimulatedWorld world;
    private final SimulationOptions options;
    private final List<SimulatedMemoryNode> memoryNodes = new ArrayList<>();
    private final List<SimulatedComputeNode> nodes = new ArrayList<>();
    private final Map<String, SimulatedComputeNode> byAddress = new LinkedHashMap<>();
    private final Map<String, PeerCut> peerCuts = new HashMap<>();
    private SessionObserver observer = SessionObserver.NONE;
    private LockSystem.HandOver handOver = LockSystem.HandOver.BY_TIMESTAMPS;
    private long keys;
    private NodeList list = NodeList.NONE;
    private Consumer<SimulatedComputeNode> closingCheck = node -> {};
    private boolean lossless;
    private boolean namesKnown;

    SimulatedCluster(SimulatedWorld world, SimulationOptions options, WatchedRegion.Observer observer) {
        this.world = world;
        this.options = options;
        for (int i = 0; i < options.wiring().memoryNodes(); i++) {
            memoryNodes.add(new SimulatedMemoryNode(this, "mn" + i, observer));
        }
    }

    SimulatedWorld world() {
        return world;
    }

    SimulationOptions options() {
        return options;
    }

    /** Returns the first memory node. */
    SimulatedMemoryNode memoryNode() {
        return memoryNodes.get(0);
    }

    List<SimulatedMemoryNode> memoryNodes() {
        return memoryNodes;
    }

    /** Returns one of the memory nodes. */
    SimulatedMemoryNode someMemoryNode() {
        return memoryNodes.size() == 1 ? memoryNodes.get(0) : memoryNodes.get((int) world.below(memoryNodes.size()));
    }

    /** Returns the newest list of memory nodes. */
    NodeList list() {
        return list;
    }

    /** A list was published. */
    void list(NodeList newest) {
        list = newest;
        memoryNodes.forEach(memoryNode -> memoryNode.life().listChanges(newest));
    }

    /** Returns how far a memory node is with its list. */
    NodeListState listAt(MemoryNode node) {
        return options.wiring().listChanges() > 0 ? node.nodeLists().state() : NodeListState.NONE;
    }

    /** Returns another number with each call. */
    long nextKey() {
        return ++keys;
    }

    /** Returns every compute node ever started. */
    List<SimulatedComputeNode> nodes() {
        return nodes;
    }

    /** Starts a process at an address; it replaces one that died there. */
    SimulatedComputeNode start(String name, String address) {
        int drift = options.faults().driftPpm();
        int slowness = nodes.size() < options.faults().slowNodes() ? world.between(3, 20) : 1;
        SimulatedComputeNode node =
                new SimulatedComputeNode(this, name, address, drift == 0 ? 0 : world.between(-drift, drift), slowness);
        nodes.add(node);
        byAddress.put(address, node);
        node.start();
        return node;
    }

    /** Sets a check of processes that close, which runs when all their callers must have been told. */
    void checkClosing(Consumer<SimulatedComputeNode> check) {
        closingCheck = check;
    }

    void isClosing(SimulatedComputeNode node) {
        closingCheck.accept(node);
    }

    /** Sets the observer of sessions. */
    void observeSessions(SessionObserver by) {
        observer = by;
    }

    SessionObserver observer() {
        return observer;
    }

    /** Sets to which waiter the compute nodes that start from now on hand a lock over. */
    void handsOver(LockSystem.HandOver to) {
        handOver = to;
    }

    LockSystem.HandOver handOver() {
        return handOver;
    }

    /** Kills a process; its connections break with it. */
    void killAndCut(SimulatedComputeNode node) {
        world.note(() -> node + " dies, and its connections with it");
        node.die();
        node.sessions().forEach(session -> session.disconnectedAt(world.now()));
    }

    /** Kills a process; its connections may break at once, or stay silent. */
    void kill(SimulatedComputeNode node) {
        world.note(() -> node + " dies");
        node.die();
        node.sessions().forEach(session -> {
            if (world.chance(0.5)) {
                session.disconnectedAt(node.toMemoryNode());
            }
        });
    }

    /** From now on, looking up a name takes no time, as if every process had looked it up before. */
    void knowNames() {
        namesKnown = true;
    }

    boolean namesKnown() {
        return namesKnown;
    }

    /** From now on every message between compute nodes arrives. */
    void stopLosing() {
        lossless = true;
    }

    // ---------------------------------------------------------------- messages

    /** The route of a message from one compute node to another. */
    enum Way {
        /** Directly. */
        DIRECT,
        /** The message is lost, and the sender does not know it. */
        SILENT,
        /** Through the memory node, because the sender knows that the direct connection is cut. */
        RELAYED
    }

    private record PeerCut(long noticed, long until) {}

    /** Messages from one address to another do not arrive until an instant; the sender relays once it has noticed. */
    void cutPeers(String from, String to, long noticed, long until) {
        peerCuts.put(from + ' ' + to, new PeerCut(noticed, until));
    }

    Way way(String from, String to) {
        PeerCut cut = peerCuts.isEmpty() ? null : peerCuts.get(from + ' ' + to);
        if (cut == null || world.now() >= cut.until) {
            return Way.DIRECT;
        }
        return world.now() < cut.noticed ? Way.SILENT : Way.RELAYED;
    }

    void deliverLater(SimulatedComputeNode from, String address, PeerMessage message, long stall) {
        world.when(from.running().sent(world.now()), from, () -> leaves(from, address, message, stall));
    }

    private void leaves(SimulatedComputeNode from, String address, PeerMessage message, long stall) {
        SimulationOptions.Network network = options.network();
        long left = from.nic().messageSent(MESSAGE_BYTES, world.now()) - world.now();
        if (!lossless && world.chance(network.loss())) {
            world.note(() -> from + " loses " + message);
            return;
        }
        deliver(from.slowness(), address, message, stall + left);
        if (world.chance(network.duplication())) {
            deliver(from.slowness(), address, message, stall + left);
        }
    }

    void deliverRelayed(String address, PeerMessage message) {
        deliver(1, address, message, 0);
    }

    private void deliver(int slowness, String address, PeerMessage message, long stall) {
        SimulationOptions.Network network = options.network();
        long time = network.peerOneWay() + world.exponential(network.jitter());
        if (world.chance(network.spikeChance())) {
            time += world.exponential(4 * network.spike());
        }
        world.after(stall + time * slowness, null, () -> {
            SimulatedComputeNode to = byAddress.get(address);
            if (to != null && to.isAlive()) {
                SimulatedCore core = to.receiving();
                long received = to.nic().messageReceived(MESSAGE_BYTES, world.now());
                world.at(core.received(received), to, () -> {
                    to.runsOn(core);
                    world.note(() -> to + " receives " + message);
                    world.trace().mix(message.kind().code() * 31L + message.index());
                    to.receive(message);
                });
            }
        });
    }
}
