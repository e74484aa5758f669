// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.server;

import io.declock.Purpose;
import io.declock.Verb;
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
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Has the adapter execute the chains that arrive in frames, in the order of arrival, and answers each on completion. A chain counts as
 * inside the session's gate from posting to completion, so that a session counts as cut only after its last chain was executed. {@link
 * #accept} belongs to the connection's event loop; completions come on a thread of the RDMA module.
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

    AdapterChains(RemoteMemory adapter, MemoryNode node, ServerConnection connection) {
        this.adapter = adapter;
        this.node = node;
        this.connection = connection;
    }

    /** Checks and posts the chain of a frame. */
    void accept(MemoryNodeSession session, FrameBody body) throws BadFrameException {
        ProcessorChains.read(frame, body, node.region());
        Posted chain = new Posted(session, frame.sequence());
        frame.copyTo(chain.begin(Purpose.ACQUIRE));
        if (session.enter()) {
            if (underWay.incrementAndGet() == PAUSE_AT) {
                connection.channel().config().setAutoRead(false);
            }
            for (int i = 0; i < chain.size(); i++) {
                node.counts().count(chain.verb(i));
            }
            adapter.post(chain);
        }
        // Otherwise the session is cut, and the code that cut it closes the connection.
    }

    private void ended(MemoryNodeSession session) {
        session.exit();
        if (underWay.decrementAndGet() == RESUME_AT && connection.isOpen()) {
            try {
                connection.channel().config().setAutoRead(true);
            } catch (RejectedExecutionException e) {
                // The event loop has ended, and the connection with it.
            }
        }
    }

    private final class Posted extends VerbChain implements ChainDoneFrame.Words {
        private final MemoryNodeSession session;
        private final int sequence;
        private long[] found = {};

        Posted(MemoryNodeSession session, int sequence) {
            this.session = session;
            this.sequence = sequence;
        }

        @Override
        public void completed(VerbResults results) {
            found = copy(results);
            ended(session);
            connection.send(out -> ChainDoneFrame.writeChainDone(out, sequence, this));
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
            ended(session);
            connection.end(new FabricException(
                    "the memory node's RDMA adapter does not execute verbs any more: " + cause.getMessage(), cause));
        }
    }
}
