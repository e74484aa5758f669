// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.ComputeNodeSettings;
import io.declock.DecLock;
import io.declock.internal.tcp.server.LoopbackMemoryNode;
import io.declock.testkit.TcpProxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.integration.leader.AbstractCandidate;
import org.springframework.integration.leader.Context;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

/** Spring Integration's election of a leader, by the registries of two processes. */
@Timeout(60)
class LeaderTests {
    private static final String ROLE = "leader";
    private static final Duration MARGIN = Duration.ofMillis(300);
    private static final ComputeNodeSettings SETTINGS = ComputeNodeSettings.builder()
            .lease(Duration.ofMillis(900))
            .leaseMargin(MARGIN)
            .build();

    private final List<String> events = new CopyOnWriteArrayList<>();
    private final List<Long> tokens = new CopyOnWriteArrayList<>();
    private LoopbackMemoryNode memoryNode;
    private TcpProxy proxy;
    private DecLock firstNode;
    private DecLock secondNode;
    private LockRegistryLeaderInitiator first;
    private LockRegistryLeaderInitiator second;

    @BeforeEach
    void theFirstLeads() throws Exception {
        memoryNode = new LoopbackMemoryNode();
        proxy = new TcpProxy(memoryNode.port());
        firstNode = LoopbackMemoryNode.open(proxy.port(), SETTINGS);
        secondNode = memoryNode.open(SETTINGS);
        first = initiator("first", firstNode);
        second = initiator("second", secondNode);
        first.start();
        awaitEvents("first is granted");
        second.start();
    }

    @AfterEach
    void stop() {
        first.stop();
        second.stop();
        firstNode.close();
        secondNode.close();
        proxy.close();
        memoryNode.close();
    }

    private LockRegistryLeaderInitiator initiator(String name, DecLock node) {
        DecLockRegistry registry = new DecLockRegistry(node);
        LockRegistryLeaderInitiator initiator = new LockRegistryLeaderInitiator(registry, new Recorder(name, registry));
        // Shorter than the margin of the lease, so that a leader that lost its lock knows it before another one is
        // granted.
        initiator.setHeartBeatMillis(MARGIN.toMillis() / 6);
        initiator.setBusyWaitMillis(10);
        return initiator;
    }

    @Test
    void aLeaderThatStopsIsFollowed() {
        first.stop();
        awaitEvents("first is granted", "first is revoked", "second is granted");
        assertTokensGrow();
    }

    @Test
    void aLeaderThatYieldsIsFollowedByTheOneThatWaits() {
        first.getContext().yield();
        awaitEvents("first is granted", "first is revoked", "second is granted");
        assertThat(first.getContext().isLeader()).isFalse();
        assertTokensGrow();
    }

    @Test
    void aLeaderWhoseProcessEndsIsFollowed() {
        firstNode.close();
        await().atMost(Duration.ofSeconds(20)).until(() -> events.contains("second is granted"));
        await().atMost(Duration.ofSeconds(20)).until(() -> events.contains("first is revoked"));
        assertTokensGrow();
    }

    @Test
    void aLeaderThatLosesItsLockKnowsItBeforeAnotherOneLeadsAndCanLeadAgain() {
        proxy.set(TcpProxy.Flow.LOST);
        awaitEvents("first is granted", "first is revoked", "second is granted");
        assertTokensGrow();
        proxy.set(TcpProxy.Flow.OPEN);
        second.stop();
        awaitEvents(
                "first is granted", "first is revoked", "second is granted", "second is revoked", "first is granted");
        assertTokensGrow();
    }

    private void awaitEvents(String... expected) {
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(events).containsExactly(expected));
    }

    private void assertTokensGrow() {
        assertThat(tokens).doesNotHaveDuplicates().isSorted();
    }

    private final class Recorder extends AbstractCandidate {
        private final String name;
        private final DecLockRegistry registry;

        Recorder(String name, DecLockRegistry registry) {
            super(name, ROLE);
            this.name = name;
            this.registry = registry;
        }

        @Override
        public void onGranted(Context context) {
            tokens.add(registry.fencingToken(ROLE));
            events.add(name + " is granted");
        }

        @Override
        public void onRevoked(Context context) {
            events.add(name + " is revoked");
        }
    }
}
