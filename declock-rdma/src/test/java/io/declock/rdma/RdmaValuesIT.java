// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.Counters.Event;
import io.declock.Guarded;
import io.declock.Guarded.Held;
import io.declock.LockRequest;
import io.declock.Purpose;
import io.declock.ValueCodec;
import io.declock.Verb;
import io.declock.internal.memorynode.NodeCounts;
import io.declock.internal.node.ComputeNode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A grant that goes by RDMA tells the value (rule V5). */
@Timeout(120)
class RdmaValuesIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** As long as a value can be: it must fit in one message. */
    private static final String FILL = "x".repeat(1_000);

    private final ExecutorService pool = Executors.newCachedThreadPool();
    private RdmaLocks locks;
    private List<ComputeNode> nodes;

    @BeforeEach
    void start() throws Exception {
        locks = new RdmaLocks();
        nodes = List.of(locks.start("rdma"), locks.start("rdma"));
    }

    @AfterEach
    void stop() {
        pool.shutdownNow();
        locks.stopAll();
    }

    private static Guarded<String> value(ComputeNode node) {
        return node.guardedValues().of("x", ValueCodec.text());
    }

    private static Held<String> acquire(ComputeNode node) throws InterruptedException {
        return value(node).acquire(LockRequest.write("x").waitTime(PATIENCE));
    }

    private static long entries(ComputeNode node) {
        return node.monitor().counters().verbs(Purpose.ENTRY, Verb.WRITE);
    }

    /** Returns how often the node was granted a lock by a message. */
    private static long grants(ComputeNode node) {
        return node.monitor().counters().get(Event.GRANT_PEER);
    }

    /** Returns how many messages went to peers without the memory node. */
    private long direct() {
        return nodes.stream()
                .mapToLong(node -> node.monitor().counters().get(Event.PEER_DIRECT))
                .sum();
    }

    private long reads() {
        return locks.memoryNode().counts().get(NodeCounts.Kind.VALUE_READ);
    }

    /** Two processes hand the lock to and fro. While the connection between them is being opened, grants go through the memory node. */
    @Test
    void aWaiterThatIsGrantedTheLockByRdmaReadsNothing() throws Exception {
        int granted = 0;
        Held<String> held = acquire(nodes.get(0));
        for (int round = 1; round <= 40; round++) {
            ComputeNode next = nodes.get(round % 2);
            long written = entries(next);
            Future<Held<String>> waiter = pool.submit(() -> acquire(next));
            await().atMost(PATIENCE).until(() -> entries(next) > written);
            String text = round + FILL;
            held.set(text);
            long reads = reads();
            long grants = grants(next);
            long direct = direct();
            held.close();
            held = waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(held.value()).contains(text);
            if (grants(next) > grants) {
                assertThat(reads() - reads).as("round %d", round).isZero();
                granted += direct() > direct ? 1 : 0;
            }
        }
        held.close();
        assertThat(granted).as("grants by RDMA").isPositive();
    }
}
