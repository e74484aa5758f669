// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.reliability.cluster.Cluster;
import io.declock.reliability.cluster.ProxiedNode;
import io.declock.reliability.cluster.WorkerClient;
import io.declock.reliability.cluster.WorkerClient.Grant;
import io.declock.reliability.ledger.Referee;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** A memory node with a state directory is killed, or stopped, and started again: no hold is lost, and nothing is granted twice. */
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MemoryNodeRestartIT {
    /** Longer than the memory node's program takes to start on a busy machine. */
    private static final Duration LEASE = Duration.ofSeconds(20);

    private static final Duration SETTLE = Duration.ofMillis(200);
    private static final int RUNS = Integer.getInteger("declock.restarts", 3);
    private static final int LOAD_LOCKS = 4;
    private static final int FIRST_LOAD_LOCK = Cluster.LOCKS - LOAD_LOCKS;

    private Cluster<ProxiedNode> cluster;

    @BeforeAll
    void start() {
        cluster = Cluster.localThatKeepsHolds(LEASE);
    }

    @AfterAll
    void end() {
        if (cluster != null) {
            cluster.close();
        }
    }

    /** A worker that is killed would be waited for by the memory node's next life. */
    private void leave(List<ProxiedNode> all) {
        all.forEach(node -> node.worker().leave());
        cluster.dismiss(all);
    }

    @Test
    void aHoldOutlivesTheMemoryNodeAndItsSuccessorIsGrantedAtOnce() {
        List<ProxiedNode> both = cluster.workers("holder", "waiter");
        WorkerClient holder = both.get(0).worker();
        WorkerClient waiter = both.get(1).worker();
        holder.take("kept", 1, true);
        Runs runs = new Runs("the program is killed and started; from when it listens");
        for (int run = 0; run < RUNS; run++) {
            Grant first = holder.take("h" + run, 0, true);
            waiter.hold("w" + run, 0, true);
            Cluster.pause(SETTLE);
            cluster.memoryNode().kill();
            cluster.restartMemoryNode();
            long listensAt = System.nanoTime();
            runs.released(holder, "h" + run);
            Grant next = waiter.granted("w" + run, LEASE);
            assertThat(next.token()).isGreaterThan(first.token());
            runs.took(Duration.ofNanos(next.atNanos() - listensAt));
            waiter.release("w" + run);
        }
        runs.released(holder, "kept");
        runs.print();
        assertThat(runs.lost()).isZero();
        assertThat(runs.longest()).isLessThan(Duration.ofSeconds(2));
        assertThat(holder.stats().get("holds-restored")).isGreaterThanOrEqualTo(RUNS);
        cluster.judge(System.nanoTime());
        leave(both);
    }

    @Test
    void noHoldIsLostUnderLoad() {
        List<ProxiedNode> three = cluster.workers("one", "two", "three");
        three.forEach(node -> node.worker().load(FIRST_LOAD_LOCK, LOAD_LOCKS, 3, 40));
        // Their holds are short; these last.
        for (int i = 0; i < three.size(); i++) {
            three.get(i).worker().take("kept", 2 + i, true);
        }
        Cluster.pause(SETTLE);
        for (int run = 0; run < RUNS; run++) {
            if (run % 2 == 0) {
                cluster.memoryNode().kill();
            } else {
                cluster.memoryNode().terminate();
            }
            cluster.restartMemoryNode();
            Cluster.pause(Duration.ofSeconds(1));
        }
        three.forEach(node -> assertThat(node.worker().release("kept")).isEqualTo("released"));
        long calmSince = System.nanoTime();
        Cluster.pause(Duration.ofSeconds(1));
        three.forEach(node -> node.worker().tell("calm"));
        three.forEach(node -> node.worker().await("calm", cluster.bound()));
        Referee.Verdict verdict = cluster.judge(calmSince);
        long restored = three.stream()
                .mapToLong(node -> node.worker().stats().get("holds-restored"))
                .sum();
        System.out.printf(
                Locale.ROOT,
                "memory node started %d times under load: %d sections, %d lost, %d holds restored%n",
                RUNS,
                verdict.sections(),
                verdict.lost(),
                restored);
        assertThat(verdict.lost()).isZero();
        assertThat(restored).isGreaterThanOrEqualTo((long) RUNS * three.size());
        assertThat(verdict.bookings()).isGreaterThan(100);
        leave(three);
    }
}
