// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.util.concurrent.FastThreadLocal;

/**
 * Lets all connections of an event loop receive into one buffer: frames are handled while they are received and their handlers do not keep
 * the buffer, so the same few cache lines are used again and again. While a handler does keep it, as TLS does with an incomplete record,
 * further buffers are allocated. Thread-safe.
 */
final class ReceiveBuffers extends DefaultMaxMessagesRecvByteBufAllocator {
    static final int BYTES = 64 * 1024;

    /** Not pooled, because the buffer lives as long as its event loop. */
    private static final ByteBufAllocator ALLOCATOR = new UnpooledByteBufAllocator(true, true);

    private static final FastThreadLocal<ByteBuf> SHARED = new FastThreadLocal<>() {
        @Override
        protected ByteBuf initialValue() {
            return ALLOCATOR.directBuffer(BYTES, BYTES);
        }

        @Override
        protected void onRemoval(ByteBuf buffer) {
            buffer.release();
        }
    };

    ReceiveBuffers() {}

    @Override
    public MaxMessageHandle newHandle() {
        return new SharedHandle();
    }

    private final class SharedHandle extends MaxMessageHandle {
        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            ByteBuf shared = SHARED.get();
            return shared.refCnt() == 1 ? shared.clear().retain() : allocator.ioBuffer(guess());
        }

        @Override
        public int guess() {
            return BYTES;
        }
    }
}
