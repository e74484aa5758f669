// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.declock.fabric.FabricException;
import io.declock.rdma.verbs.CmEvent;
import io.declock.rdma.verbs.ConnectionParameters;
import io.declock.rdma.verbs.DeviceLimits;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of connections when the thread that talks to the connection manager cannot go on, without a device. */
@Timeout(60)
class ConnectionManagerTest {
    private static final int SECONDS = 10;

    private final Events backend = new Events();
    private ConnectionManager manager;

    /** What waiting for an event comes to, a test says; waiting ends now and then as it does in a library that cannot be woken. */
    private static final class Events extends RecordingBackend {
        final BlockingQueue<Outcome> outcomes = new LinkedBlockingQueue<>();
        final AtomicInteger connects = new AtomicInteger();
        final AtomicInteger rejections = new AtomicInteger();
        volatile boolean stuck;

        @Override
        public void toError(RdmaCmId id) throws IOException {
            if (stuck) {
                throw new IOException("ibv_modify_qp: Input/output error (EIO, errno 5)");
            }
        }

        @Override
        public void connect(RdmaCmId id, ConnectionParameters parameters) {
            connects.incrementAndGet();
        }

        @Override
        public void reject(RdmaCmId id, byte[] privateData) {
            rejections.incrementAndGet();
        }

        @Override
        public DeviceLimits query(IbvContext context, int port) {
            return new DeviceLimits("none", 10, 10, 10, 10, 10, 1, 1, true, 1024, true);
        }

        @FunctionalInterface
        interface Outcome {
            CmEvent get() throws IOException;
        }

