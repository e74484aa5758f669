// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.reliability.cluster.Cluster;
import io.declock.reliability.cluster.Platform;
import io.declock.reliability.cluster.Program;
import io.declock.reliability.cluster.ProxiedNode;
import io.declock.reliability.cluster.WorkerClient;
import io.declock.reliability.cluster.WorkerClient.Grant;
import io.declock.reliability.ledger.Referee;
import io.declock.testkit.TcpProxy.Direction;
import io.declock.testkit.TcpProxy.Flow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Faults upon processes of this machine, with proxies that cut one direction, slow down and heal at the right moment. */
class ProcessFaultsIT extends FaultScenarios<ProxiedNode> {
    private static final Duration LEASE = Duration.ofMillis(1000);
    private static final Duration EVERY_SECOND = Duration.ofSeconds(1);
    private static final Duration EVERY_TENTH = Duration.ofMillis(100);
    /** Ten of them are a second. */
    private static final int BREAKS = Integer.getInteger("declock.breaks", 200);

    private static final int RESETS = Integer.getInteger("declock.resets", 5);

    @Override
    Cluster<ProxiedNode> start() {
        return Cluster.local(LEASE);
    }

    @Test
    void aHolderWhoseRequestsAreLostGivesUpBeforeItsSuccessorIsLetIn() {
        cutHolder(
                node -> node.toMemoryNode().set(Direction.FROM_CLIENT, Flow.LOST),
                node -> node.toMemoryNode().set(Flow.OPEN));
    }

    @Test
    void aHolderWhoseAnswersAreLostGivesUpBeforeItsSuccessorIsLetIn() {
        cutHolder(
                node -> node.toMemoryNode().set(Direction.FROM_SERVER, Flow.LOST),
                node -> node.toMemoryNode().set(Flow.OPEN));
    }

    // ---------------------------------------------------------------- cut off from each other

    @Test
    void workersThatCannotReachEachOtherHandOverThroughTheMemoryNode() {
        List<ProxiedNode> both = workers("one", "two");
        both.forEach(node -> node.fromPeers().set(Flow.HELD));
        assertHandsOver(both, freshLock());
        assertThat(both.get(0).worker().stats().get("relayed")).isPositive();
        both.forEach(node -> node.fromPeers().set(Flow.OPEN));
        assertHandsOver(both, freshLock());
        assertSound();
    }

    @Test
    void workersWhoseDirectWaySilentlyLosesOneDirectionStillGetTheirLocks() {
        List<ProxiedNode> three = workers("one", "two", "three");
        int warm = freshLock();
        assertHandsOver(three.subList(0, 2), warm);
        assertHandsOver(three.subList(1, 3), warm);
        assertThat(three.get(0).worker().stats().get("direct")
                        + three.get(1).worker().stats().get("direct"))
                .isPositive();
        three.forEach(node -> node.fromPeers().set(Direction.FROM_CLIENT, Flow.LOST));
        int lock = freshLock();
        assertHandsOver(three.subList(0, 2), lock);
        use(three.get(2), lock);

        // A reset needs the answer of every user of the record, and these answers cannot come directly.
        three.get(0).worker().take("h", lock, true);
        three.get(1).worker().hold("w", lock, true);
        Cluster.pause(SETTLE);
        long killedAt = System.nanoTime();
        three.get(0).worker().program().kill();
        Grant next = three.get(1).worker().granted("w", cluster.bound().multipliedBy(3));
        assertThat(since(killedAt, next)).isLessThan(cluster.bound());
        three.get(1).worker().release("w");
        assertSound();
    }

    /** Takes a lock and gives it back, and is asked in its resets from then on. */
    private static void use(ProxiedNode node, int lock) {
        node.worker().take("use", lock, true);
        node.worker().release("use");
    }

    // ---------------------------------------------------------------- callers that only try

