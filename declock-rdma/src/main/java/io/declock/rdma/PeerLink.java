// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import com.ibm.disni.verbs.RdmaCmId;
import io.declock.internal.tcp.wire.BadFrameException;
import io.declock.internal.tcp.wire.Proofs;
import io.declock.spi.FabricException;
import io.declock.spi.PeerMessage;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The connections between one session and one peer: usually one, two if both sides opened one at the same moment. After a failure
 * the next attempt waits, longer each time. Thread-safe.
 */
final class PeerLink {
    private static final long FIRST_PAUSE_NANOS = 100_000_000;
    private static final long LONGEST_PAUSE_NANOS = 10_000_000_000L;

    private final ConnectionManager manager;
    private final PeerConnections.Key key;
    private final AtomicBoolean opening = new AtomicBoolean();
    private final List<Attempt> attempts = new CopyOnWriteArrayList<>();
    private volatile @Nullable PeerQueue queue;
    private volatile long pauseNanos = FIRST_PAUSE_NANOS;
    private volatile long notBefore = System.nanoTime();

    PeerLink(ConnectionManager manager, PeerConnections.Key key) {
        this.manager = manager;
        this.key = key;
    }

    PeerConnections.Key key() {
        return key;
    }

    boolean offer(PeerMessage message) {
        PeerQueue current = queue;
        return current != null && current.offer(message);
    }

    /** Returns whether the caller must open a connection; if so, {@link #connect} or {@link #attemptEnded} must follow. */
    boolean mayOpen() {
        return queue == null && System.nanoTime() - notBefore >= 0 && opening.compareAndSet(false, true);
    }

    boolean isOpening() {
        return opening.get();
    }

    void attemptEnded() {
        notBefore = System.nanoTime() + pauseNanos;
        pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
        opening.set(false);
    }

    void connect(InetSocketAddress target, byte[] greeting, byte[] expectedProof) {
        Attempt attempt = new Attempt(expectedProof);
        Connection connection = new Connection(manager, describe(), PeerQueue.SIZES, greeting, attempt);
        attempt.connection = connection;
        attempts.add(attempt);
        manager.execute(() -> connection.connect(target));
    }

    /** Accepts a request whose proof was correct; on the connection manager's thread. */
    void accept(RdmaCmId id, byte[] proof) {
        Attempt attempt = new Attempt(null);
        Connection connection = new Connection(manager, describe(), PeerQueue.SIZES, proof, attempt);
        attempt.connection = connection;
        attempts.add(attempt);
        connection.accept(id, accepted -> proof);
    }

    private String describe() {
        return "compute node " + key.nodeId() + "." + key.incarnation();
    }

    /** Ends every connection. */
    void end(String why) {
        for (Attempt attempt : attempts) {
            Connection connection = attempt.connection;
            if (connection != null) {
                connection.fail(new FabricException(why));
            }
        }
    }

    private void take(PeerMessage message) throws BadFrameException {
        if (message.memoryNode() != key.session().joined().memoryNodeIncarnation()
                || message.fromNode() != key.nodeId()
                || message.fromIncarnation() != key.incarnation()
                || message.toNode() != key.session().joined().nodeId()
                || message.toIncarnation() != key.session().joined().incarnation()) {
            throw new BadFrameException(
                    "the sender or the receiver of a peer message is not a compute node of this connection");
        }
        key.session().peerMessage(message);
    }

    /** The owner of one connection. Its methods are called on the connection manager's thread. */
    private final class Attempt implements Connection.Owner {
        private final byte @Nullable [] expectedProof;
        private volatile @Nullable Connection connection;
        private @Nullable PeerQueue own;

        Attempt(byte @Nullable [] expectedProof) {
            this.expectedProof = expectedProof;
        }

        @Override
        public void prepared(Connection prepared) throws IOException {
            own = PeerQueue.on(prepared, manager, PeerLink.this::take);
        }

        @Override
        public void established(Connection established, byte[] privateData) throws IOException {
            byte[] expected = expectedProof;
            if (expected != null && !Proofs.same(expected, Greetings.readProof(privateData))) {
                throw new IOException("the other side is not the expected compute node");
            }
            PeerQueue made = own;
            if (made != null) {
                made.established();
                if (queue == null) {
                    queue = made;
                }
            }
            pauseNanos = FIRST_PAUSE_NANOS;
            if (expected != null) {
                opening.set(false);
            }
        }

        @Override
        public void ended(Connection ended, FabricException cause) {
            attempts.remove(this);
            PeerQueue made = own;
            if (made != null) {
                made.ended();
                if (queue == made) {
                    queue = null;
                }
            }
            if (expectedProof != null) {
                attemptEnded();
            }
        }
    }
}