        @Override
        public @Nullable CmEvent awaitCmEvent(RdmaEventChannel channel, int timeoutMillis) throws IOException {
            try {
                Outcome outcome = outcomes.poll(timeoutMillis, TimeUnit.MILLISECONDS);
                return outcome == null ? null : outcome.get();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** DiSNI's objects, with nothing behind them. */
    private static final class Channel extends RdmaEventChannel {
        final List<RdmaCmId> ids = new CopyOnWriteArrayList<>();
        volatile boolean destroyed;
        volatile boolean stuck;

        Channel() throws IOException {
            super(-1);
        }

        @Override
        public RdmaCmId createId(short portSpace) throws IOException {
            RdmaCmId id = new Id(this);
            ids.add(id);
            return id;
        }

        @Override
        public int destroyEventChannel() {
            destroyed = true;
            return 0;
        }
    }

    private static final class Id extends RdmaCmId {
        volatile boolean disconnected;
        volatile boolean destroyed;
        private final IbvContext context = EventDevice.context();

        Id(Channel channel) throws IOException {
            super(channel, null);
        }

        @Override
        public IbvContext getVerbs() {
            return context;
        }

        @Override
        public IbvQP createQP(IbvPd pd, IbvQPInitAttr attributes) throws IOException {
            return new IbvQP(1);
        }

        @Override
        public int destroyQP() throws IOException {
            if (((Channel) getCmChannel()).stuck) {
                throw new IOException("rdma_destroy_qp: Input/output error (EIO, errno 5)");
            }
            return 0;
        }

        @Override
        public void resolveRoute(int timeout) {}

        @Override
        public void bindAddr(SocketAddress address) {}

        @Override
        public void listen(int backlog) {}

        @Override
        public SocketAddress getSource() {
            return new InetSocketAddress("127.0.0.1", 4711);
        }

        @Override
        public int disconnect() {
            disconnected = true;
            return 0;
        }

        @Override
        public int destroyId() {
            assertThat(((Channel) getCmChannel()).destroyed)
                    .as("the channel outlives its ids")
                    .isFalse();
            destroyed = true;
            return 0;
        }
    }

    /** Whose a connection is. */
    private static final class Owner implements Connection.Owner {
        final CompletableFuture<Connection> established = new CompletableFuture<>();
        final CompletableFuture<FabricException> ended = new CompletableFuture<>();

        @Override
        public void established(Connection connection, byte[] privateData) {
            established.complete(connection);
        }

        @Override
        public void ended(Connection connection, FabricException cause) {
            assertThat(ended.complete(cause)).as("told once").isTrue();
        }
    }

    private Channel channel;

    @BeforeEach
    void start() throws Exception {
        DisniProvider.ensure();
        channel = new Channel();
        manager = new ConnectionManager(backend, ConnectionSettings.DEFAULTS, new RdmaCounters(), channel);
    }

    private Id connect(Owner owner, int number) {
        Connection connection =
                new Connection(manager, "memory node " + number, new QueueSizes(1, 1), new byte[0], owner);
        manager.execute(() -> connection.connect(new InetSocketAddress("127.0.0.1", 1)));
        await().atMost(Duration.ofSeconds(SECONDS)).until(() -> channel.ids.size() == number);
        return (Id) channel.ids.get(number - 1);
    }

    @Test
    void sessionsAreToldWhenWaitingForEventsFails() throws Exception {
        Owner up = new Owner();
        Owner connecting = new Owner();
        Id first = connect(up, 1);
        Id second = connect(connecting, 2);
        backend.outcomes.add(() -> new CmEvent(EventType.RDMA_CM_EVENT_ESTABLISHED, 0, first, null, new byte[0]));
        assertThat(up.established.get(SECONDS, TimeUnit.SECONDS)).isNotNull();

        backend.outcomes.add(() -> {
            throw new IOException("rdma_get_cm_event: the channel is gone");
        });

        assertThat(up.ended.get(SECONDS, TimeUnit.SECONDS)).hasMessageContaining("closed");
        assertThat(connecting.ended.get(SECONDS, TimeUnit.SECONDS)).hasMessageContaining("closed");
        await().atMost(Duration.ofSeconds(SECONDS)).until(() -> channel.destroyed);
        assertThat(first.disconnected).isTrue();
        assertThat(first.destroyed).isTrue();
        assertThat(second.destroyed).isTrue();
        manager.close();
    }

    private static CmEvent event(EventType type, RdmaCmId id) {
        return new CmEvent(type, 0, id, null, new byte[0]);
    }

    /** Rule B2: who cuts a session tells the others once nothing of it can land any more, and not because it tried. */
    @Test
    void aQueuePairThatCannotBeStoppedIsNotTakenForStopped() throws Exception {
        Owner owner = new Owner();
        Connection connection = new Connection(manager, "memory node 1", new QueueSizes(1, 1), new byte[0], owner);
        manager.execute(() -> connection.connect(new InetSocketAddress("127.0.0.1", 1)));
        await().atMost(Duration.ofSeconds(SECONDS)).until(() -> channel.ids.size() == 1);
        Id id = (Id) channel.ids.get(0);
        backend.outcomes.add(() -> event(EventType.RDMA_CM_EVENT_ADDR_RESOLVED, id));
        backend.outcomes.add(() -> event(EventType.RDMA_CM_EVENT_ESTABLISHED, id));
        assertThat(owner.established.get(SECONDS, TimeUnit.SECONDS)).isNotNull();

        backend.stuck = true;
        channel.stuck = true;
        CompletableFuture<Boolean> fenced = new CompletableFuture<>();
        manager.execute(() -> connection.endThen(new FabricException("cut"), () -> fenced.complete(true)));
        assertThat(owner.ended.get(SECONDS, TimeUnit.SECONDS)).hasMessage("cut");
        // A route that is resolved now leads nowhere.
        backend.outcomes.add(() -> event(EventType.RDMA_CM_EVENT_ROUTE_RESOLVED, id));
        assertThatThrownBy(() -> fenced.get(500, TimeUnit.MILLISECONDS))
                .as("told while the queue pair lives")
                .isInstanceOf(TimeoutException.class);
        assertThat(backend.connects).hasValue(0);
        assertThat(id.destroyed).isFalse();

        channel.stuck = false;
        assertThat(fenced.get(SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(id.destroyed).isTrue();
        manager.close();
    }

    @Test
    void anExceptionWhileAcceptingEndsThatRequestAndNotTheListener() throws Exception {
        CompletableFuture<RdmaCmId> second = new CompletableFuture<>();
        AtomicInteger requests = new AtomicInteger();
        Listener.start(
                manager,
                (id, privateData) -> {
                    if (requests.incrementAndGet() == 1) {
                        throw new IllegalStateException("on purpose");
                    }
                    second.complete(id);
                },
                0);
        RdmaCmId listening = channel.ids.get(0);
        Id first = new Id(channel);
        backend.outcomes.add(
                () -> new CmEvent(EventType.RDMA_CM_EVENT_CONNECT_REQUEST, 0, first, listening, new byte[0]));
        Id next = new Id(channel);
        backend.outcomes.add(
                () -> new CmEvent(EventType.RDMA_CM_EVENT_CONNECT_REQUEST, 0, next, listening, new byte[0]));
        assertThat(second.get(SECONDS, TimeUnit.SECONDS)).isSameAs(next);
        assertThat(first.destroyed).isTrue();
        assertThat(backend.rejections).hasValue(1);
        assertThat(((Id) listening).destroyed).isFalse();
        manager.close();
    }

    /** A session that notices a failure afterwards is not left waiting for a thread that has ended. */
    @Test
    void whatIsAskedOfItAfterwardsIsDoneAtOnce() throws Exception {
        backend.outcomes.add(() -> {
            throw new IOException("rdma_get_cm_event: the channel is gone");
        });
        await().atMost(Duration.ofSeconds(SECONDS)).until(() -> channel.destroyed);
        manager.close();
        CompletableFuture<Thread> ran = new CompletableFuture<>();
        manager.execute(() -> ran.complete(Thread.currentThread()));
        assertThat(ran).isCompletedWithValue(Thread.currentThread());
        assertThatThrownBy(() -> manager.timer().schedule(() -> {}, 1, TimeUnit.SECONDS))
                .isInstanceOf(java.util.concurrent.RejectedExecutionException.class);
    }
}
