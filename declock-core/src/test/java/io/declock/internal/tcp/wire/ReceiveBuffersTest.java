// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.concurrent.FastThreadLocal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ReceiveBuffersTest {
    private final ReceiveBuffers buffers = new ReceiveBuffers();
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);

    @AfterEach
    void end() {
        FastThreadLocal.removeAll();
    }

    private ByteBuf receive() {
        RecvByteBufAllocator.ExtendedHandle handle = buffers.newHandle();
        return handle.allocate(allocator);
    }

    @Test
    void connectionsOfOneThreadReceiveIntoTheSameBufferOneAfterTheOther() {
        ByteBuf first = receive();
        first.writeLong(1);
        first.release();
        ByteBuf second = receive();
        assertThat(second).isSameAs(first);
        assertThat(second.isReadable()).isFalse();
        assertThat(second.writableBytes()).isEqualTo(ReceiveBuffers.BYTES);
        second.release();
    }

    @Test
    void whatSomebodyKeepsIsNotWrittenOver() {
        ByteBuf kept = receive();
        kept.writeLong(42);
        ByteBuf another = receive();
        another.writeLong(43);
        assertThat(another).isNotSameAs(kept);
        assertThat(kept.readLong()).isEqualTo(42);
        another.release();
        kept.release();
        ByteBuf again = receive();
        assertThat(again).isSameAs(kept);
        again.release();
    }

    @Test
    void theBufferEndsWithItsThread() {
        ByteBuf buffer = receive();
        buffer.release();
        FastThreadLocal.removeAll();
        assertThat(buffer.refCnt()).isZero();
    }
}