    @Test
    void aCallerThatOnlyTriesGetsTheLockOfAKilledHolder() {
        List<ProxiedNode> three = workers("holder", "trying", "newcomer");
        int lock = freshLock();
        three.get(0).worker().take("h", lock, true);
        three.get(1).worker().tryHold("t", lock, true);
        Cluster.pause(SETTLE);
        long killedAt = System.nanoTime();
        three.get(0).worker().program().kill();
        Grant first = three.get(1).worker().granted("t", cluster.bound().multipliedBy(8));
        assertThat(since(killedAt, first)).isLessThan(cluster.bound());
        three.get(1).worker().release("t");
        assertSound();
    }

    @Test
    void aCallerThatBeginsToTryAfterTheHoldersEndGetsTheLock() {
        List<ProxiedNode> two = workers("holder", "newcomer");
        int lock = freshLock();
        two.get(0).worker().take("h", lock, true);
        two.get(0).worker().program().kill();
        Cluster.pause(cluster.bound());
        long beganAt = System.nanoTime();
        two.get(1).worker().tryHold("t", lock, true);
        Grant first = two.get(1).worker().granted("t", cluster.bound().multipliedBy(8));
        assertThat(since(beganAt, first)).isLessThan(SHORT);
        two.get(1).worker().release("t");
        assertSound();
    }

    @Test
    void aCallerThatOnlyTriesGetsTheLockForWhichAKilledProcessWaited() {
        List<ProxiedNode> three = workers("holder", "waiter", "trying");
        int lock = freshLock();
        three.get(0).worker().take("h", lock, true);
        three.get(1).worker().hold("w", lock, true);
        three.get(2).worker().tryHold("t", lock, true);
        Cluster.pause(SETTLE);
        long killedAt = System.nanoTime();
        three.get(1).worker().program().kill();
        three.get(0).worker().release("h");
        Grant first = three.get(2).worker().granted("t", cluster.bound().multipliedBy(8));
        assertThat(since(killedAt, first)).isLessThan(cluster.bound());
        three.get(2).worker().release("t");
        assertSound();
    }

    @Test
    void aProcessThatLostItsSessionGetsItsLockBackByTrying() {
        List<ProxiedNode> one = workers("holder");
        int lock = freshLock();
        WorkerClient holder = one.get(0).worker();
        holder.take("h", lock, true);
        one.get(0).toMemoryNode().set(Flow.LOST);
        holder.await("lost h", cluster.bound());
        assertThat(holder.release("h")).isEqualTo("released-lost");
        holder.tryHold("t", lock, true);
        long healedAt = System.nanoTime();
        one.get(0).toMemoryNode().set(Flow.OPEN);
        Grant again = holder.granted("t", cluster.bound().multipliedBy(8));
        System.out.println("got back after " + since(healedAt, again).toMillis() + " ms");
        assertThat(since(healedAt, again)).isLessThan(cluster.bound());
        holder.release("t");
        assertSound();
    }

    // ---------------------------------------------------------------- connections that break

    /** Rules G1 to G3: the session goes on with another connection. */
    @Test
    void aHolderWhoseConnectionBreaksKeepsItsLock() {
        List<ProxiedNode> two = workers("holder", "waiter");
        int lock = freshLock();
        WorkerClient holder = two.get(0).worker();
        holder.take("h", lock, true);
        two.get(1).worker().hold("w", lock, true);
        Cluster.pause(SETTLE);
        Runs runs = new Runs("connections to the memory node are reset; to the next operation");
        for (int i = 0; i < RESETS; i++) {
            two.forEach(node -> node.toMemoryNode().sever());
            long severedAt = System.nanoTime();
            holder.take("other-" + i, freshLock(), true);
            runs.took(Duration.ofNanos(System.nanoTime() - severedAt));
        }
        long releasedAt = System.nanoTime();
        runs.released(holder, "h");
        assertThat(since(releasedAt, two.get(1).worker().granted("w", cluster.bound())))
                .isLessThan(SHORT);
        two.get(1).worker().release("w");
        // The last one was taken after the last reset.
        for (int i = 0; i < RESETS - 1; i++) {
            runs.released(holder, "other-" + i);
        }
        assertThat(holder.release("other-" + (RESETS - 1))).isEqualTo("released");
        runs.print();
        assertThat(runs.lost()).isZero();
        assertThat(runs.longest()).isLessThan(SHORT);
        assertSound();
    }

