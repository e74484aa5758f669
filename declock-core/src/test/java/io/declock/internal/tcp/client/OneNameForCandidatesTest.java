// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.ComputeNodeSettings;
import io.declock.Counters;
import io.declock.LockHandle;
import io.declock.LockRequest;
import io.declock.MemoryNodeAddress;
import io.declock.TcpFabricSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.node.ComputeNode;
import io.declock.internal.node.TestCandidate;
import io.declock.spi.election.MemoryEngine;
import io.declock.testkit.Ports;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A service that lists one name, which resolves to every candidate of a memory node. */
@Tag("slow")
@Timeout(90)
class OneNameForCandidatesTest {
    private static final Duration LEASE = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final TestCandidate.Times TIMES =
            new TestCandidate.Times(LEASE, Duration.ofMillis(200), Duration.ofSeconds(1));
    private static final List<String> HOSTS = List.of("127.0.0.1", "127.0.0.2");

    private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(2);
    private final MemoryEngine.Shared shared = new MemoryEngine.Shared();
    private final List<TestCandidate> candidates = new ArrayList<>();
    private final NodeCounters counters = new NodeCounters();
    private final int port = Ports.free();

    @BeforeEach
    void start() {
        List<String> addresses =
                HOSTS.stream().map(host -> "tcp://" + host + ":" + port).toList();
        for (String address : addresses) {
            candidates.add(new TestCandidate(shared, address, addresses, TIMES, timer, TestCandidate.Access.NONE));
        }
        await().atMost(PATIENCE)
                .until(() -> candidates.stream().filter(TestCandidate::serves).count() == 1);
    }

    @AfterEach
    void stop() throws Exception {
        for (TestCandidate candidate : candidates) {
            if (candidate.isRunning()) {
                candidate.kill();
            }
        }
        timer.shutdownNow();
    }

    private int serving() {
        return candidates.get(0).serves() ? 0 : 1;
    }

    private ComputeNode join(HostAddresses.Lookup lookup) throws InterruptedException {
        ComputeNode node = ComputeNode.builder()
                .memoryNodes(List.of(new MemoryNodeAddress("tcp", "mn.example", port)))
                .fabric(TcpFabric.open(TcpFabricSettings.DEFAULTS, counters, lookup))
                .settings(ComputeNodeSettings.builder().lease(LEASE).build())
                .counters(counters)
                .build();
        node.start();
        assertThat(node.awaitReady(PATIENCE))
                .as(() -> node.monitor().memoryNodes().toString())
                .isTrue();
        return node;
    }

    /** A name service that tells the address of one candidate first. */
    private static HostAddresses.Lookup beginningWith(int first) {
        return host -> {
            if (!host.equals("mn.example")) {
                throw new UnknownHostException(host);
            }
            return new InetAddress[] {
                InetAddress.getByName(HOSTS.get(first)), InetAddress.getByName(HOSTS.get(1 - first))
            };
        };
    }

    @Test
    void aProcessJoinsTheCandidateThatServesAtTheSecondAddress() throws Exception {
        try (ComputeNode node = join(beginningWith(1 - serving()))) {
            node.acquire(LockRequest.write("a")).close();
        }
    }

    @Test
    void aSessionGoesOnAtTheOtherAddressWhenItsCandidateDies() throws Exception {
        int first = serving();
        try (ComputeNode node = join(beginningWith(first))) {
            LockHandle held = node.acquire(LockRequest.write("a"));
            candidates.get(first).kill();
            await().atMost(LEASE.multipliedBy(2)).until(() -> counters.get(Counters.Event.HOLD_RESTORED) == 1);
            assertThat(held.isValid()).isTrue();
            held.close();
            try (LockHandle next = node.acquire(LockRequest.write("a"))) {
                assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
            }
        }
    }
}
