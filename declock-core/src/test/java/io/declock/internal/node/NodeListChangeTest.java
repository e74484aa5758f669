// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.declock.ComputeNodeSettings;
import io.declock.Counters;
import io.declock.LockHandle;
import io.declock.LockRequest;
import io.declock.MemoryNodeAddress;
import io.declock.MemoryNodeView;
import io.declock.internal.inprocess.InProcessFabric;
import io.declock.internal.memorynode.MembersInMemory;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.memorynode.Term;
import io.declock.internal.monitor.NodeCounters;
import io.declock.spi.Fabric;
import io.declock.spi.FabricException;
import io.declock.spi.FabricSession;
import io.declock.spi.JoinRequest;
import io.declock.spi.Membership;
import io.declock.spi.NodeList;
import io.declock.spi.NodeSet;
import io.declock.spi.PeerMessage;
import io.declock.spi.RecordingListener;
import io.declock.spi.SessionListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Memory nodes that are added and removed while compute nodes work (rules M1 to M6). */
@Tag("slow")
@Timeout(60)
class NodeListChangeTest {
    private static final Duration SECONDS = Duration.ofSeconds(10);
    /** Less than a lease. */
    private static final Duration AT_ONCE = ComputeNodeSettings.DEFAULTS.lease().dividedBy(3);

    private static final int NAMES = 60;

    private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(2);
    private final Map<String, MemoryNode> memoryNodes = new LinkedHashMap<>();
    private final List<ComputeNode> nodes = new ArrayList<>();
    private final Map<ComputeNode, NodeCounters> counted = new ConcurrentHashMap<>();

    private Duration longestLease = MemoryNodeSettings.LONGEST_LEASE;
    private int records = 5_000;

    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private final Logger ofConfiguredNodes = (Logger) LoggerFactory.getLogger(ConfiguredNodes.class);

    @BeforeEach
    void listen() {
        logged.start();
        ofConfiguredNodes.addAppender(logged);
    }