    @Test
    void everyNodeIsRestartedUnderLoad() {
        List<ProxiedNode> three = new ArrayList<>(workers("one", "two", "three"));
        Program memoryNodeBefore = cluster.memoryNode();
        underLoad(three, () -> {
            for (int i = 0; i < 3; i++) {
                if (i == 1) {
                    three.get(i).worker().program().kill();
                } else {
                    three.get(i).worker().leave();
                }
                ProxiedNode fresh = workers("fresh").get(0);
                startLoad(fresh);
                three.set(i, fresh);
            }
            cluster.memoryNode().terminate();
            cluster.restartMemoryNode();
        });
        assertThat(cluster.memoryNode()).isNotEqualTo(memoryNodeBefore);
    }

    @Test
    void connectionsThatBreakTenTimesASecondLoseNoHold() {
        List<ProxiedNode> three = workers("one", "two", "three");
        Random random = new Random();
        // The verdict counts what the programs of earlier tests lost, too.
        long lostBefore = cluster.judge(System.nanoTime()).lost();
        long brokenSince = System.nanoTime();
        Referee.Verdict verdict = underLoad(
                three,
                () -> {
                    for (int i = 0; i < BREAKS; i++) {
                        three.get(random.nextInt(three.size())).toMemoryNode().sever();
                        Cluster.pause(EVERY_TENTH);
                    }
                },
                () -> brokenSince);
        assertThat(verdict.lost()).isEqualTo(lostBefore);
    }

    @Test
    void aProcessThatDoesNotUseALockDelaysNoRecoveryOfIt() {
        List<ProxiedNode> four = workers("holder", "waiter", "bystander", "bystander");
        int lock = freshLock();
        use(four.get(2), freshLock());
        four.get(0).worker().take("h", lock, true);
        four.get(1).worker().hold("w", lock, true);
        Cluster.pause(SETTLE);
        long killedAt = System.nanoTime();
        four.get(0).worker().program().kill();
        String granted = null;
        while (granted == null
                && System.nanoTime() - killedAt < 4 * cluster.bound().toNanos()) {
            four.get(2).toMemoryNode().sever();
            four.get(3).toMemoryNode().sever();
            String[] words = four.get(1).worker().poll("granted w", EVERY_SECOND);
            granted = words == null ? null : words[3];
        }
        assertThat(granted).isNotNull();
        assertThat(Duration.ofNanos(Long.parseLong(granted) - killedAt)).isLessThan(cluster.bound());
        four.get(1).worker().release("w");
        assertSound();
    }

    @Test
    void aUserWhoseConnectionBreaksOnceASecondCostsOthersNoLease() {
        List<ProxiedNode> four = workers("one", "two", "three", "breaking");
        long brokenSince = System.nanoTime();
        Referee.Verdict verdict = underLoad(
                four,
                () -> {
                    for (int i = 0; i < 8; i++) {
                        four.get(3).toMemoryNode().sever();
                        Cluster.pause(EVERY_SECOND);
                    }
                },
                () -> brokenSince);
        assertThat(Duration.ofNanos(verdict.longestWaitNanos())).isLessThan(cluster.bound());
    }

    /** Ten times each, in turns. */
    private static void assertHandsOver(List<ProxiedNode> both, int lock) {
        both.get(0).worker().take("turn", lock, true);
        for (int i = 0; i < 10; i++) {
            WorkerClient holder = both.get(i % 2).worker();
            WorkerClient waiter = both.get((i + 1) % 2).worker();
            waiter.hold("turn", lock, true);
            Cluster.pause(Duration.ofMillis(20));
            long releasedAt = System.nanoTime();
            holder.release("turn");
            assertThat(since(releasedAt, waiter.granted("turn", SHORT.multipliedBy(5))))
                    .isLessThan(SHORT);
        }
        both.get(0).worker().release("turn");
    }

