// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import io.declock.internal.tcp.wire.BadFrameException;
import io.declock.internal.tcp.wire.FrameBody;
import io.declock.internal.tcp.wire.PeerFrames;
import io.declock.rdma.verbs.Completions;
import io.declock.rdma.verbs.Constants;
import io.declock.rdma.verbs.Errno;
import io.declock.rdma.verbs.ReceiveRequests;
import io.declock.rdma.verbs.SendRequests;
import io.declock.rdma.verbs.VerbsBackend;
import io.declock.spi.FabricException;
import io.declock.spi.PeerMessage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Messages to and from one peer on one queue pair: one SEND per message, from a ring of buffers. Receive buffers are posted before the
 * connection is established, and again as soon as their message was read, before it is processed. A peer's adapter acknowledges a message
 * that has a buffer, whether or not it was read, so a peer that reads late may run out of buffers: the sender's adapter then sends again
 * until there is one. Sending is thread-safe; messages are received on the completion thread.
 */
final class PeerQueue implements CompletionLoop.Handler {
    private static final Logger LOG = LoggerFactory.getLogger(PeerQueue.class);

    /** Maximum number of sent messages that the peer's adapter has not acknowledged. */
    static final int SLOTS = 16;

    /**
     * Number of receive buffers. It is several times {@link #SLOTS}, because a sender may use a slot again as soon as this side's adapter
     * has acknowledged the message, even if this process has not read it.
     */
    static final int RECEIVES = 64;

    static final QueueSizes SIZES = new QueueSizes(SLOTS, RECEIVES);

    /**
     * How long a peer waits before it sends a message again for which this side had no receive buffer, as a code of ibv_modify_qp(3):
     * 0.64 ms. Reading a message takes microseconds; the connection manager would leave the code at 0, which means 655.36 ms.
     */
    static final int RNR_TIMER = 12;

    /** The longest message without a value has 178 bytes; with the longest value there is room for a writer's name of 321 bytes. */
    static final int SLOT_BYTES = 1536;

    /** The id of a receive request is this number plus the index of its buffer; ids of send requests are lower. */
    private static final long RECEIVE = 1L << 62;

    private final VerbsBackend backend;
    private final IbvQP qp;
    private final RdmaCounters counters;
    private final Consumer<FabricException> broken;
    private final Taker taker;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate((long) (SLOTS + RECEIVES) * SLOT_BYTES, 4096);
    private final IbvMr registration;
    private final SendRequests sends = new SendRequests(SLOTS);
    private final ReceiveRequests receives = new ReceiveRequests(RECEIVES);
    private final ByteBuf[] buffers = new ByteBuf[SLOTS + RECEIVES];
    private final FrameBody body = new FrameBody();
    private final int inlineBytes;
    private final ReentrantLock lock = new ReentrantLock();
    // Written with the lock.
    private volatile long next;
    private volatile long oldest;

    @GuardedBy("lock")
    private boolean up;

    @GuardedBy("lock")
    private boolean over;

    /** Receives messages. */
    @FunctionalInterface
    interface Taker {
        /**
         * Receives a message.
         *
         * @throws BadFrameException if the peer may not send it
         */
        void message(PeerMessage message) throws BadFrameException;
    }

    /**
     * Makes a message queue on an existing queue pair. {@link #postReceives} must be called before the connection is established.
     *
     * @param inlineBytes the largest size that the queue pair takes inline
     * @param broken called when the queue pair fails, perhaps more than once
     */
    PeerQueue(
            VerbsBackend backend,
            IbvQP qp,
            IbvPd pd,
            int inlineBytes,
            RdmaCounters counters,
            Consumer<FabricException> broken,
            Taker taker)
            throws IOException {
        this.backend = backend;
        this.qp = qp;
        this.inlineBytes = inlineBytes;
        this.counters = counters;
        this.broken = broken;
        this.taker = taker;
        this.registration = register(pd);
        for (int i = 0; i < buffers.length; i++) {
            buffers[i] = Unpooled.wrappedBuffer(
                    memory.asSlice((long) i * SLOT_BYTES, SLOT_BYTES).asByteBuffer());
        }
    }

    /** Makes a message queue on a connection that has its queue pair, lets the connection own it, and posts its receive buffers. */
    static PeerQueue on(Connection connection, ConnectionManager manager, Taker taker) throws IOException {
        PeerQueue queue = withoutReceives(connection, manager, taker);
        queue.postReceives();
        return queue;
    }

    /** As {@link #on}, but does not post the receive buffers. */
    static PeerQueue withoutReceives(Connection connection, ConnectionManager manager, Taker taker) throws IOException {
        ConnectionResources resources = connection.resources();
        PeerQueue queue = new PeerQueue(
                manager.backend(),
                resources.queuePair(),
                resources.domain(),
                resources.inlineBytes(),
                manager.counters(),
                connection::fail,
                taker);
        resources.owns(queue::release);
        resources.completionsTo(queue);
        return queue;
    }

