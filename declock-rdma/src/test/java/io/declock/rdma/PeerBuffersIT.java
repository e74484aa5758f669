// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.spi.FabricException;
import io.declock.spi.PeerMessage;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A peer that has no buffer free for a message, on a device: the message waits, not long, and nothing is lost. */
@Timeout(60)
class PeerBuffersIT {
    private static final PeerMessage MESSAGE =
            new PeerMessage(PeerMessage.Kind.GRANT, 7, 1, 2, 3, 4, 64, 5, 1, 6, new long[] {8, 9});

    private ConnectionManager manager;

    @BeforeEach
    void start() throws Exception {
        manager = new ConnectionManager(RdmaRig.backend(), patient(), new RdmaCounters());
    }

    /**
     * Soft-RoCE's time for an acknowledgement runs on while the sender waits for a buffer: after 4 times 67 ms the connection would be
     * over. With this it is after 4 times 4.3 s.
     */
    private static ConnectionSettings patient() throws IOException {
        return RdmaRig.settings(Map.of("ack-timeout", "20", "connect-timeout", "PT20S"));
    }

    @AfterEach
    void stop() {
        manager.close();
    }

    /** One end. */
    private final class End implements Connection.Owner {
        final CompletableFuture<PeerQueue> up = new CompletableFuture<>();
        final CompletableFuture<FabricException> over = new CompletableFuture<>();
        final BlockingQueue<PeerMessage> taken = new LinkedBlockingQueue<>();
        private PeerQueue queue;

        /** Without buffers, until the test posts them. */
        @Override
        public void prepared(Connection connection) throws IOException {
            queue = PeerQueue.withoutReceives(connection, manager, taken::add);
        }

        @Override
        public void established(Connection connection, byte[] privateData) {
            queue.established();
            up.complete(queue);
        }

        @Override
        public void ended(Connection connection, FabricException cause) {
            if (queue != null) {
                queue.ended();
            }
            up.completeExceptionally(cause);
            over.complete(cause);
        }
    }

    /** With the time that the connection manager leaves, 655 ms, so many times would take 26 s. */
    @Test
    void aMessageWithoutABufferIsSentAgainSoonUntilThereIsOne() throws Exception {
        byte[] greeting = {1};
        End receiver = new End();
        Listener listener = Listener.start(
                manager,
                (id, privateData) -> new Connection(manager, "the sender", PeerQueue.SIZES, greeting, receiver)
                        .accept(id, accepted -> greeting),
                0);
        End sender = new End();
        Connection connection = new Connection(manager, "the receiver", PeerQueue.SIZES, greeting, sender);
        InetSocketAddress target = new InetSocketAddress(InetAddress.getByName(RdmaRig.host()), listener.port());
        manager.execute(() -> connection.connect(target));
        PeerQueue from = sender.up.get(25, TimeUnit.SECONDS);
        PeerQueue to = receiver.up.get(25, TimeUnit.SECONDS);

        long before = refusals();
        assertThat(from.offer(MESSAGE)).isTrue();
        await().atMost(Duration.ofSeconds(8)).until(() -> refusals() - before >= 40);
        assertThat(sender.over).isNotDone();
        assertThat(receiver.taken).isEmpty();

        to.postReceives();
        assertThat(receiver.taken.poll(10, TimeUnit.SECONDS)).isEqualTo(MESSAGE);
        await().atMost(Duration.ofSeconds(10)).until(() -> !from.isBusy());
        assertThat(sender.over).isNotDone();
    }

    /** How often a receiver of this device had no buffer. */
    private static long refusals() throws IOException {
        Path counters = Path.of("/sys/class/infiniband/rxe0/ports/1/hw_counters");
        return Long.parseLong(Files.readString(counters.resolve("rcvd_rnr_err")).strip());
    }
}