    /** On a machine that is late the reset may be over before the cut; then it is tried again. */
    @Test
    void aCutThatHealsInTheMiddleOfAResetLetsTheResetEnd() {
        int attempts = 0;
        while (!cutInTheMiddleOfAReset()) {
            assertThat(++attempts).as("attempts on a machine that is too late").isLessThan(5);
        }
    }

    /** Returns false if the cut came too late to tell anything. */
    private boolean cutInTheMiddleOfAReset() {
        List<ProxiedNode> four = workers("holder", "waiter", "waiter", "cut");
        int lock = freshLock();
        WorkerClient cutOff = four.get(3).worker();
        int other = freshLock();
        cutOff.take("o", other, true);
        use(four.get(3), lock);
        four.get(0).worker().take("h", lock, true);
        four.get(1).worker().hold("w", lock, true);
        Cluster.pause(SETTLE);
        long killedAt = System.nanoTime();
        four.get(0).worker().program().kill();
        // The reset begins when the holder's lease is over, and waits for the one that is cut off from then on.
        Cluster.pause(LEASE.multipliedBy(3).dividedBy(4));
        four.get(3).isolate();
        // The last heartbeat may have been sent a sixth of the lease before the kill.
        if (System.nanoTime() - killedAt > LEASE.multipliedBy(5).dividedBy(6).toNanos()) {
            four.get(3).heal();
            return false;
        }
        Cluster.pause(LEASE.dividedBy(2).plus(Platform.MARGIN));
        assertThat(four.get(1).worker().answers()).isEmpty();
        long healedAt = System.nanoTime();
        four.get(3).heal();
        Grant next = four.get(1).worker().granted("w", SHORT);
        assertThat(since(healedAt, next)).isLessThan(Duration.ofMillis(500));
        // A process that was cut off for less than its lease keeps its holds.
        assertThat(cutOff.release("o")).isEqualTo("released");
        four.get(1).worker().release("w");
        assertSound();
        return true;
    }

    // ---------------------------------------------------------------- the judge

    /** A test of the check itself: it must see a load that still waits, here for a holder that keeps the lock. */
    @Test
    void aLoadWhoseThreadWaitsOnAfterTheFaultsIsSeen() {
        List<ProxiedNode> both = workers("holder", "loaded");
        WorkerClient holder = both.get(0).worker();
        WorkerClient loaded = both.get(1).worker();
        int lock = freshLock();
        holder.take("h", lock, true);
        loaded.load(lock, 1, 1, 0);
        Cluster.pause(SETTLE);
        long calmSince = System.nanoTime();
        loaded.tell("calm");
        assertThat(loaded.await("late", SHORT.multipliedBy(5))).contains("load-1");
        while (System.nanoTime() - calmSince < cluster.boundSince(calmSince).toNanos()) {
            assertThat(loaded.poll("calm", SHORT)).isNull();
        }
        assertThat(String.join("\n", loaded.answers())).contains("lock-" + lock, "WAITING");
        holder.release("h");
        loaded.await("calm");
        // Once only: what a load has written down is forgotten when it has been judged.
        assertThatThrownBy(() -> cluster.judge(calmSince)).hasMessageContaining("a waiter waited");
        assertSound();
    }

    @Test
    void slowAndSeveredConnectionsUnderLoad() {
        List<ProxiedNode> three = workers("one", "two", "three");
        underLoad(three, () -> {
            three.get(0).toMemoryNode().delay(20);
            three.get(1).fromPeers().delay(50);
            Cluster.pause(Duration.ofSeconds(1));
            three.get(1).toMemoryNode().sever();
            three.get(2).fromPeers().sever();
            Cluster.pause(Duration.ofSeconds(1));
            three.get(0).toMemoryNode().delay(0);
            three.get(1).fromPeers().delay(0);
        });
    }
}
