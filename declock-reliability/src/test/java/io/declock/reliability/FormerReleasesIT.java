// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.ComputeNodeSettings;
import io.declock.Counters;
import io.declock.DecLock;
import io.declock.DecLockException;
import io.declock.Guarded;
import io.declock.LockRequest;
import io.declock.MemoryNodeAddress;
import io.declock.internal.node.NodeListPublisher;
import io.declock.internal.tcp.wire.Wire;
import io.declock.reliability.cluster.Cluster;
import io.declock.reliability.cluster.Node;
import io.declock.reliability.cluster.Patience;
import io.declock.reliability.cluster.Program;
import io.declock.reliability.cluster.Release;
import io.declock.reliability.cluster.ReleasesPlatform;
import io.declock.reliability.cluster.WorkerClient;
import io.declock.reliability.cluster.WorkerClient.Grant;
import io.declock.reliability.ledger.Referee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Services and memory nodes of former releases, from the jars that were built then, beside those of this release. The referee judges the ledgers
 * that all of them wrote and the rows that the database took.
 */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FormerReleasesIT {
    private static final Duration LEASE = Duration.ofMillis(1000);
    /** Longer than a memory node's program takes to start on a busy machine. */
    private static final Duration LONG_LEASE = Duration.ofSeconds(20);
    /** Longer than the lock of a dead process is taken without it. */
    private static final Duration LEAST = Duration.ofSeconds(3);

    /** Grants are judged by their times, after they have come. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final Duration SETTLE = Duration.ofMillis(150);
    private static final int LOAD_LOCKS = 4;
    private static final int FIRST_LOAD_LOCK = Cluster.LOCKS - LOAD_LOCKS;

    /** Of so many names, some move to a second memory node. */
    private static final int MANY = 8;

    private Cluster<Node> present;
    private List<Node> nodes = new ArrayList<>();
    private int locks;

    static List<Release> former() {
        return Release.former();
    }

    static List<Release> withoutReservations() {
        return Release.former().stream()
                .filter(release -> release.wireVersion() < Wire.RESERVATIONS_VERSION)
                .toList();
    }

    static List<Release> withoutValues() {
        return Release.former().stream()
                .filter(release -> release.wireVersion() < Wire.VALUES_VERSION)
                .toList();
    }

    @BeforeAll
    void startPresentMemoryNode() {
        present = Cluster.on(new ReleasesPlatform(LEASE, Release.PRESENT, true));
    }

    @AfterAll
    void endPresentMemoryNode() {
        if (present != null) {
            present.close();
        }
    }

    @AfterEach
    void dismiss() {
        present.dismiss(nodes);
        nodes = new ArrayList<>();
    }

    /** Starts one worker of each release at the same time. */
    private List<WorkerClient> workers(Cluster<Node> cluster, Release... releases) {
        String[] names = new String[releases.length];
        for (int i = 0; i < names.length; i++) {
            names[i] = ReleasesPlatform.worker(releases[i], "worker" + i);
        }
        List<Node> started = cluster.workers(names);
        nodes.addAll(started);
        List<WorkerClient> workers = started.stream().map(Node::worker).toList();
        for (int i = 0; i < names.length; i++) {
            workers.get(i).tell("origin");
            assertThat(releases[i].isOrigin(workers.get(i).await("origin")[1]))
                    .as(releases[i].toString())
                    .isTrue();
        }
        return workers;
    }

    // ---------------------------------------------------------------- this release's memory node

    @ParameterizedTest
    @MethodSource("former")
    void servicesOfAFormerReleaseContendWithAPresentOneAndOneOfThemDies(Release release) {
        contend(present, workers(present, release, release, Release.PRESENT));
    }

    @ParameterizedTest
    @MethodSource("former")
    void aServiceOfAFormerReleaseWaitsUntilTheTimeOfAReservationIsOver(Release release) {
        List<WorkerClient> three = workers(present, release, Release.PRESENT, Release.PRESENT);
        WorkerClient waiter = three.get(0);
        int ofDead = locks++;
        int ofLeft = locks++;
        long askedAt = System.nanoTime();
        three.get(1).holdAtLeast("dead", ofDead, LEAST);
        three.get(2).holdAtLeast("left", ofLeft, LEAST);
        Grant dead = three.get(1).granted("dead", PATIENCE);
        Grant left = three.get(2).granted("left", PATIENCE);
        waiter.hold("dead", ofDead, true);
        waiter.hold("left", ofLeft, true);
        Cluster.pause(SETTLE);
        assertThat(three.get(2).release("left")).isEqualTo("released");
        three.get(2).leave();
        three.get(1).program().kill();

        Grant afterDead = waiter.granted("dead", PATIENCE);
        Grant afterLeft = waiter.granted("left", PATIENCE);
        assertThat(afterDead.token()).isGreaterThan(dead.token());
        assertThat(afterLeft.token()).isGreaterThan(left.token());
        for (Grant next : List.of(afterDead, afterLeft)) {
            assertThat(Duration.ofNanos(next.atNanos() - askedAt))
                    .isBetween(LEAST, LEAST.plus(present.boundSince(askedAt)));
        }
        waiter.release("dead");
        waiter.release("left");
        present.judge(System.nanoTime());
    }

    /** A service of this release is told the value with the grant; one that would not understand the message gets it without the value. */
    @ParameterizedTest
    @MethodSource("withoutValues")
    void aServiceOfAFormerReleaseIsGrantedALockThatHasAValue(Release release) throws Exception {
        ReleasesPlatform platform = new ReleasesPlatform(LEASE, Release.PRESENT, false);
        ComputeNodeSettings sameNames =
                ComputeNodeSettings.builder().namespace("reliability").build();
        try (Cluster<Node> cluster = Cluster.on(platform);
                DecLock locks = DecLock.builder()
                        .memoryNodes(platform.address("mn").toString())
                        .settings(sameNames)
                        .open()) {
            WorkerClient former = workers(cluster, release).get(0);
            Guarded<String> value = locks.guardedValues().of("lock-0", String.class);
            long direct = locks.monitor().counters().get(Counters.Event.PEER_DIRECT);
            for (int i = 0; i < 10; i++) {
                try (Guarded.Held<String> held = value.acquire()) {
                    assertThat(held.value()).isEqualTo(i == 0 ? Optional.empty() : Optional.of("value " + (i - 1)));
                    former.hold("guarded-" + i, 0, true);
                    Cluster.pause(SETTLE);
                    held.set("value " + i);
                }
                assertThat(former.granted("guarded-" + i, PATIENCE).token()).isPositive();
                assertThat(former.release("guarded-" + i)).isEqualTo("released");
            }
            assertThat(locks.monitor().counters().get(Counters.Event.PEER_DIRECT) - direct)
                    .as("grants that were sent directly, after the first ones")
                    .isPositive();
            assertThat(former.program().log()).doesNotContain("bad frame");
            cluster.dismiss(nodes);
        }
    }

    // ---------------------------------------------------------------- a former release's memory node

    @ParameterizedTest
    @MethodSource("withoutReservations")
    void servicesOfThisReleaseWorkAtAMemoryNodeOfAFormerOneWithoutReservations(Release release) {
        try (Cluster<Node> cluster = Cluster.on(new ReleasesPlatform(LEASE, release, false))) {
            List<WorkerClient> left = contend(cluster, workers(cluster, Release.PRESENT, Release.PRESENT, release));
            WorkerClient current = left.get(0);
            int lock = locks++;
            current.holdAtLeast("least", lock, LEAST);
            assertThat(String.join(" ", current.await("refused least")))
                    .contains("DecLockException")
                    .contains("speaks version " + release.wireVersion() + " of the DecLock protocol")
                    .contains("knows no reservations: update it");
            // It was given back.
            assertThat(left.get(1).take("after", lock, true).token()).isPositive();
            assertThat(left.get(1).release("after")).isEqualTo("released");
            cluster.judge(System.nanoTime());
            cluster.dismiss(nodes);
        }
    }

    @ParameterizedTest
    @MethodSource("former")
    void servicesOfThisReleaseContendAtAMemoryNodeOfAFormerOne(Release release) {
        try (Cluster<Node> cluster = Cluster.on(new ReleasesPlatform(LEASE, release, false))) {
            contend(cluster, workers(cluster, Release.PRESENT, Release.PRESENT, release));
            cluster.judge(System.nanoTime());
            cluster.dismiss(nodes);
        }
    }

    @Test
    void aMemoryNodeOfAReleaseBeforeListsIsNamedByTheCommandThatWouldAddAnother() throws Exception {
        ReleasesPlatform platform = new ReleasesPlatform(LEASE, Release.former(Wire.LISTS_VERSION - 1), false);
        try (platform;
                Program program = platform.startMemoryNode("mn");
                NodeLists lists = new NodeLists(platform.address("mn"))) {
            assertThat(program.isAlive()).isTrue();
            assertThatThrownBy(() -> lists.publisher().states())
                    .isInstanceOf(NodeListPublisher.Failure.class)
                    .hasMessageContaining("speaks version " + (Wire.LISTS_VERSION - 1))
                    .hasMessageContaining("knows no lists of memory nodes: update it");
        }
    }

    @ParameterizedTest
    @MethodSource("withoutValues")
    void aMemoryNodeOfAFormerReleaseIsNamedWhereItWouldStoreAValue(Release release) throws Exception {
        try (ReleasesPlatform platform = new ReleasesPlatform(LEASE, release, false);
                Program program = platform.startMemoryNode("mn");
                DecLock locks = DecLock.connect(platform.address("mn").toString())) {
            assertThat(program.isAlive()).isTrue();
            Guarded<String> value = locks.guardedValues().of("value", String.class);
            assertThatThrownBy(() -> value.update(old -> "new"))
                    .isInstanceOf(DecLockException.class)
                    .hasMessageContaining("speaks version " + release.wireVersion())
                    .hasMessageContaining("knows no guarded values: update it");
            // The lock was given back.
            locks.acquire(LockRequest.write("value")).close();
        }
    }

    // ---------------------------------------------------------------- updates

    @Test
    void aMemoryNodeIsUpdatedFromReleaseToReleaseWhileServicesOfAllOfThemKeepTheirHolds() {
        List<Release> all = new ArrayList<>(Release.former());
        all.add(Release.PRESENT);
        ReleasesPlatform platform = new ReleasesPlatform(LONG_LEASE, all.get(0), false);
        try (Cluster<Node> cluster = Cluster.on(platform)) {
            List<WorkerClient> workers = workers(cluster, all.toArray(new Release[0]));
            for (int i = 0; i < workers.size(); i++) {
                workers.get(i).take("kept", i, true);
            }
            workers.forEach(FormerReleasesIT::load);
            long began = System.nanoTime();
            for (Release next : all.subList(1, all.size())) {
                Cluster.pause(Duration.ofMillis(500));
                platform.update(next);
                cluster.memoryNode().terminate();
                cluster.restartMemoryNode();
            }
            Cluster.pause(Duration.ofMillis(500));
            for (WorkerClient worker : workers) {
                assertThat(worker.release("kept")).isEqualTo("released");
            }
            Referee.Verdict verdict = calm(cluster, workers, began);
            assertThat(verdict.lost()).isZero();
            assertThat(verdict.bookings()).isPositive();
            cluster.dismiss(nodes);
        }
    }

    @Test
    void aListOfMemoryNodesWaitsForTheLastServiceThatKnowsNoneAndReachesAllOthers() throws Exception {
        Release without = Release.former(Wire.LISTS_VERSION - 1);
        Release with = Release.former(Wire.LISTS_VERSION);
        ReleasesPlatform platform = new ReleasesPlatform(Duration.ofSeconds(5), Release.PRESENT, false);
        try (Cluster<Node> cluster = Cluster.on(platform);
                Program second = platform.startMemoryNode("second")) {
            assertThat(second.isAlive()).isTrue();
            List<WorkerClient> three = workers(cluster, without, with, Release.PRESENT);
            List<WorkerClient> two = three.subList(1, 3);
            takeMany(two.get(0), 0);
            takeMany(two.get(1), MANY);
            assertThatThrownBy(() -> add(platform))
                    .isInstanceOf(NodeListPublisher.Failure.class)
                    .hasMessageContaining("is of a release that knows no lists of memory nodes: update it first");
            three.get(0).take("still", 2 * MANY, true);
            assertThat(three.get(0).release("still")).isEqualTo("released");
            three.get(0).leave();

            assertThat(add(platform)).isEmpty();
            releaseMany(two.get(0));
            releaseMany(two.get(1));
            takeMany(two.get(1), 0);
            releaseMany(two.get(1));
            two.forEach(FormerReleasesIT::load);
            Cluster.pause(Duration.ofMillis(500));
            Referee.Verdict verdict = calm(cluster, two, System.nanoTime());
            assertThat(verdict.lost()).isZero();
            two.forEach(worker -> assertThat(worker.stats().get("sessions-lost"))
                    .as(worker.name())
                    .isZero());

            Node late = platform.launch(ReleasesPlatform.worker(without, "late"));
            nodes.add(late);
            Program program = late.worker().program();
            new Patience(PATIENCE)
                    .until(
                            () -> program.log().contains("is one of 2 memory nodes that are used together"),
                            () -> "a service that knows no lists was not told why it is refused:\n" + program.log());
            assertThat(late.worker().answers()).isEmpty();
            cluster.dismiss(nodes);
        }
    }

    private static void takeMany(WorkerClient worker, int first) {
        for (int i = 0; i < MANY; i++) {
            worker.take("many-" + i, first + i, true);
        }
    }

    private static void releaseMany(WorkerClient worker) {
        for (int i = 0; i < MANY; i++) {
            assertThat(worker.release("many-" + i)).isEqualTo("released");
        }
    }

    /** Adds the second memory node; returns what has not moved in time. */
    private static String add(ReleasesPlatform platform) throws Exception {
        try (NodeLists lists = new NodeLists(platform.address("mn"))) {
            lists.publisher().add(MemoryNodeAddress.parse(platform.address("second")));
            return lists.publisher().awaitMoved(Duration.ofSeconds(20));
        }
    }

    // ---------------------------------------------------------------- under load

    private static void load(WorkerClient worker) {
        worker.load(FIRST_LOAD_LOCK, LOAD_LOCKS, 3, 40);
    }

    private static Referee.Verdict calm(Cluster<Node> cluster, List<WorkerClient> workers, long since) {
        workers.forEach(worker -> worker.tell("calm"));
        workers.forEach(worker -> worker.await("calm", PATIENCE));
        Referee.Verdict verdict = cluster.judge(since);
        System.out.printf(
                Locale.ROOT,
                "%d sections, %d lost, %d bookings, longest wait %d ms%n",
                verdict.sections(),
                verdict.lost(),
                verdict.bookings(),
                TimeUnit.NANOSECONDS.toMillis(verdict.longestWaitNanos()));
        return verdict;
    }

    /**
     * Three services work on the same locks, and share one. The first is killed while it holds another lock, for which the others wait. Returns
     * the others.
     */
    private List<WorkerClient> contend(Cluster<Node> cluster, List<WorkerClient> three) {
        long before = cluster.judge(System.nanoTime()).bookings();
        three.forEach(FormerReleasesIT::load);
        int shared = locks++;
        three.forEach(worker -> worker.take("shared", shared, false));
        three.forEach(worker -> assertThat(worker.release("shared")).isEqualTo("released"));

        List<WorkerClient> left = three.subList(1, 3);
        int lock = locks++;
        Grant first = three.get(0).take("next", lock, true);
        left.get(0).hold("next", lock, true);
        left.get(1).hold("next", lock, false);
        Cluster.pause(SETTLE);
        long killedAt = System.nanoTime();
        three.get(0).program().kill();
        Grant next = grantEach(left);
        assertThat(next.token()).isGreaterThan(first.token());
        assertThat(Duration.ofNanos(next.atNanos() - killedAt)).isLessThanOrEqualTo(cluster.boundSince(killedAt));

        Cluster.pause(Duration.ofMillis(500));
        long after = calm(cluster, left, killedAt).bookings();
        assertThat(after - before).isGreaterThan(20);
        left.forEach(worker ->
                assertThat(worker.stats().get("direct")).as(worker.name()).isPositive());
        return left;
    }

    /** Has each waiter release the lock when it is granted it, in whichever order that is after a reset; returns the first grant. */
    private static Grant grantEach(List<WorkerClient> waiters) {
        List<Grant> grants = new ArrayList<>();
        List<WorkerClient> waiting = new ArrayList<>(waiters);
        new Patience(PATIENCE)
                .until(
                        () -> {
                            waiting.removeIf(worker -> isGrantedAndReleased(worker, grants));
                            return waiting.isEmpty();
                        },
                        () -> "the lock was not granted to " + waiting.size() + " of " + waiters.size());
        assertThat(grants.get(1).token()).isGreaterThanOrEqualTo(grants.get(0).token());
        return grants.get(0);
    }

    private static boolean isGrantedAndReleased(WorkerClient worker, List<Grant> grants) {
        String[] words = worker.poll("granted next", Duration.ZERO);
        if (words == null) {
            return false;
        }
        grants.add(new Grant(Long.parseLong(words[2]), Long.parseLong(words[3])));
        assertThat(worker.release("next")).isEqualTo("released");
        return true;
    }
}
