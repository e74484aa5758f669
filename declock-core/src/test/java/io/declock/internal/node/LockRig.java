// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.MemoryNodeAddress;
import io.declock.TcpFabricSettings;
import io.declock.internal.inprocess.InProcessFabric;
import io.declock.internal.local.LocalLock;
import io.declock.internal.memorynode.MemberList;
import io.declock.internal.memorynode.MembersInMemory;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.memorynode.Term;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.tcp.client.TcpFabric;
import io.declock.internal.tcp.server.MemoryNodeServer;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.internal.time.RandomSource;
import io.declock.internal.time.TimerService;
import io.declock.spi.Fabric;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A memory node in this process, in the machine's time, and the compute nodes that use it: within the process, or over TCP if it has a server.
 * Closing closes all of them. For one thread.
 */
public final class LockRig implements AutoCloseable {
    /** Randomness for a compute node whose time a test replaces. */
    static final RandomSource RANDOM = () -> ThreadLocalRandom.current().nextLong();

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
    private final Map<ComputeNode, NodeCounters> nodes = new LinkedHashMap<>();
    private final Consumer<MemoryNodeSettings.Builder> more;
    private final MembersInMemory members = new MembersInMemory();
    private MemoryNode memoryNode;
    private @Nullable MemoryNodeServer server;

    private LockRig(Consumer<MemoryNodeSettings.Builder> more, boolean overTcp) throws IOException {
        this.more = more;
        memoryNode = memoryNode(MemberList.NONE);
        server = overTcp ? serve(0) : null;
    }

    private MemoryNode memoryNode(MemberList list) {
        MemoryNodeSettings.Builder settings =
                MemoryNodeSettings.builder("mn").records(100).queueCapacity(8).waitOutOldSessions(false);
        more.accept(settings);
        return MemoryNode.create(settings.build(), System::nanoTime, timer(), RANDOM, null, list, Term.UNLIMITED);
    }

    private MemoryNodeServer serve(int port) throws IOException {
        return MemoryNodeServer.start(
                memoryNode,
                MemoryNodeServerSettings.builder().host("127.0.0.1").port(port).build());
    }

    /** As {@link #overTcp}, with a list of the memory node's members, by which its next life restores their holds. */
    static LockRig restartable(Consumer<MemoryNodeSettings.Builder> more) throws IOException {
        LockRig rig = new LockRig(more, true);
        rig.members.complete();
        rig.restartMemoryNode();
        return rig;
    }

    /** The memory node of a {@linkplain #restartable restartable} rig dies, and starts again at the same port. */
    void restartMemoryNode() throws IOException {
        int port = port();
        stopMemoryNode();
        memoryNode = memoryNode(members.nextLife());
        server = serve(port);
    }

    /** Starts a memory node of 100 records for users in this process. */
    public static LockRig inProcess() throws IOException {
        return inProcess(settings -> {});
    }

    /** The same, after something was done to the memory node's settings. */
    static LockRig inProcess(Consumer<MemoryNodeSettings.Builder> more) throws IOException {
        return new LockRig(more, false);
    }

    /** Starts a memory node of 100 records with a server, after something was done to its settings. */
    static LockRig overTcp(Consumer<MemoryNodeSettings.Builder> more) throws IOException {
        return new LockRig(more, true);
    }

    /** Starts a compute node, and waits until it has joined. */
    public ComputeNode join() throws InterruptedException {
        return join(builder -> {});
    }

    /** The same, after something more was done to the compute node's builder. */
    ComputeNode join(Consumer<ComputeNode.Builder> more) throws InterruptedException {
        return server == null ? ready(node(UnaryOperator.identity(), more)) : joinBy(server.port(), more);
    }

    /** Starts a compute node that reaches the server by another port of this machine, and waits until it has joined. */
    ComputeNode joinBy(int port, Consumer<ComputeNode.Builder> more) throws InterruptedException {
        NodeCounters counters = new NodeCounters();
        Fabric fabric = TcpFabric.open(TcpFabricSettings.DEFAULTS, counters);
        return ready(node(MemoryNodeAddress.parse("tcp://127.0.0.1:" + port), fabric, counters, more));
    }

    /** Makes a compute node in this process that does not join before it is started, with a fabric in front of the real one. */
    ComputeNode node(UnaryOperator<Fabric> inFront, Consumer<ComputeNode.Builder> more) {
        NodeCounters counters = new NodeCounters();
        InProcessFabric fabric = InProcessFabric.open(memoryNode, counters);
        return node(fabric.address(), inFront.apply(fabric), counters, more);
    }

    private ComputeNode node(
            MemoryNodeAddress address, Fabric fabric, NodeCounters counters, Consumer<ComputeNode.Builder> more) {
        ComputeNode.Builder builder = ComputeNode.builder()
                .memoryNodes(List.of(address))
                .fabric(fabric)
                .counters(counters);
        more.accept(builder);
        ComputeNode node = builder.build();
        nodes.put(node, counters);
        return node;
    }

    /** Starts a compute node that was made by this rig, and waits until it has joined. */
    ComputeNode ready(ComputeNode node) throws InterruptedException {
        node.start();
        assertThat(node.awaitReady(PATIENCE))
                .as(() -> "joined: " + node.monitor().memoryNodes())
                .isTrue();
        return node;
    }

    /** Returns the compute nodes in the order in which they were made. */
    List<ComputeNode> nodes() {
        return List.copyOf(nodes.keySet());
    }

    NodeCounters counters(ComputeNode node) {
        return nodes.get(node);
    }

    /** Returns a compute node's lock of that name, or null if the node does not know it. */
    static @Nullable LocalLock lock(ComputeNode node, String name) {
        for (LocalLock lock : node.locks()) {
            if (lock.name().equals(name)) {
                return lock;
            }
        }
        return null;
    }

    MemoryNode memoryNode() {
        return memoryNode;
    }

    /** Returns the port of the server. */
    int port() {
        assertThat(server).as("a rig over TCP").isNotNull();
        return server.port();
    }

    /** Returns the timer of the memory node, in the machine's time. */
    TimerService timer() {
        return (delay, task) -> executor.schedule(task, delay, TimeUnit.NANOSECONDS);
    }

    /** The memory node dies; its users live on. */
    void stopMemoryNode() {
        if (server != null) {
            server.close();
        }
        memoryNode.close();
    }

    @Override
    public void close() {
        nodes.keySet().forEach(ComputeNode::close);
        stopMemoryNode();
        executor.shutdownNow();
    }
}
