// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One connection. It passes on the frames that {@link FrameReader} cuts, collects the output of one batch of reads, or of many threads at
 * about the same time, into one flush, and stops reading while the other side does not read.
 *
 * <p>Any thread may call {@link #send} and {@link #signal}; everything else belongs to the event loop.
 */
public abstract class FrameConnection extends ChannelInboundHandlerAdapter {
    private static final int FLUSH_BYTES = 64 * 1024;
    private static final int FIRST_BYTES = 1024;
    private static final int CLOSE_MILLIS = 500;

    private final boolean pausesForSlowReaders;
    private final Queue<Frame> queue = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean drainScheduled = new AtomicBoolean();
    private final Runnable drain = this::drain;
    private final FrameReader reader = new FrameReader();
    private volatile @Nullable ChannelHandlerContext context;
    private final AtomicBoolean endedOnce = new AtomicBoolean();
    private volatile boolean over;
    // The fields below belong to the event loop.
    private @Nullable ByteBuf out;
    private boolean reading;

    /**
     * Makes a connection that waits for its channel.
     *
     * @param pausesForSlowReaders whether to stop reading while the other side does not read its answers. Only the side that
     *     answers may: if both did, both could wait for ever.
     */
    protected FrameConnection(boolean pausesForSlowReaders) {
        this.pausesForSlowReaders = pausesForSlowReaders;
    }

    /** Output that is written later, on the event loop. */
    @FunctionalInterface
    public interface Frame {
        /** Appends whole frames. */
        void write(ByteBuf out);
    }

    /** The channel is open. */
    protected abstract void opened();

    /** The other side's preamble arrived. */
    protected abstract void preamble(Preamble preamble) throws BadFrameException;

    /** A frame arrived that the present phase allows; the body is valid until this returns. */
    protected abstract void frame(FrameType type, FrameBody body) throws BadFrameException;

    /** The other side's first bytes are no preamble; {@link #fail} follows. */
    protected abstract void foreign(String guess);

    /** A frame was malformed; {@link #fail} follows. */
    protected abstract void badFrame(BadFrameException cause);

    /** The code threw an unexpected exception; {@link #fail} follows. Not called for broken connections and TLS failures. */
    protected abstract void unexpected(Throwable cause);

    /** The connection has ended; called once. Nothing is read or written any more. */
    protected abstract void ended(@Nullable Throwable cause);

    /** Appends other waiting output; called before every flush. */
    protected void writeMore(ByteBuf out) {}

    /** The other side reads too slowly ({@code true}), or reads fast enough again ({@code false}). */
    protected void stalled(boolean stalled) {}

    /** Called on the event loop when a batch of frames begins. */
    protected void batchBegins() {}

    /** Called on the event loop when a batch of frames has ended. */
    protected void batchEnds() {}

    /**
     * Goes on to the next phase of the handshake.
     *
     * @throws IllegalStateException if that phase does not follow the present one, or follows it only by a proof
     */
    protected final void enter(Phase next) {
        reader.enter(next);
    }

    /**
     * Compares the other side's proof with the expected one, in constant time, and goes on to the next phase if they are the same.
     *
     * @return whether they are the same; if not, the caller must fail the connection
     * @throws IllegalStateException if the present phase does not wait for a proof
     */
    protected final boolean prove(byte[] expected, byte[] proof) {
        return reader.prove(expected, proof);
    }

    /** Writes a frame soon; any thread. A frame that is sent after the end is dropped. */
    public final void send(Frame frame) {
        if (!over) {
            queue.add(frame);
            signal();
        }
    }

    /** Makes sure that {@link #writeMore} is called soon; any thread. */
    protected final void signal() {
        ChannelHandlerContext ctx = context;
        if (ctx == null || (reading && ctx.executor().inEventLoop())) {
            // Before the channel is active, and within a batch, a flush follows anyway.
            return;
        }
        if (!drainScheduled.get() && drainScheduled.compareAndSet(false, true)) {
            try {
                ctx.executor().execute(drain);
            } catch (RejectedExecutionException e) {
                // The event loop has ended, and the channel with it.
                end(e);
            }
        }
    }

    private void drain() {
        // First the flag, then the queue: a frame that is added after the queue was read schedules a drain again.
        drainScheduled.set(false);
        try {
            flush();
        } catch (RuntimeException | Error e) {
            // A frame may be written in part: the other side would not understand what follows it.
            caught(e);
        }
    }

    /** Returns the buffer that the next flush writes; event loop only. */
    protected final ByteBuf out() {
        ByteBuf buffer = out;
        if (buffer == null) {
            buffer = channel().alloc().directBuffer(FIRST_BYTES);
            out = buffer;
        }
        return buffer;
    }

    /** Writes all waiting output. Event loop only. */
    protected final void flush() {
        if (over) {
            return;
        }
        ByteBuf buffer = out();
        for (Frame next = queue.poll(); next != null; next = queue.poll()) {
            next.write(buffer);
        }
        writeMore(buffer);
        if (buffer.isReadable()) {
            // Cleared before the write, because writing may call back to this connection.
            out = null;
            buffer.retain();
            channel().writeAndFlush(buffer, channel().voidPromise());
            reuse(buffer);
        }
    }

    /** Keeps the buffer for the next flush if the socket took all of it at once, as it usually does. */
    private void reuse(ByteBuf buffer) {
        if (buffer.refCnt() == 1 && out == null && !over && buffer.capacity() <= FLUSH_BYTES) {
            out = buffer.clear();
        } else {
            buffer.release();
        }
    }

    /** Returns the channel. */
    public final Channel channel() {
        ChannelHandlerContext ctx = context;
        if (ctx == null) {
            throw new IllegalStateException("the connection is not open yet");
        }
        return ctx.channel();
    }

    /** Returns whether the connection is open and has not ended. */
    public final boolean isOpen() {
        return context != null && !over;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        context = ctx;
        if (over) {
            // The connection was failed while it was being opened.
            ctx.close();
            return;
        }
        opened();
        flush();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        try {
            if (!over) {
                beginBatch();
                reader.accept(this, in, ctx.alloc());
            }
        } finally {
            in.release();
        }
    }

    private void beginBatch() {
        if (!reading) {
            reading = true;
            batchBegins();
        }
    }

    /** Called between two frames: flushes if there is much output, and returns whether the next frame may be handled. */
    boolean takesNext() {
        ByteBuf buffer = out;
        if (!over && buffer != null && buffer.readableBytes() >= FLUSH_BYTES) {
            flush();
            // The remaining frames wait until the other side has read some of its answers.
            return !over && (!pausesForSlowReaders || channel().isWritable());
        }
        return !over;
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        endBatch();
        ctx.fireChannelReadComplete();
    }

    private void endBatch() {
        if (reading) {
            reading = false;
            batchEnds();
        }
        flush();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        boolean writable = ctx.channel().isWritable();
        stalled(!writable);
        if (!pausesForSlowReaders) {
            return;
        }
        ctx.channel().config().setAutoRead(writable);
        // Within a batch the reading loop goes on by itself.
        if (writable && reader.hasRest() && !over && !reading) {
            beginBatch();
            reader.resume(this);
            endBatch();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        end(null);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        caught(cause);
    }

    private void caught(Throwable cause) {
        if (!(cause instanceof IOException) && !(cause instanceof DecoderException)) {
            unexpected(cause);
        }
        fail(cause);
    }

    /** Writes the waiting output, then closes the connection; any thread. */
    public final void fail(@Nullable Throwable cause) {
        ChannelHandlerContext ctx = context;
        if (ctx == null) {
            end(cause);
        } else if (ctx.executor().inEventLoop()) {
            flush();
            end(cause);
            // An empty write completes after all earlier writes, unless the other side does not read.
            ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(done -> ctx.close());
            ctx.executor().schedule(() -> ctx.close(), CLOSE_MILLIS, TimeUnit.MILLISECONDS);
        } else {
            try {
                ctx.executor().execute(() -> fail(cause));
            } catch (RejectedExecutionException e) {
                end(cause);
            }
        }
    }

    private void end(@Nullable Throwable cause) {
        over = true;
        if (endedOnce.compareAndSet(false, true)) {
            ended(cause);
            queue.clear();
            reader.release();
            ByteBuf unsent = out;
            out = null;
            if (unsent != null) {
                unsent.release();
            }
        }
    }
}