    /** Returns what was said of configurations that differ from a list. */
    private List<String> differences() {
        return List.copyOf(logged.list).stream()
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @AfterEach
    void stop() {
        ofConfiguredNodes.detachAppender(logged);
        nodes.forEach(ComputeNode::close);
        memoryNodes.values().forEach(MemoryNode::close);
        timer.shutdownNow();
    }

    private void serve(String... ids) {
        for (String id : ids) {
            memoryNodes.put(id, memoryNode(id, new MembersInMemory()));
        }
    }

    private MemoryNode memoryNode(String id, MembersInMemory members) {
        return MemoryNode.create(
                MemoryNodeSettings.builder(id)
                        .records(records)
                        .queueCapacity(8)
                        .maxLease(longestLease)
                        .waitOutOldSessions(false)
                        .build(),
                System::nanoTime,
                (delay, task) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong(),
                null,
                members.nextLife(),
                Term.UNLIMITED);
    }

    /** Reaches every memory node of this test, also those that are made later. */
    private final class AllInProcess implements Fabric {
        private final NodeCounters counters;
        private final Map<String, InProcessFabric> fabrics = new ConcurrentHashMap<>();
        private final Set<String> unreachable = ConcurrentHashMap.newKeySet();

        AllInProcess(NodeCounters counters) {
            this.counters = counters;
        }

        private InProcessFabric of(MemoryNodeAddress address) {
            String id = address.host();
            MemoryNode node = memoryNodes.get(id);
            return fabrics.computeIfAbsent(id, any -> InProcessFabric.open(node, counters));
        }

        @Override
        public boolean supports(MemoryNodeAddress address) {
            return address.toString().startsWith("inprocess://");
        }

        @Override
        public CompletionStage<FabricSession> join(
                MemoryNodeAddress address, JoinRequest request, SessionListener listener) {
            return unreachable.contains(address.host())
                    ? CompletableFuture.failedStage(new FabricException(address + " is out of reach"))
                    : of(address).join(address, request, new BreakingOff(listener));
        }

        void cut(String id) {
            unreachable.add(id);
            fabrics.get(id).close();
        }

        void heal(String id) {
            unreachable.remove(id);
        }

        @Override
        public String peerAddress() {
            return "";
        }

        @Override
        public void close() {
            fabrics.values().forEach(InProcessFabric::close);
        }
    }

    /** Tells the end of a session as a broken connection does: the memory node may have started again. */
    private record BreakingOff(SessionListener to) implements SessionListener {
        @Override
        public void membershipChanged(Membership membership) {
            to.membershipChanged(membership);
        }

        @Override
        public void peerMessage(PeerMessage message) {
            to.peerMessage(message);
        }

        @Override
        public void reclaimProposed(long round, long[] records) {
            to.reclaimProposed(round, records);
        }

        @Override
        public void nodesChanged(NodeList list) {
            to.nodesChanged(list);
        }

        @Override
        public void lost(FabricException cause) {
            to.brokenOff(cause);
        }
    }

    private static List<MemoryNodeAddress> addresses(String... ids) {
        return List.of(ids).stream()
                .map(id -> MemoryNodeAddress.parse("inprocess://" + id))
                .toList();
    }

    private ComputeNode ready(String... ids) throws InterruptedException {
        return ready(new AllInProcess(new NodeCounters()), ComputeNodeSettings.DEFAULTS, ids);
    }

    private ComputeNode ready(AllInProcess fabric, ComputeNodeSettings settings, String... ids)
            throws InterruptedException {
        NodeCounters counters = fabric.counters;
        ComputeNode node = ComputeNode.builder()
                .settings(settings)
                .counters(counters)
                .fabric(fabric)
                .memoryNodes(addresses(ids))
                .build();
        nodes.add(node);
        counted.put(node, counters);
        node.start();
        assertThat(node.awaitReady(SECONDS)).isTrue();
        return node;
    }

    private NodeListPublisher publisher(String... ids) throws Exception {
        NodeListPublisher publisher = new NodeListPublisher(
                new AllInProcess(new NodeCounters()),
                System::nanoTime,
                (delay, task) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
                ThreadLocalRandom.current().nextLong(),
                told -> {});
        publisher.join(addresses(ids));
        return publisher;
    }

    private void add(String id, String... to) throws Exception {
        try (NodeListPublisher publisher = publisher(to)) {
            publisher.add(addresses(id).get(0));
            assertThat(publisher.awaitMoved(SECONDS)).isEmpty();
        }
    }

    private void remove(String id, String... from) throws Exception {
        try (NodeListPublisher publisher = publisher(from)) {
            publisher.remove(id);
            assertThat(publisher.awaitMoved(SECONDS)).isEmpty();
        }
    }

    private CompletableFuture<LockHandle> later(ComputeNode node, String name) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return node.acquire(LockRequest.write(name));
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                },
                task -> new Thread(task).start());
    }

    private static List<String> names() {
        return IntStream.range(0, NAMES).mapToObj(i -> "name-" + i).toList();
    }

    private static Set<String> used(ComputeNode node) {
        return node.monitor().memoryNodes().stream().map(MemoryNodeView::id).collect(Collectors.toSet());
    }

    @Test
    void holdsAndWaitersMoveToAMemoryNodeThatIsAdded() throws Exception {
        serve("a", "b", "c");
        ComputeNode holder = ready("a", "b");
        ComputeNode other = ready("a", "b");
        Map<String, LockHandle> held = new LinkedHashMap<>();
        Map<String, CompletableFuture<LockHandle>> waiting = new LinkedHashMap<>();
        for (String name : names()) {
            held.put(name, holder.acquire(LockRequest.write(name)));
            waiting.put(name, later(other, name));
        }
        add("c", "a", "b");
        await().atMost(SECONDS).until(() -> used(holder).equals(Set.of("a", "b", "c")));
        for (String name : names()) {
            assertThat(held.get(name).isValid()).as(name).isTrue();
            assertThat(waiting.get(name)).as(name).isNotDone();
        }
        long moved = counted.get(holder).get(Counters.Event.HOLD_RESTORED);
        assertThat(moved).isBetween(5L, NAMES / 2L);
        for (String name : names()) {
            long before = held.get(name).fencingToken();
            held.get(name).close();
            try (LockHandle next = waiting.get(name).get(10, TimeUnit.SECONDS)) {
                assertThat(next.fencingToken()).as(name).isGreaterThan(before);
            }
        }
        assertThat(memoryNodes.get("c").status().recordsInUse()).isEqualTo((int) moved);
        assertThat(counted.get(holder).get(Counters.Event.HOLD_NOT_RESTORED)).isZero();
    }

    /** A session that uses the former list keeps its memory node from giving names up. */
    private void straggler(String at) throws Exception {
        memoryNodes
                .get(at)
                .join(new JoinRequest(77, 1, "straggler", "", 0, SECONDS.toNanos()), new RecordingListener());
    }

    private static boolean moves(String name, String from) {
        String full = ComputeNodeSettings.DEFAULTS.namespace() + '\0' + name;
        long hash = NodeSet.hash(full);
        return NodeSet.of(List.of("a", "b")).homeOf(hash) == NodeSet.hash(from)
                && NodeSet.of(List.of("a", "b", "c")).homeOf(hash) == NodeSet.hash("c");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "c"})
    void untilItCountsAMovedHoldEndsWithEitherSession(String ending) throws Exception {
        serve("a", "b", "c");
        ComputeNode holder = ready("a", "b");
        straggler("a");
        straggler("b");
        Set<String> told = ConcurrentHashMap.newKeySet();
        Map<String, LockHandle> held = new LinkedHashMap<>();
        for (String name : names()) {
            LockHandle handle = holder.acquire(LockRequest.write(name));
            handle.onLost((lost, why) -> told.add(name));
            held.put(name, handle);
        }
        try (NodeListPublisher publisher = publisher("a", "b")) {
            publisher.add(addresses("c").get(0));
            long moving = names().stream()
                    .filter(name -> moves(name, "a") || moves(name, "b"))
                    .count();
            await().atMost(SECONDS).until(() -> memoryNodes.get("c").status().restoredHolds() == moving);
            assertThat(held.values()).allMatch(LockHandle::isValid);
            memoryNodes.get(ending).close();
            for (String name : names()) {
                boolean lost = moves(name, "a") || ending.equals("c") && moves(name, "b");
                boolean stays = !lost && (ending.equals("c") || moves(name, "b"));
                if (lost) {
                    await(name).atMost(AT_ONCE).until(() -> !held.get(name).isValid() && told.contains(name));
                } else if (stays) {
                    assertThat(held.get(name).isValid()).as(name).isTrue();
                }
            }
        }
    }

    /**
     * A process that is still to go over to a list meets a memory node which has the next one already: what it takes there stays there, also where the
     * names belong to another memory node by the list that it goes over to.
     */
    @Test
    void whatIsTakenByALaterListStaysWhereItIs() throws Exception {
        // The memory nodes end its sessions long before it goes over to a list without a session.
        longestLease = Duration.ofMillis(500);
        serve("a", "b", "c");
        AllInProcess fabric = new AllInProcess(new NodeCounters());
        ComputeNodeSettings patient =
                ComputeNodeSettings.builder().lease(Duration.ofSeconds(30)).build();
        ComputeNode late = ready(fabric, patient, "a", "b");
        fabric.unreachable.add("c");
        try (NodeListPublisher publisher = publisher("a", "b")) {
            publisher.add(addresses("c").get(0));
            await().atMost(SECONDS).until(() -> used(late).contains("c"));
            fabric.cut("a");
            fabric.cut("b");
            assertThat(publisher.awaitMoved(SECONDS)).isEmpty();
        }
        remove("c", "a", "b");
        fabric.heal("a");
        fabric.heal("b");
        Map<String, LockHandle> held = new LinkedHashMap<>();
        for (String name : names()) {
            held.put(name, late.acquire(LockRequest.write(name)));
        }
        fabric.heal("c");
        await().atMost(SECONDS).until(() -> used(late).equals(Set.of("a", "b")));
        ComputeNode other = ready("a", "b");
        for (String name : names()) {
            assertThat(held.get(name).isValid()).as(name).isTrue();
            assertThat(other.tryAcquire(LockRequest.write(name).waitTime(Duration.ZERO)))
                    .as(name)
                    .isEmpty();
            held.get(name).close();
            other.acquire(LockRequest.write(name).waitTime(SECONDS)).close();
        }
    }

    /**
     * A process goes over to a list while it asks a memory node which has a later one, and which answers only when the process has gone over to that:
     * it must not wait for the answer.
     */
    @Test
    void namesThatAreBeingLookedUpDoNotKeepAProcessFromGoingOver() throws Exception {
        longestLease = Duration.ofMillis(500);
        records = 100_000;
        serve("a", "c");
        AllInProcess fabric = new AllInProcess(new NodeCounters());
        ComputeNodeSettings patient =
                ComputeNodeSettings.builder().lease(Duration.ofSeconds(30)).build();
        ComputeNode late = ready(fabric, patient, "a");
        fabric.unreachable.add("c");
        try (NodeListPublisher publisher = publisher("a")) {
            publisher.add(addresses("c").get(0));
            await().atMost(SECONDS).until(() -> used(late).contains("c"));
            fabric.cut("a");
            assertThat(publisher.awaitMoved(SECONDS)).isEmpty();
        }
        remove("c", "a");
        fabric.heal("a");
        late.acquire(LockRequest.write("first")).close();
        try (NodeListPublisher publisher = publisher("a")) {
            publisher.add(addresses("c").get(0));
            AtomicBoolean stopped = new AtomicBoolean();
            List<CompletableFuture<Void>> asking = IntStream.range(0, 4)
                    .mapToObj(i -> CompletableFuture.runAsync(
                            () -> {
                                for (int n = 0; n < 20_000 && !stopped.get(); n++) {
                                    asked(late, i + "-" + n);
                                }
                            },
                            task -> new Thread(task).start()))
                    .toList();
            fabric.heal("c");
            assertThat(publisher.awaitMoved(SECONDS)).isEmpty();
            stopped.set(true);
            for (CompletableFuture<Void> one : asking) {
                one.get(10, TimeUnit.SECONDS);
            }
        }
    }

    private static void asked(ComputeNode node, String name) {
        try {
            node.acquire(LockRequest.write(name).waitTime(SECONDS)).close();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aMemoryNodeIsEmptiedAndLeft() throws Exception {
        serve("a", "b", "c");
        ComputeNode holder = ready("a", "b", "c");
        ComputeNode other = ready("a", "b", "c");
        Map<String, LockHandle> held = new LinkedHashMap<>();
        for (String name : names()) {
            held.put(name, holder.acquire(LockRequest.read(name)));
        }
        remove("b", "a", "b", "c");
        await().atMost(SECONDS)
                .until(() ->
                        used(holder).equals(Set.of("a", "c")) && used(other).equals(Set.of("a", "c")));
        assertThat(memoryNodes.get("b").status().sessions()).isEmpty();
        memoryNodes.get("b").close();
        for (String name : names()) {
            assertThat(held.get(name).isValid()).as(name).isTrue();
            assertThat(other.tryAcquire(LockRequest.write(name).waitTime(Duration.ZERO)))
                    .as(name)
                    .isEmpty();
            other.acquire(LockRequest.read(name)).close();
            held.get(name).close();
            other.acquire(LockRequest.write(name)).close();
        }
    }

    @Test
    void aProcessWithAnOlderListGoesOnAndSaysSoOnce() throws Exception {
        serve("a", "b", "c");
        add("c", "a", "b");
        ComputeNode late = ready("a", "b");
        assertThat(differences()).hasSize(1);
        await().atMost(SECONDS).until(() -> used(late).equals(Set.of("a", "b", "c")));
        ComputeNode current = ready("a", "b", "c");
        for (String name : names()) {
            try (LockHandle held = late.acquire(LockRequest.write(name))) {
                assertThat(current.tryAcquire(LockRequest.write(name).waitTime(Duration.ZERO)))
                        .as(name)
                        .isEmpty();
            }
        }
        assertThat(memoryNodes.get("c").status().recordsInUse()).isPositive();
        assertThat(differences())
                .as("of the process with the older list alone")
                .containsExactly(
                        "This process is configured with other memory nodes than those of list 1: c at inprocess://c:7420"
                                + " is on the list and not configured. It goes on by the list; before its next start, set"
                                + " declock.memory-nodes to inprocess://a:7420,inprocess://b:7420,inprocess://c:7420");
    }

    @Test
    void aProcessThatWorksWhileTheListChangesSaysOnceThatItsConfigurationIsOutOfDate() throws Exception {
        serve("a", "b", "c");
        ComputeNode node = ready("a", "b");
        add("c", "a", "b");
        await().atMost(SECONDS).until(() -> used(node).equals(Set.of("a", "b", "c")));
        assertThat(differences())
                .singleElement()
                .asString()
                .contains("list 1: c at inprocess://c:7420 is on the list and not configured.");
        remove("c", "a");
        await().atMost(SECONDS).until(() -> used(node).equals(Set.of("a", "b")));
        assertThat(differences()).as("list 2 is what it is configured with").hasSize(1);
        remove("b", "a");
        await().atMost(SECONDS).until(() -> used(node).equals(Set.of("a")));
        assertThat(differences())
                .hasSize(2)
                .last()
                .asString()
                .contains("list 3: b at inprocess://b:7420 is configured and not on the list.");
    }

    @Test
    void locksAreExclusiveWhileMemoryNodesComeAndGo() throws Exception {
        serve("a", "b", "c");
        List<ComputeNode> all = List.of(ready("a", "b"), ready("a", "b"), ready("a", "b"));
        Map<String, AtomicInteger> inside = new ConcurrentHashMap<>();
        Map<String, Long> tokens = new ConcurrentHashMap<>();
        AtomicBoolean stopped = new AtomicBoolean();
        List<String> wrong = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        AtomicInteger cycles = new AtomicInteger();
        for (ComputeNode node : all) {
            for (int i = 0; i < 2; i++) {
                Thread thread = new Thread(() -> {
                    try {
                        while (!stopped.get()) {
                            String name = "n" + ThreadLocalRandom.current().nextInt(8);
                            try (LockHandle held = node.acquire(LockRequest.write(name))) {
                                int now = inside.computeIfAbsent(name, any -> new AtomicInteger())
                                        .incrementAndGet();
                                Long last = tokens.put(name, held.fencingToken());
                                if (now != 1 || last != null && last >= held.fencingToken()) {
                                    synchronized (wrong) {
                                        wrong.add(name + " " + now + " " + last + " " + held.fencingToken());
                                    }
                                }
                                Thread.yield();
                                inside.get(name).decrementAndGet();
                            }
                            cycles.incrementAndGet();
                        }
                    } catch (Exception e) {
                        synchronized (wrong) {
                            wrong.add(e.toString());
                        }
                    }
                });
                thread.start();
                threads.add(thread);
            }
        }
        for (int round = 0; round < 3; round++) {
            add("c", "a", "b");
            int before = cycles.get();
            await().atMost(SECONDS).until(() -> cycles.get() > before + 1_000);
            remove("c", "a");
            int then = cycles.get();
            await().atMost(SECONDS).until(() -> cycles.get() > then + 1_000);
        }
        stopped.set(true);
        for (Thread thread : threads) {
            thread.join(10_000);
            assertThat(thread.isAlive()).isFalse();
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void aListIsRefusedWithTheReason() throws Exception {
        serve("a", "b");
        memoryNodes.put(
                "lost",
                MemoryNode.create(
                        MemoryNodeSettings.builder("lost")
                                .records(10)
                                .queueCapacity(8)
                                .waitOutOldSessions(false)
                                .build(),
                        System::nanoTime,
                        (delay, task) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
                        () -> ThreadLocalRandom.current().nextLong()));
        ready("a", "b");
        try (NodeListPublisher publisher = publisher("a")) {
            assertThatThrownBy(() -> publisher.add(addresses("lost").get(0)))
                    .hasMessageContaining("use 2 memory nodes, and not the 1");
        }
        try (NodeListPublisher publisher = publisher("a", "b")) {
            assertThatThrownBy(() -> publisher.add(addresses("lost").get(0)))
                    .hasMessageContaining("memory node lost has no place that survives it");
            assertThatThrownBy(() -> publisher.add(addresses("b").get(0))).hasMessageContaining("is used already");
            assertThatThrownBy(() -> publisher.remove("c")).hasMessageContaining("no memory node 'c' is used");
        }
        try (NodeListPublisher first = publisher("a", "b");
                NodeListPublisher second = publisher("a", "b")) {
            assertThat(first.present()).hasSize(2);
            first.remove("b");
            assertThatThrownBy(() -> second.remove("a")).hasMessageContaining("cannot follow");
        }
    }
}
