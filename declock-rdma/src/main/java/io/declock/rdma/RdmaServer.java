// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.RdmaCmId;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSession;
import io.declock.internal.memorynode.RdmaAccess;
import io.declock.internal.rdma.RdmaOffer;
import io.declock.rdma.verbs.Constants;
import io.declock.rdma.verbs.VerbsBackend;
import io.declock.spi.FabricException;
import io.declock.spi.RemoteMemory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A memory node's side of RDMA: accepts connections of sessions that the control plane admitted, each with a key of its own to the
 * region, and executes the verbs of all other sessions through a loopback queue pair, so that one adapter executes every atomic. The
 * memory node's processor takes no part in the verbs of connected sessions. Thread-safe.
 */
public final class RdmaServer implements RdmaAccess {
    private static final int REGION_ACCESS = Constants.IBV_ACCESS_LOCAL_WRITE
            | Constants.IBV_ACCESS_REMOTE_WRITE
            | Constants.IBV_ACCESS_REMOTE_READ
            | Constants.IBV_ACCESS_REMOTE_ATOMIC;

    private final MemoryNode node;
    private final RdmaMemory memory;
    private final ConnectionManager manager;
    private final SecureRandom random = new SecureRandom();
    private final Map<ByteBuffer, ServedSession> byToken = new ConcurrentHashMap<>();
    private final Map<MemoryNodeSession, ServedSession> offered = new ConcurrentHashMap<>();
    private final AtomicInteger connected = new AtomicInteger();
    private final AtomicReference<@Nullable String> adapter = new AtomicReference<>();
    private final Listener listener;
    private final OwnAdapter ownAdapter;

    /** Starts to serve on a connection manager, which this server owns and closes. */
    RdmaServer(MemoryNode node, RdmaMemory memory, ConnectionManager manager, int port) throws IOException {
        this.node = node;
        this.memory = memory;
        this.manager = manager;
        try {
            this.listener = Listener.start(manager, this::requested, port);
            this.ownAdapter = connectOwnAdapter();
        } catch (IOException | RuntimeException e) {
            manager.close();
            throw e;
        }
    }

    /**
     * Starts to serve a memory node's region to compute nodes.
     *
     * @param node the memory node, made with {@code memory}
     * @param settings settings of connections; the local address selects the adapter
     * @param port port in the port space of RDMA, 0 for any free one; compute nodes learn it over TCP
     * @throws IOException if that is not possible; the message says what to do
     */
    public static RdmaServer start(
            MemoryNode node, RdmaMemory memory, VerbsBackend backend, ConnectionSettings settings, int port)
            throws IOException {
        if (!backend.readsPrivateData()) {
            throw new IOException("a memory node cannot use the provider '" + backend.name()
                    + "', which does not identify the connecting process; set declock.rdma.provider to ffm");
        }
        return new RdmaServer(node, memory, new ConnectionManager(backend, settings, new RdmaCounters()), port);
    }

    private OwnAdapter connectOwnAdapter() throws IOException {
        byte[] token = newToken();
        byToken.put(ByteBuffer.wrap(token), new ServedSession(this, null));
        InetAddress local = manager.settings().localAddress();
        InetAddress target = local == null ? InetAddress.getLoopbackAddress() : local;
        return OwnAdapter.connect(manager, token, new InetSocketAddress(target, listener.port()));
    }

    private byte[] newToken() {
        byte[] token = new byte[Greetings.TOKEN_BYTES];
        random.nextBytes(token);
        return token;
    }

    @Override
    public void offer(
            MemoryNodeSession session, Consumer<RdmaOffer> receiver, Consumer<FabricException.Refused> refused) {
        manager.execute(() -> offerAfterLast(session, receiver, refused));
    }

    private void offerAfterLast(
            MemoryNodeSession session, Consumer<RdmaOffer> receiver, Consumer<FabricException.Refused> refused) {
        ServedSession last = offered.get(session);
        if (last != null && !last.isOver()) {
            last.end(() -> offerAfterLast(session, receiver, refused));
            return;
        }
        try {
            receiver.accept(offerNow(session));
        } catch (FabricException.Refused e) {
            refused.accept(e);
        }
    }

