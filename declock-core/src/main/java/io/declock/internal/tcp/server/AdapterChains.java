// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.server;

import io.declock.Purpose;
import io.declock.Verb;
import io.declock.internal.chains.ExecutedChains;
import io.declock.internal.memorynode.DataPlaneGate;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSession;
import io.declock.internal.tcp.wire.BadFrameException;
import io.declock.internal.tcp.wire.ChainDoneFrame;
import io.declock.internal.tcp.wire.ChainFrame;
import io.declock.internal.tcp.wire.FrameBody;
import io.declock.spi.FabricException;
import io.declock.spi.RemoteMemory;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import io.netty.buffer.ByteBuf;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Has the adapter execute the chains that arrive in frames, in the order of arrival, remembers their results, and answers each on completion.
 * A chain counts as inside the connection's gate from posting to completion, so that a connection counts as quiet only after its last chain
 * was executed. {@link #accept} belongs to the connection's event loop; completions come in order, on one thread of the RDMA module at a time.
 */
final class AdapterChains {
    /** Number of chains under way at which reading from the connection pauses, and at which it resumes. */
    private static final int PAUSE_AT = 1024;

    private static final int RESUME_AT = 512;

    private final AtomicInteger underWay = new AtomicInteger();
    private final ChainFrame frame = new ChainFrame();
    private final RemoteMemory adapter;
    private final MemoryNode node;
    private final ServerConnection connection;
    /** The session's executed chains. Those who complete chains use them, and others only while the gate is quiet. */
    private @Nullable ExecutedChains executed;

    private int due;

    AdapterChains(RemoteMemory adapter, MemoryNode node, ServerConnection connection) {
        this.adapter = adapter;
        this.node = node;
        this.connection = connection;
    }

    /** Goes on with a session of which no chain is under way. */
    void serve(MemoryNodeSession session) {
        executed = session.executed();
        due = session.executed().next();
    }

    /** Checks and posts the chain of a frame. */
    void accept(DataPlaneGate gate, FrameBody body) throws BadFrameException {
        ProcessorChains.read(frame, body, node.region());
        refuseExtended();
        if (frame.sequence() != due || due - frame.oldest() < 0) {
            throw new BadFrameException("chain " + frame.sequence() + ", of which chain " + frame.oldest()
                    + " is the oldest unanswered one, where chain " + due + " is due");
        }
        due++;
        Posted chain = new Posted(gate, frame.sequence(), frame.oldest());
        frame.copyTo(chain.begin(Purpose.ACQUIRE));
        if (gate.enter()) {
            if (underWay.incrementAndGet() == PAUSE_AT) {
                connection.channel().config().setAutoRead(false);
            }
            for (int i = 0; i < chain.size(); i++) {
                node.counts().count(chain.verb(i));
            }
            adapter.post(chain);
        }
        // Otherwise the session is cut or has another connection, and the code that did this closes this connection.
    }

    private void refuseExtended() throws BadFrameException {
        for (int i = 0; i < frame.size(); i++) {
            if (frame.verb(i).isExtended()) {
                throw new BadFrameException("a chain with " + frame.verb(i)
                        + ": an RDMA adapter executes the verbs here, and its extended atomics are not supported");
            }
        }
    }

    private void ended(DataPlaneGate gate) {
        gate.exit();
        if (underWay.decrementAndGet() == RESUME_AT && connection.isOpen()) {
            try {
                connection.channel().config().setAutoRead(true);
            } catch (RejectedExecutionException e) {
                // The event loop has ended, and the connection with it.
            }
        }
    }

    private final class Posted extends VerbChain implements ChainDoneFrame.Words {
        private final DataPlaneGate gate;
        private final int sequence;
        private final int oldest;
        private long[] found = {};

        Posted(DataPlaneGate gate, int sequence, int oldest) {
            this.gate = gate;
            this.sequence = sequence;
            this.oldest = oldest;
        }

        @Override
        public void completed(VerbResults results) {
            found = copy(results);
            remember();
            ended(gate);
            connection.send(out -> ChainDoneFrame.writeChainDone(out, sequence, this));
        }

        private void remember() {
            ExecutedChains session = Objects.requireNonNull(executed);
            session.begin(sequence, oldest);
            for (long word : found) {
                session.found(word);
            }
        }

        private long[] copy(VerbResults results) {
            int count = 0;
            for (int i = 0; i < size(); i++) {
                count += verb(i) == Verb.WRITE ? 0 : words(i);
            }
            long[] words = new long[count];
            int next = 0;
            for (int i = 0; i < size(); i++) {
                for (int w = 0; verb(i) != Verb.WRITE && w < words(i); w++) {
                    words[next++] = results.word(i, w);
                }
            }
            return words;
        }

        @Override
        public void write(ByteBuf out) {
            for (long word : found) {
                out.writeLongLE(word);
            }
        }

        @Override
        public void failed(FabricException cause) {
            ended(gate);
            connection.end(new FabricException(
                    "the memory node's RDMA adapter does not execute verbs any more: " + cause.getMessage(), cause));
        }
    }
}
