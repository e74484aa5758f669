// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.declock.rdma.verbs.CmEvent;
import io.declock.rdma.verbs.ConnectionParameters;
import io.declock.rdma.verbs.DeviceLimits;
import io.declock.spi.FabricException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A connection manager on objects of DiSNI's API with nothing behind them: what happens, and when, a test says. */
final class ManagerRig implements AutoCloseable {
    static final int SECONDS = 10;
    static final Duration PATIENCE = Duration.ofSeconds(SECONDS);
    private static final long LOOK_NANOS = 5_000_000;

    final Events backend;
    final Channel channel;
    final ConnectionManager manager;

    /** A test decides how a wait for an event ends. The wait also ends now and then, as in a library that cannot be woken. */
    static class Events extends RecordingBackend {
        final BlockingQueue<Outcome> outcomes = new LinkedBlockingQueue<>();
        /** The operations on devices and on the objects that devices have, in order. */
        final List<String> log = new CopyOnWriteArrayList<>();

        final List<byte[]> connects = new CopyOnWriteArrayList<>();
        final List<byte[]> accepts = new CopyOnWriteArrayList<>();
        final List<String> rejections = new CopyOnWriteArrayList<>();
        final List<InetSocketAddress> targets = new CopyOnWriteArrayList<>();
        volatile boolean stuck;
        volatile boolean accepting;
        volatile boolean portDown;
        volatile boolean completionsFail;

        @FunctionalInterface
        interface Outcome {
            CmEvent get() throws IOException;
        }

        @Override
        public boolean readsPrivateData() {
            return accepting;
        }

        @Override
        public void toError(RdmaCmId id) throws IOException {
            if (stuck) {
                throw new IOException("ibv_modify_qp: Input/output error (EIO, errno 5)");
            }
        }

        @Override
        public void resolveAddress(RdmaCmId id, InetSocketAddress source, InetSocketAddress target, int timeoutMillis) {
            targets.add(target);
        }

        @Override
        public void connect(RdmaCmId id, ConnectionParameters parameters) {
            connects.add(parameters.privateData());
        }

        @Override
        public void accept(RdmaCmId id, ConnectionParameters parameters) {
            accepts.add(parameters.privateData());
        }

        @Override
        public void reject(RdmaCmId id, byte[] privateData) {
            rejections.add(new String(privateData, StandardCharsets.UTF_8));
        }

        @Override
        public void use(IbvContext context) {
            log.add("use " + context);
        }

        @Override
        public void forget(IbvContext context) {
            log.add("forget " + context);
        }

        @Override
        public void removed(IbvContext context) {
            log.add("removed " + context);
        }

        @Override
        public DeviceLimits query(IbvContext context, int port) {
            return new DeviceLimits(context.toString(), 10, 10, 1, 1, true, !portDown);
        }

        @Override
        public boolean awaitCqEvent(IbvCompChannel channel, IbvCQ any, int timeoutMillis) {
            if (completionsFail) {
                throw new IllegalStateException("ibv_get_cq_event: on purpose");
            }
            LockSupport.parkNanos(LOOK_NANOS);
            return false;
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

    /** Makes ids on the present device. */
    static final class Channel extends RdmaEventChannel {
        final List<TestId> ids = new CopyOnWriteArrayList<>();
        final Events backend;
        volatile Context context;
        volatile boolean destroyed;
        volatile boolean stuck;

        Channel(Events backend) throws IOException {
            super(-1);
            this.backend = backend;
            this.context = new Context("adapter", backend.log);
        }

        @Override
        public RdmaCmId createId(short portSpace) throws IOException {
            assertThat(destroyed).as("the channel is destroyed").isFalse();
            TestId id = new TestId(this);
            ids.add(id);
            return id;
        }

        @Override
        public int destroyEventChannel() {
            destroyed = true;
            return 0;
        }
    }

    /** A connection id, or one that came with a request. */
    static final class TestId extends RdmaCmId {
        volatile boolean disconnected;
        volatile boolean destroyed;
        private final Context context;

        TestId(Channel channel) throws IOException {
            super(channel, null);
            this.context = channel.context;
        }

        private Channel channel() {
            return (Channel) getCmChannel();
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
            if (channel().stuck) {
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
            assertThat(channel().destroyed).as("the channel outlives its ids").isFalse();
            destroyed = true;
            channel().backend.log.add("destroy id");
            return 0;
        }
    }

    /** An opened device. */
    static final class Context extends IbvContext {
        private final String device;
        private final List<String> log;

        Context(String device, List<String> log) throws IOException {
            super(-1, 1);
            this.device = device;
            this.log = log;
        }

        @Override
        public IbvPd allocPd() throws IOException {
            return new IbvPd(this) {
                @Override
                public int deallocPd() {
                    log.add("destroy domain");
                    return 0;
                }
            };
        }

        @Override
        public IbvCompChannel createCompChannel() throws IOException {
            return new IbvCompChannel(-1, this) {
                @Override
                public int destroyCompChannel() {
                    log.add("destroy channel");
                    return 0;
                }
            };
        }

        @Override
        public IbvCQ createCQ(IbvCompChannel channel, int entries, int vector) throws IOException {
            return new IbvCQ(this, channel, -1) {
                @Override
                public int destroyCQ() {
                    log.add(channel == null ? "destroy passive queue" : "destroy queue");
                    return 0;
                }
            };
        }

        @Override
        public String toString() {
            return device;
        }
    }

    /** The owner of a connection. */
    static final class Owner implements Connection.Owner {
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

    ManagerRig() throws IOException {
        this(new Events());
    }

    ManagerRig(Events backend) throws IOException {
        DisniProvider.ensure();
        this.backend = backend;
        this.channel = new Channel(backend);
        this.manager = new ConnectionManager(backend, ConnectionSettings.DEFAULTS, new RdmaCounters(), channel);
    }

    static CmEvent event(EventType type, RdmaCmId id) {
        return new CmEvent(type, 0, id, null, new byte[0]);
    }

    /** That comes next to an id. */
    void happens(EventType type, RdmaCmId id) {
        backend.outcomes.add(() -> event(type, id));
    }

    /** Somebody connects; returns the id that comes with it. */
    TestId request(byte[] privateData) throws IOException {
        TestId id = new TestId(channel);
        RdmaCmId listening = channel.ids.get(0);
        backend.outcomes.add(() -> new CmEvent(EventType.RDMA_CM_EVENT_CONNECT_REQUEST, 0, id, listening, privateData));
        return id;
    }

    /** Begins to connect; returns the id. */
    TestId connect(Connection connection) {
        int before = channel.ids.size();
        manager.execute(() -> connection.connect(new InetSocketAddress("127.0.0.1", 1)));
        await().atMost(PATIENCE).until(() -> channel.ids.size() == before + 1);
        return channel.ids.get(before);
    }

    Connection connection(Connection.Owner owner) {
        return new Connection(manager, "the other side", new QueueSizes(1, 1), new byte[0], owner);
    }

    /** Connects, until it stands. */
    Connection established(Owner owner) throws Exception {
        Connection connection = connection(owner);
        TestId id = connect(connection);
        happens(EventType.RDMA_CM_EVENT_ADDR_RESOLVED, id);
        happens(EventType.RDMA_CM_EVENT_ESTABLISHED, id);
        owner.established.get(SECONDS, TimeUnit.SECONDS);
        return connection;
    }

    /** Waits until everything that was asked of the manager is done. */
    void settle() throws Exception {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        backend.outcomes.add(() -> {
            done.complete(true);
            return null;
        });
        done.get(SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        manager.close();
    }
}
