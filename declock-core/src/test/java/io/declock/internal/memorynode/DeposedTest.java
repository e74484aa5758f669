// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.FormerMemoryNode;
import io.declock.spi.JoinRequest;
import io.declock.spi.ManualTime;
import io.declock.spi.NodeSet;
import io.declock.spi.RecordingListener;
import io.declock.spi.Resolution;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A memory node whose term is over changes nothing that others rely on (rules H6 and H7). */
class DeposedTest {
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration MARGIN = Duration.ofMillis(500);

    private final ManualTime time = new ManualTime();
    private final AtomicLong random = new AtomicLong(7);
    private final AtomicLong attempts = new AtomicLong();
    private final AtomicBoolean inTerm = new AtomicBoolean(true);
    private final MembersInMemory members = new MembersInMemory();
    private MemoryNode node = start();

    private MemoryNode start() {
        return MemoryNode.create(
                MemoryNodeSettings.builder("mn")
                        .records(32)
                        .queueCapacity(8)
                        .maxLease(LEASE)
                        .leaseMargin(MARGIN)
                        .formerLease(LEASE)
                        .waitOutOldSessions(false)
                        .secondsSince2025(() -> 1_000)
                        .build(),
                time,
                time,
                () -> random.addAndGet(0x9E3779B97F4A7C15L),
                null,
                members.nextLife(),
                inTerm::get);
    }

    private MemoryNodeSession join(String name, RecordingListener listener) throws FabricException.Refused {
        return node.join(
                new JoinRequest(
                        name.hashCode(),
                        attempts.incrementAndGet(),
                        name,
                        "",
                        NodeSet.NONE,
                        0,
                        LEASE.toNanos(),
                        FormerMemoryNode.NONE,
                        false),
                listener);
    }

    @Test
    void itAnswersNoHeartbeatAndItsSessionsBreakOff() throws Exception {
        List<String> told = new ArrayList<>();
        MemoryNodeSession session = join("a", new RecordingListener() {
            @Override
            public void brokenOff(FabricException cause) {
                told.add("broken off");
            }

            @Override
            public void lost(FabricException cause) {
                told.add("lost");
            }
        });
        session.heartbeat();
        inTerm.set(false);
        assertThatThrownBy(session::heartbeat).isInstanceOf(FabricException.class);
        assertThat(session.isCut()).isTrue();
        assertThat(told).as("a session that moves is not lost").containsExactly("broken off");
        assertThat(members.nodeIds()).contains(session.member().nodeId());
    }

    @Test
    void itLetsNobodyJoin() {
        inTerm.set(false);
        assertThatThrownBy(() -> join("a", new RecordingListener()))
                .isInstanceOfSatisfying(
                        FabricException.Refused.class,
                        refused -> assertThat(refused.reason()).isEqualTo(Reason.STANDS_BY));
    }

    @Test
    void itDeclaresNobodyDead() throws Exception {
        MemoryNodeSession silent = join("silent", new RecordingListener());
        RecordingListener listener = new RecordingListener();
        MemoryNodeSession other = join("other", listener);
        time.advance(LEASE);
        other.heartbeat();
        inTerm.set(false);
        time.advance(MARGIN.plus(LEASE));
        assertThat(node.status().sessions()).hasSize(2);
        assertThat(members.nodeIds())
                .contains(silent.member().nodeId(), other.member().nodeId());
    }

    @Test
    void itEndsNoGrace() throws Exception {
        join("gone", new RecordingListener());
        join("here", new RecordingListener());
        node = start();
        MemoryNodeSession here = join("here", new RecordingListener());
        Answer answer = new Answer();
        here.resolve("x".getBytes(StandardCharsets.UTF_8), true, answer);
        assertThat(answer.resolution).isNull();
        inTerm.set(false);
        time.advance(LEASE.plus(MARGIN).plus(LEASE));
        assertThat(answer.resolution).as("a name that is resolved in grace").isNull();
    }

    @Test
    void whatMovesDoesNotLeave() throws Exception {
        MemoryNodeSession moves = join("a", new RecordingListener());
        MemoryNodeSession stays = join("b", new RecordingListener());
        moves.detach(() -> {});
        time.advance(LEASE);
        assertThat(stays.members().byNodeId(moves.member().nodeId())).isNotNull();
        assertThat(members.nodeIds()).contains(moves.member().nodeId());
    }

    private static final class Answer implements ResolveAnswer {
        private @Nullable Resolution resolution;

        @Override
        public void resolved(@Nullable Resolution found) {
            resolution = found;
        }

        @Override
        public void refused(FabricException.Refused refused) {}
    }
}
