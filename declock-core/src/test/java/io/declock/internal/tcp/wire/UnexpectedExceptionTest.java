// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** An exception that nobody expects ends its connection, and is told before. */
class UnexpectedExceptionTest {
    private static final RuntimeException BROKEN = new IllegalStateException("broken");

    private final List<Throwable> told = new ArrayList<>();
    private final List<@Nullable Throwable> ends = new ArrayList<>();
    private final Throwing connection = new Throwing();
    private final EmbeddedChannel channel = new EmbeddedChannel(connection);

    /** Throws where its frames are taken. */
    private final class Throwing extends FrameConnection {
        Throwing() {
            super(true);
        }

        @Override
        protected void opened() {}

        @Override
        protected void preamble(Preamble preamble) {
            enter(Phase.MEMORY_NODE_AWAITS_PROOF);
        }

        @Override
        protected void frame(FrameType type, FrameBody body) {
            throw BROKEN;
        }

        @Override
        protected void foreign(String guess) {}

        @Override
        protected void badFrame(BadFrameException cause) {}

        @Override
        protected void unexpected(Throwable cause) {
            told.add(cause);
        }

        @Override
        protected void ended(@Nullable Throwable cause) {
            ends.add(cause);
        }
    }

    @Test
    void whereAFrameIsTaken() {
        ByteBuf in = Unpooled.buffer();
        Preamble.of(Wire.ROLE_SESSION, 0, new byte[Wire.SECRET_BYTES]).write(in);
        FrameWriter.end(in, FrameWriter.begin(in, FrameType.AUTH));
        channel.writeInbound(in);
        endedBy(BROKEN);
    }

    @Test
    void whereAFrameIsWritten() {
        connection.send(out -> {
            out.writeIntLE(100);
            throw BROKEN;
        });
        channel.runPendingTasks();
        endedBy(BROKEN);
    }

    @Test
    void brokenConnectionsAndBrokenTlsAreNotUnexpected() {
        channel.pipeline().fireExceptionCaught(new IOException("reset"));
        assertThat(told).isEmpty();
        assertThat(ends).hasSize(1);
        EmbeddedChannel other = new EmbeddedChannel(new Throwing());
        other.pipeline().fireExceptionCaught(new DecoderException(new SSLHandshakeException("no")));
        assertThat(told).isEmpty();
        assertThat(ends).hasSize(2);
    }

    private void endedBy(Throwable cause) {
        assertThat(told).containsExactly(cause);
        assertThat(ends).containsExactly(cause);
        assertThat(channel.isOpen()).isFalse();
    }
}
