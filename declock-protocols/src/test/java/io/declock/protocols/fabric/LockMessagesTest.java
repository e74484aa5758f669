// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.internal.monitor.NodeCounters;
import io.declock.protocols.LockMessage;
import io.declock.protocols.LockProtocol;
import io.declock.spi.PeerMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class LockMessagesTest {
    private static final Duration SESSION = Duration.ofSeconds(10);
    private static final long LOCK = 4096;
    /** More than two parts have. */
    private static final int MANY = 2 * PeerMessage.MAX_ENTRIES + 3;

    private final LoopbackRig rig = new LoopbackRig();
    private final List<FabricLink> links = new ArrayList<>();

    @AfterEach
    void close() {
        links.forEach(FabricLink::close);
        rig.close();
    }

    /** A process, and what has come to it. */
    private final class Peer {
        private final BlockingQueue<PeerMessage> parts = new LinkedBlockingQueue<>();
        private final BlockingQueue<LockMessage> messages = new LinkedBlockingQueue<>();
        private final FabricLink link;
        private final LockMessages own;

        Peer() {
            this.link = FabricLink.join(
                    rig.openFabric(new NodeCounters()),
                    rig.address(),
                    "process-" + links.size(),
                    SESSION,
                    CompletableFuture.completedFuture(parts::add));
            links.add(link);
            this.own = new LockMessages(link, messages::add);
        }

        int client(int index) {
            return link.joined().nodeId() * FabricClients.MOST + index;
        }

        LockMessage to(int receiver, int words) {
            List<Long> first =
                    LongStream.range(client(0), client(0) + words).boxed().toList();
            return new LockMessage(client(1), receiver, LOCK, 3, -5, first);
        }

        PeerMessage part() throws InterruptedException {
            return come(parts.poll(10, TimeUnit.SECONDS));
        }

        LockMessage message() throws InterruptedException {
            return come(messages.poll(10, TimeUnit.SECONDS));
        }
    }

    private static <T> T come(@Nullable T what) {
        assertThat(what).as("what has come").isNotNull();
        return what;
    }

    @Test
    void aMessageArrivesAsItWasSentHoweverManyWordsItHas() throws Exception {
        Peer sender = new Peer();
        Peer receiver = new Peer();
        for (int words : new int[] {0, 1, PeerMessage.MAX_ENTRIES - 1, PeerMessage.MAX_ENTRIES, MANY, 2}) {
            LockMessage sent = sender.to(receiver.client(2), words);
            sender.own.send(sent);
            while (receiver.messages.isEmpty()) {
                receiver.own.received(receiver.part());
            }
            assertThat(receiver.message()).isEqualTo(sent);
        }
    }

    @Test
    void eachMessageGoesToTheProcessOfItsReceiver() throws Exception {
        Peer sender = new Peer();
        for (Peer receiver : List.of(new Peer(), new Peer())) {
            LockMessage sent = sender.to(receiver.client(0), 1);
            sender.own.send(sent);
            receiver.own.received(receiver.part());
            assertThat(receiver.message()).isEqualTo(sent);
        }
    }

    @Test
    void partsOfTwoSendersMessagesMayComeInTurn() throws Exception {
        Peer receiver = new Peer();
        Peer one = new Peer();
        Peer other = new Peer();
        LockMessage first = one.to(receiver.client(0), MANY);
        LockMessage second = other.to(receiver.client(0), MANY);
        one.own.send(first);
        List<PeerMessage> firsts = List.of(receiver.part(), receiver.part(), receiver.part());
        other.own.send(second);
        for (PeerMessage part : firsts) {
            receiver.own.received(part);
            receiver.own.received(receiver.part());
        }
        assertThat(receiver.messages).containsExactly(first, second);
    }

    @Test
    void theServerIsInTheProcessWithTheLowestNodeId() throws Exception {
        Peer first = new Peer();
        Peer second = new Peer();
        Peer third = new Peer();
        LockMessage sent = third.to(LockProtocol.SERVER, 0);
        third.own.send(sent);
        Peer server = first.client(0) < second.client(0) ? first : second;
        server.own.received(server.part());
        assertThat(server.message()).isEqualTo(sent);
    }

    @Test
    void aMessageToTheOwnProcessComesAfterTheStepThatSendsItAndInOrder() throws Exception {
        Peer own = new Peer();
        CountDownLatch stepEnded = new CountDownLatch(1);
        own.link.soon(() -> {
            for (int words = 0; words < 3; words++) {
                own.own.send(own.to(own.client(0), words));
            }
            assertThat(own.messages).isEmpty();
            stepEnded.countDown();
        });
        assertThat(stepEnded.await(10, TimeUnit.SECONDS)).isTrue();
        for (int words = 0; words < 3; words++) {
            assertThat(own.message()).isEqualTo(own.to(own.client(0), words));
        }
    }
}