    private IbvMr register(IbvPd pd) throws IOException {
        try {
            return backend.register(pd, memory.address(), memory.byteSize(), Constants.IBV_ACCESS_LOCAL_WRITE);
        } catch (IOException e) {
            free();
            throw e;
        }
    }

    /** Posts every receive buffer. */
    void postReceives() throws IOException {
        for (int i = 0; i < RECEIVES; i++) {
            receives.fill(i, RECEIVE + i, address(SLOTS + i), SLOT_BYTES, registration.getLkey());
            postReceive(i);
        }
    }

    private long address(int buffer) {
        return memory.address() + (long) buffer * SLOT_BYTES;
    }

    private void postReceive(int i) throws IOException {
        int errno = backend.postRecv(qp, receives.address(i));
        if (errno != 0) {
            throw new IOException("the adapter refused a receive request: " + Errno.describe(Math.abs(errno)));
        }
    }

    /** Called when the connection is established: messages may be sent. Some may have been received before. */
    void established() {
        try {
            backend.rnrTimer(qp, RNR_TIMER);
        } catch (IOException e) {
            // Messages can still be sent and received. If the queue pair has failed, its connection learns of it
            // elsewhere.
            LOG.debug("The adapter keeps its default RNR timer: {}", e.getMessage());
        }
        lock.lock();
        try {
            up = true;
        } finally {
            lock.unlock();
        }
    }

    /** Called when the connection has ended. Once this method has returned, the queue pair is no longer used. */
    void ended() {
        lock.lock();
        try {
            over = true;
        } finally {
            lock.unlock();
        }
    }

    /** Sends a message if there is a buffer free; without the value if that does not fit in a buffer. */
    boolean offer(PeerMessage message) {
        int errno;
        lock.lock();
        try {
            if (!up || over || next - oldest >= SLOTS) {
                return false;
            }
            long sequence = next;
            int slot = (int) (sequence % SLOTS);
            ByteBuf buffer = buffers[slot].clear();
            // A receiver that is not told the value reads it after the grant.
            boolean fits = PeerFrames.messageBytes(message) <= SLOT_BYTES;
            PeerFrames.writeMessage(buffer, fits ? message : message.withoutValue());
            int flags = Constants.IBV_SEND_SIGNALED;
            flags |= buffer.readableBytes() <= inlineBytes ? Constants.IBV_SEND_INLINE : 0;
            sends.header(slot, sequence, Constants.IBV_WR_SEND, flags);
            sends.local(slot, address(slot), buffer.readableBytes(), registration.getLkey());
            next = sequence + 1;
            errno = backend.postSend(qp, sends.address(slot));
        } finally {
            lock.unlock();
        }
        if (errno != 0) {
            broken.accept(new FabricException("the adapter refused a message: " + Errno.describe(Math.abs(errno))));
        }
        return errno == 0;
    }

    @Override
    public void completed(Completions completions, int i) {
        int status = completions.status(i);
        if (status != Constants.IBV_WC_SUCCESS) {
            if (status != Constants.IBV_WC_WR_FLUSH_ERR) {
                counters.error(status);
            }
            broken.accept(new FabricException("the adapter reported " + CompletionStatus.describe(status)));
            return;
        }
        long id = completions.id(i);
        if (id < RECEIVE) {
            sent(id);
            return;
        }
        try {
            received((int) (id - RECEIVE), completions.bytes(i));
        } catch (IOException e) {
            broken.accept(new FabricException("processing a received message failed: " + e.getMessage(), e));
        }
    }

    private void sent(long id) {
        lock.lock();
        try {
            oldest = id + 1;
        } finally {
            lock.unlock();
        }
    }

    private void received(int i, int bytes) throws IOException {
        PeerMessage message;
        try {
            ByteBuf buffer = buffers[SLOTS + i].setIndex(0, bytes);
            message = PeerFrames.readPeerMessage(body.wrap(buffer, 0, bytes));
            postAgain(i);
            taker.message(message);
        } catch (BadFrameException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private void postAgain(int i) throws IOException {
        lock.lock();
        try {
            if (!over) {
                postReceive(i);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isBusy() {
        return next != oldest;
    }

    /**
     * Frees the memory; the queue pair must be destroyed.
     *
     * @throws IOException if the memory cannot be deregistered; it is never freed then, because the adapter may still write to it
     */
    void release() throws IOException {
        registration.deregMr().execute().free();
        free();
    }

    private void free() {
        arena.close();
        sends.close();
        receives.close();
    }
}
