// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.reliability.cluster.Cluster;
import io.declock.reliability.cluster.Node;
import io.declock.reliability.cluster.WorkerClient;
import io.declock.reliability.cluster.WorkerClient.Grant;
import io.declock.reliability.ledger.Referee;
import io.declock.reliability.scenario.Recovery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * Programs are killed, stopped, cut off and restarted. The referee then judges the ledgers that they wrote and the rows that the database
 * took. docs/reliability.md says what each scenario shows.
 */
@Timeout(180)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class FaultScenarios<N extends Node> {
    /** Messages, processes that are slow to be scheduled. */
    static final Duration SHORT = Duration.ofMillis(1000);

    static final Duration SETTLE = Duration.ofMillis(150);
    private static final int LOAD_LOCKS = 4;
    private static final int FIRST_LOAD_LOCK = Cluster.LOCKS - LOAD_LOCKS;

    private final List<N> nodes = new ArrayList<>();
    private int locks;
    Cluster<N> cluster;

    abstract Cluster<N> start();

    @BeforeAll
    void startCluster() {
        cluster = start();
    }

    @AfterAll
    void endCluster() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @AfterEach
    void dismiss() {
        cluster.dismiss(nodes);
        nodes.clear();
    }

    final List<N> workers(String... names) {
        List<N> started = cluster.workers(names);
        nodes.addAll(started);
        return started;
    }

    final int freshLock() {
        return locks++;
    }

    final void assertSound() {
        cluster.judge(System.nanoTime());
    }

    private void assertInTime(Recovery recovery) {
        System.out.println(recovery);
        assertThat(recovery.untilGrant()).as(recovery.toString()).isLessThanOrEqualTo(recovery.promised());
        assertSound();
    }

    static Duration since(long nanos, Grant grant) {
        return Duration.ofNanos(grant.atNanos() - nanos);
    }

    // ---------------------------------------------------------------- kill -9

    @Test
    void aKilledHoldersLockGoesToTheNext() {
        assertInTime(Recovery.holder(cluster, freshLock()));
    }

    @Test
    void aKilledWaiterIsPassedOver() {
        assertInTime(Recovery.waiter(cluster, freshLock()));
    }

    /** Returns whether a program is dead within less than a reset takes. */
    protected boolean killsAtOnce() {
        return true;
    }

    @Test
    void aResetWhoseInitiatorIsKilledIsTakenOver() {
        assertInTime(Recovery.resetInitiator(cluster, freshLock(), killsAtOnce()));
    }

    @Test
    void aMemoryNodeThatLostItsMemoryGrantsNothingBeforeOldHoldersAreGone() {
        assertInTime(Recovery.memoryNode(cluster, freshLock()));
    }

    // ---------------------------------------------------------------- SIGSTOP

    @Test
    void aHolderStoppedPastItsLeaseWakesWithoutItsLock() {
        List<N> both = workers("stopped", "successor");
        WorkerClient stopped = both.get(0).worker();
        WorkerClient successor = both.get(1).worker();
        int lock = freshLock();
        Grant first = stopped.take("s", lock, true);
        successor.hold("n", lock, true);
        Cluster.pause(SETTLE);

        long stoppedAt = System.nanoTime();
        stopped.program().pause();
        Grant next = successor.granted("n", cluster.bound().plus(SHORT));
        assertThat(next.token()).isGreaterThan(first.token());
        assertThat(since(stoppedAt, next)).isLessThan(cluster.bound());
        successor.tell("write n");
        successor.await("taken n");

        stopped.program().resume();
        stopped.tell("write s");
        stopped.await("stale s");
        stopped.await("lost s");
        assertThat(stopped.release("s")).isEqualTo("released-lost");
        assertThat(successor.release("n")).isEqualTo("released");
        // It comes back by itself.
        Grant again = stopped.take("again", lock, true);
        assertThat(again.token()).isGreaterThan(next.token());
        stopped.release("again");
        assertSound();
    }

    @Test
    void aStoppedMemoryNodeIsOutlivedAndNobodyIsLetInTwice() {
        List<N> both = workers("one", "two");
        WorkerClient one = both.get(0).worker();
        int lock = freshLock();
        Grant first = one.take("h", lock, true);
        both.get(1).worker().hold("w", lock, true);
        Cluster.pause(SETTLE);
        cluster.memoryNode().pause();
        one.await("lost h", cluster.lease().plus(SHORT));
        Cluster.pause(cluster.lease());
        long resumedAt = System.nanoTime();
        cluster.memoryNode().resume();
        Grant next = both.get(1).worker().granted("w", cluster.bound().plus(SHORT));
        assertThat(next.token()).isGreaterThan(first.token());
        assertThat(since(resumedAt, next)).isLessThan(cluster.bound());
        one.release("h");
        both.get(1).worker().release("w");
        assertSound();
    }

    // ---------------------------------------------------------------- cut off

    @Test
    void aHolderThatIsCutOffGivesUpBeforeItsSuccessorIsLetIn() {
        cutHolder(Node::isolate, Node::heal);
    }

    interface Fault<N> {
        void on(N node);
    }

    final void cutHolder(Fault<N> cut, Fault<N> heal) {
        List<N> both = workers("cut", "successor");
        WorkerClient holder = both.get(0).worker();
        WorkerClient successor = both.get(1).worker();
        int lock = freshLock();
        Grant first = holder.take("h", lock, true);
        successor.hold("n", lock, true);
        Cluster.pause(SETTLE);

        long cutAt = System.nanoTime();
        cut.on(both.get(0));
        long lostAt = Long.parseLong(holder.await("lost h", cluster.lease().plus(SHORT))[2]);
        if (successor.answers().stream().noneMatch(answer -> answer.startsWith("granted"))) {
            Grant next = successor.granted("n", cluster.bound().plus(SHORT));
            assertThat(next.atNanos()).isGreaterThan(lostAt);
            assertThat(next.token()).isGreaterThan(first.token());
            assertThat(since(cutAt, next)).isLessThan(cluster.bound().plus(SHORT));
        } else {
            // The memory node was told by the end of the connection; the holder as well.
            Grant next = successor.granted("n", SHORT);
            assertThat(next.token()).isGreaterThan(first.token());
        }
        long healedAt = System.nanoTime();
        heal.on(both.get(0));
        assertThat(holder.release("h")).isEqualTo("released-lost");
        successor.release("n");
        Grant again = holder.take("again", lock, true);
        assertThat(since(healedAt, again)).isLessThan(cluster.bound());
        holder.release("again");
        assertSound();
    }

    // ---------------------------------------------------------------- under load

    final void startLoad(Node node) {
        node.worker().load(FIRST_LOAD_LOCK, LOAD_LOCKS, 3, 40);
    }

    final void underLoad(List<? extends Node> some, Runnable faults) {
        underLoad(some, faults, System::nanoTime);
    }

    /** As above; waits are judged from an instant on that is asked for after the faults. */
    final Referee.Verdict underLoad(List<? extends Node> some, Runnable faults, LongSupplier since) {
        some.forEach(this::startLoad);
        Cluster.pause(Duration.ofMillis(500));
        faults.run();
        long calmSince = since.getAsLong();
        Cluster.pause(cluster.bound());
        some.forEach(node -> node.worker().tell("calm"));
        some.forEach(node -> node.worker().await("calm", cluster.bound()));
        Referee.Verdict verdict = cluster.judge(calmSince);
        System.out.printf(
                "%d sections, %d lost, %d bookings, longest wait after the faults %d ms%n",
                verdict.sections(),
                verdict.lost(),
                verdict.bookings(),
                TimeUnit.NANOSECONDS.toMillis(verdict.longestWaitNanos()));
        assertThat(verdict.bookings()).isGreaterThan(100);
        return verdict;
    }
}