    private RdmaOffer offerNow(MemoryNodeSession session) throws FabricException.Refused {
        byte[] token = newToken();
        ServedSession served = new ServedSession(this, session);
        offered.put(session, served);
        session.attach(served);
        byToken.put(ByteBuffer.wrap(token), served);
        // This thread attaches first and then checks whether the session is cut. The thread that cuts a session marks
        // it
        // as cut first and then looks for attachments. So at least one of the two threads sees what the other did.
        if (session.isCut()) {
            revoke(served);
            forget(served);
            throw new FabricException.Refused(FabricException.Reason.BAD_REQUEST, "the session is over");
        }
        InetAddress local = manager.settings().localAddress();
        return new RdmaOffer(local == null ? "" : local.getHostAddress(), listener.port(), token);
    }

    @Override
    public byte[] granted(MemoryNodeSession session) throws FabricException.Refused {
        ServedSession served = offered.get(session);
        byte[] granted = served == null ? null : served.granted();
        if (granted == null) {
            throw new FabricException.Refused(
                    FabricException.Reason.BAD_REQUEST, "the session has no RDMA connection with a grant");
        }
        return granted;
    }

    @Override
    public RemoteMemory adapter() {
        return ownAdapter;
    }

    private void requested(RdmaCmId id, byte[] privateData) throws IOException {
        ServedSession served = byToken.remove(ByteBuffer.wrap(Greetings.readToken(privateData)));
        if (served == null) {
            throw new IOException("the token belongs to no session of memory node " + node.id()
                    + ", or was used; join again over TCP");
        }
        served.accept(id);
    }

    /** Registers the region for one connection, and returns the grant with its key. */
    byte[] grant(Connection connection) throws IOException {
        ConnectionResources resources = connection.resources();
        requireFirstAdapter(resources.device().limits().device());
        try {
            IbvMr registration = resources.register(memory.address(), memory.bytes(), REGION_ACCESS);
            return Greetings.granting(new RegionGrant(memory.address(), memory.bytes(), registration.getRkey()));
        } catch (IOException e) {
            throw new IOException(
                    "the memory node's adapter cannot register its region of " + memory.bytes()
                            + " bytes once more (each session needs a registration; raise its 'ulimit -l'): "
                            + e.getMessage(),
                    e);
        }
    }

    /**
     * Refuses a connection on another adapter, because atomics of two adapters are not atomic against each other. The first connection is
     * the memory node's own.
     */
    private void requireFirstAdapter(String device) throws IOException {
        String first = adapter.updateAndGet(known -> known == null ? device : known);
        if (!device.equals(first)) {
            throw new IOException("the memory node executes verbs on RDMA device " + first
                    + ", but this connection arrived on its device " + device + ": connect to an address of " + first
                    + " (declock.memory-node.rdma.device or address makes the memory node listen there only)");
        }
    }

    /** Invalidates a session's token. */
    void revoke(ServedSession served) {
        byToken.values().remove(served);
    }

    /** Forgets a connection of a session of which no verb can be executed any more; until then nothing else is offered to the session. */
    void forget(ServedSession served) {
        served.session().ifPresent(session -> offered.remove(session, served));
    }

    /** Returns the counter of connected sessions. */
    AtomicInteger connected() {
        return connected;
    }

    ConnectionManager manager() {
        return manager;
    }

    /** Returns the port in the port space of RDMA. */
    public int port() {
        return listener.port();
    }

    @Override
    public Map<String, Object> details() {
        Map<String, Object> details = manager.details();
        details.put("address", manager.local(listener.port()).toString());
        details.put("connectedSessions", connected.get());
        details.put("ownRequestsExecuted", ownAdapter.isUp());
        return details;
    }

    /** Returns whether the adapter still executes the memory node's own requests. */
    @Override
    public boolean isHealthy() {
        return ownAdapter.isUp();
    }

    /** Ends every connection. */
    @Override
    public void close() {
        manager.close();
    }
}
