// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.declock.TcpFabricSettings;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.spi.FabricException;
import io.declock.spi.FabricSession;
import io.declock.spi.JoinRequest;
import io.declock.spi.ManualTime;
import io.declock.spi.Member;
import io.declock.spi.PeerMessage;
import io.declock.spi.RecordingListener;
import io.declock.spi.TestProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** A caller that joins or sends while a fabric closes gets an answer, and no event loop complains. */
@Timeout(120)
class TcpFabricCloseTest {
    private static final int ROUNDS = 100;
    private static final int JOINERS = 3;
    private static final int MOST_JOINS = 5;

    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private final Logger netty = (Logger) LoggerFactory.getLogger("io.netty");
    private TcpRig rig;

    @BeforeEach
    void start() {
        rig = new TcpRig(
                MemoryNodeSettings.builder("mn")
                        .records(64)
                        .queueCapacity(256)
                        .waitOutOldSessions(false)
                        .build(),
                new ManualTime(),
                MemoryNodeServerSettings.builder(),
                TcpFabricSettings.DEFAULTS);
        logged.start();
        netty.addAppender(logged);
    }

    @AfterEach
    void stop() {
        netty.detachAppender(logged);
        rig.close();
    }

    private static JoinRequest request() {
        return new JoinRequest(
                TestProcess.id(), 1, "a", "", 0, Duration.ofSeconds(3).toNanos());
    }

    @Test
    void everyJoinThatMeetsAClosingFabricIsAnswered() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            TcpFabric fabric =
                    TcpFabric.open(TcpFabricSettings.builder().listen(false).build(), new NodeCounters());
            Queue<CompletableFuture<FabricSession>> joins = new ConcurrentLinkedQueue<>();
            Queue<Throwable> thrown = new ConcurrentLinkedQueue<>();
            CountDownLatch begun = new CountDownLatch(JOINERS);
            List<Thread> joiners = new ArrayList<>();
            for (int i = 0; i < JOINERS; i++) {
                Thread joiner = new Thread(() -> join(fabric, joins, begun, thrown));
                joiners.add(joiner);
                joiner.start();
            }
            begun.await();
            LockSupport.parkNanos(ThreadLocalRandom.current().nextInt(900_000));
            fabric.close();
            for (Thread joiner : joiners) {
                joiner.join();
            }
            assertThat(thrown).isEmpty();
            for (CompletableFuture<FabricSession> join : joins) {
                assertAnswered(join);
            }
        }
        assertThat(logged.list)
                .filteredOn(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
                .extracting(ILoggingEvent::getFormattedMessage)
                .isEmpty();
    }

    /** As a link does that has lost its session, but without a pause, until the fabric says that it is closed. */
    private void join(
            TcpFabric fabric,
            Queue<CompletableFuture<FabricSession>> joins,
            CountDownLatch begun,
            Queue<Throwable> thrown) {
        try {
            boolean closed = false;
            for (int i = 0; i < MOST_JOINS && !closed; i++) {
                CompletableFuture<FabricSession> join = fabric.join(rig.address(), request(), new RecordingListener())
                        .toCompletableFuture();
                joins.add(join);
                begun.countDown();
                closed = join.isCompletedExceptionally();
            }
        } catch (RuntimeException e) {
            thrown.add(e);
        }
    }

    private static void assertAnswered(CompletableFuture<FabricSession> join) throws Exception {
        try {
            join.get(5, SECONDS);
        } catch (ExecutionException e) {
            assertThat(e.getCause()).isInstanceOf(FabricException.class);
        }
    }

    @Test
    void whatIsSentAfterTheCloseIsDropped() throws Exception {
        TcpFabric fabric = TcpFabric.open(TcpFabricSettings.DEFAULTS, new NodeCounters());
        RecordingListener listener = new RecordingListener();
        FabricSession session = fabric.join(rig.address(), request(), listener)
                .toCompletableFuture()
                .get(20, SECONDS);
        Member self = session.joined().membership().members().get(0);
        fabric.close();
        session.send(
                self,
                new PeerMessage(
                        PeerMessage.Kind.GRANT,
                        session.joined().memoryNodeIncarnation(),
                        self.nodeId(),
                        self.incarnation(),
                        self.nodeId(),
                        self.incarnation(),
                        0,
                        1,
                        0,
                        0));
        assertThat(listener.messages).isEmpty();
        assertThatThrownBy(() ->
                        session.control().heartbeat().toCompletableFuture().get(5, SECONDS))
                .isInstanceOf(ExecutionException.class);
        assertThatThrownBy(() -> fabric.join(rig.address(), request(), listener)
                        .toCompletableFuture()
                        .get(5, SECONDS))
                .hasMessageContaining("the fabric is closed");
    }
}
