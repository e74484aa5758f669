// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.LockRequest;
import io.declock.testkit.TcpProxy;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How soon a compute node is back after a network that answered nothing has healed. */
@Timeout(60)
class RejoinTest {
    /** An attempt of half a second that had just begun, the longest pause, and once more. */
    private static final long ALLOWED_NANOS = MILLISECONDS.toNanos(1200);

    private static final int ATTEMPTS = 3;

    private LockRig rig;
    private TcpProxy proxy;
    private ComputeNode node;

    @BeforeEach
    void start() throws Exception {
        rig = LockRig.overTcp(settings -> {});
        proxy = TcpProxy.withShortQueue(rig.port());
        node = rig.joinBy(proxy.port(), builder -> {});
    }

    @AfterEach
    void stop() {
        rig.close();
        proxy.close();
    }

    private Duration down() {
        return node.monitor().memoryNodes().get(0).downFor();
    }

    /** Other processes may take the processors from this one at the wrong moment; not three times in a row. */
    @Test
    void isBackSoonAfterANetworkThatSwallowedEverything() throws Exception {
        boolean soon = false;
        for (int attempt = 0; attempt < ATTEMPTS && !soon; attempt++) {
            soon = backAfterNanos() < ALLOWED_NANOS;
            node.acquire(LockRequest.write("x").waitTime(Duration.ofSeconds(20)))
                    .close();
        }
        assertThat(soon).as("was back within 1.2 s + what the machine was late").isTrue();
    }

    /** Returns how long after the network it was back, without what the machine was late. */
    private long backAfterNanos() throws Exception {
        try (StallMeter machine = new StallMeter()) {
            proxy.swallow();
            // A connection attempt that waits for its kernel has tried once in three seconds.
            await("an attempt that was given up").atMost(Duration.ofSeconds(2)).until(() -> down().toMillis() > 700);
            long healedAt = System.nanoTime();
            proxy.swallowNoMore();
            // A session outlives its connection, so that the node itself was ready all the time.
            await().pollInterval(Duration.ofMillis(5))
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> down().isZero());
            long took = System.nanoTime() - healedAt;
            System.out.printf(
                    "back %d ms after the network; the machine itself was late by %d ms%n",
                    NANOSECONDS.toMillis(took), NANOSECONDS.toMillis(machine.longestNanos()));
            return took - machine.longestNanos();
        }
    }
}
