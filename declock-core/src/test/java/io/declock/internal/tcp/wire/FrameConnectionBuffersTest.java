// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.netty.buffer.UnpooledHeapByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Every buffer that a connection makes or is handed is given back by the time the connection is over, however it ends. Netty's own leak
 * detector sees a lost buffer only if a collection comes in time; here every buffer is written down, and its references are counted.
 */
class FrameConnectionBuffersTest {
    private static final FrameType SHORT = FrameType.CHAIN;
    private static final FrameType ANSWERED = FrameType.HEARTBEAT;
    private static final FrameType BAD = FrameType.RESOLVE;

    private final RecordingAllocator allocator = new RecordingAllocator();
    private final Echo connection = new Echo();
    private final Socket socket = new Socket();
    private final EmbeddedChannel channel = new EmbeddedChannel(false, false, socket, connection);

    /** Makes buffers, and keeps each for the final count. */
    private static final class RecordingAllocator extends AbstractByteBufAllocator {
        private final List<ByteBuf> made = new ArrayList<>();

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }

        @Override
        protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            return recorded(new UnpooledHeapByteBuf(this, initialCapacity, maxCapacity));
        }

        @Override
        protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            return recorded(new UnpooledDirectByteBuf(this, initialCapacity, maxCapacity));
        }

        private ByteBuf recorded(ByteBuf fresh) {
            made.add(fresh);
            return fresh;
        }

        long alive() {
            return made.stream().filter(buffer -> buffer.refCnt() > 0).count();
        }
    }

    /** Answers some frames, and cannot bear one. */
    private static final class Echo extends FrameConnection {
        private int frames;
        private int ends;

        Echo() {
            super(false);
        }

        void write(int bytes) {
            out().writeZero(bytes);
            flush();
        }

        @Override
        protected void opened() {}

        @Override
        protected void preamble(Preamble preamble) {
            enter(Phase.MEMORY_NODE_AWAITS_PROOF);
            prove(preamble.nonce(), preamble.nonce());
            enter(Phase.MEMORY_NODE_SERVES);
        }

        @Override
        protected void frame(FrameType type, FrameBody body) throws BadFrameException {
            frames++;
            if (type == BAD) {
                throw new BadFrameException("a bad one");
            } else if (type == ANSWERED) {
                out().writeZero(8);
            }
        }

        @Override
        protected void foreign(String guess) {}

        @Override
        protected void badFrame(BadFrameException cause) {
            out().writeZero(16);
        }

        @Override
        protected void unexpected(Throwable cause) {
            throw new AssertionError(cause);
        }

        @Override
        protected void ended(@Nullable Throwable cause) {
            ends++;
        }
    }

    /** What lies between the connection and the wire: it takes what is written at once, keeps it for later, or breaks. */
    private static final class Socket extends ChannelOutboundHandlerAdapter {
        private final List<ByteBuf> kept = new ArrayList<>();
        private final List<Integer> taken = new ArrayList<>();
        private boolean keeps;
        private boolean breaks;
        private @Nullable Runnable whileWriting;

        @Override
        public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
            ByteBuf buffer = (ByteBuf) message;
            if (buffer.isReadable()) {
                taken.add(buffer.readableBytes());
            }
            if (keeps) {
                kept.add(buffer);
            } else {
                buffer.release();
            }
            if (breaks) {
                ctx.close();
            }
            Runnable callback = whileWriting;
            whileWriting = null;
            if (callback != null) {
                callback.run();
            }
            if (!keeps) {
                promise.trySuccess();
            }
        }

        void takesWhatItKept() {
            kept.forEach(ByteBuf::release);
            kept.clear();
        }
    }

    private void open() throws Exception {
        channel.config().setAllocator(allocator);
        channel.register();
        ByteBuf preamble = allocator.buffer();
        Preamble.of(Wire.ROLE_SESSION, 0, new byte[Wire.SECRET_BYTES]).write(preamble);
        channel.writeInbound(preamble);
    }

    private ByteBuf frames(FrameType... types) {
        ByteBuf bytes = allocator.buffer();
        for (FrameType type : types) {
            FrameWriter.end(bytes, FrameWriter.begin(bytes, type));
        }
        return bytes;
    }

    @AfterEach
    void everyBufferIsGivenBack() {
        channel.finishAndReleaseAll();
        socket.takesWhatItKept();
        assertThat(connection.ends).as("ends").isEqualTo(1);
        assertThat(allocator.alive())
                .as("buffers not given back, of %d", allocator.made.size())
                .isZero();
    }

    @Test
    void whatTheSocketTakesAtOnceIsWrittenFromOneBuffer() throws Exception {
        open();
        int before = allocator.made.size();
        for (int i = 0; i < 10; i++) {
            connection.write(100);
        }
        assertThat(socket.taken).hasSize(10).containsOnly(100);
        assertThat(allocator.made.size() - before).as("buffers made").isLessThanOrEqualTo(1);
    }

    @Test
    void whatTheSocketKeepsIsNotWrittenOver() throws Exception {
        open();
        socket.keeps = true;
        connection.write(100);
        connection.write(200);
        assertThat(socket.kept).extracting(ByteBuf::readableBytes).containsExactly(100, 200);
        assertThat(socket.kept).extracting(ByteBuf::refCnt).containsOnly(1);
    }

    @Test
    void theSocketBreaksWhileItIsWrittenTo() throws Exception {
        open();
        socket.breaks = true;
        connection.write(100);
        assertThat(connection.isOpen()).isFalse();
        assertThat(allocator.alive()).isZero();
    }

    @Test
    void somethingElseIsWrittenWhileTheSocketIsWrittenTo() throws Exception {
        open();
        socket.whileWriting = () -> connection.write(7);
        connection.write(100);
        assertThat(socket.taken).containsExactly(100, 7);
        connection.write(3);
        assertThat(socket.taken).containsExactly(100, 7, 3);
    }

    @Test
    void theConnectionEndsInTheMiddleOfAFrame() throws Exception {
        open();
        ByteBuf whole = frames(SHORT, SHORT);
        channel.writeInbound(whole.readRetainedSlice(whole.readableBytes() - 1));
        whole.release();
        assertThat(connection.frames).isEqualTo(1);
        assertThat(allocator.alive()).as("the rest is kept").isPositive();
        channel.close();
        assertThat(allocator.alive()).isZero();
    }

    @Test
    void theRestOfAFrameArrives() throws Exception {
        open();
        ByteBuf whole = frames(SHORT, ANSWERED);
        channel.writeInbound(whole.readRetainedSlice(whole.readableBytes() - 1));
        channel.writeInbound(whole);
        assertThat(connection.frames).isEqualTo(2);
        assertThat(socket.taken).containsExactly(8);
    }

    @Test
    void whatFollowsABadFrameIsNotKept() throws Exception {
        open();
        channel.writeInbound(frames(ANSWERED, BAD, SHORT, SHORT));
        assertThat(connection.frames).isEqualTo(2);
        assertThat(socket.taken).as("an answer and why it ends").containsExactly(24);
        assertThat(allocator.alive()).isZero();
    }

    @Test
    void aBadFrameEndsWhatWasKeptOfTheOnesBefore() throws Exception {
        open();
        ByteBuf whole = frames(SHORT, BAD, SHORT);
        channel.writeInbound(whole.readRetainedSlice(7));
        channel.writeInbound(whole);
        assertThat(connection.frames).isEqualTo(2);
        assertThat(allocator.alive()).isZero();
    }

    @Test
    void anAnswerIsNotWrittenBecauseTheChannelIsClosedInItsBatch() throws Exception {
        open();
        // Not writeInbound: the batch is not over yet.
        channel.pipeline().fireChannelRead(frames(ANSWERED));
        channel.close();
        assertThat(socket.taken).isEmpty();
        assertThat(allocator.alive()).isZero();
    }

    @Test
    void whatArrivesAfterTheEndIsDropped() throws Exception {
        open();
        // So that the channel is not closed at once.
        socket.keeps = true;
        connection.fail(null);
        assertThat(channel.isOpen()).isTrue();
        channel.pipeline().fireChannelRead(frames(ANSWERED));
        connection.send(out -> out.writeZero(9));
        channel.runPendingTasks();
        assertThat(connection.frames).isZero();
        assertThat(socket.taken).isEmpty();
        assertThat(allocator.alive()).isZero();
    }
}
