// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

/** Texts from other processes. */
class FrameBodyTest {
    private static String read(String text) throws BadFrameException {
        ByteBuf out = Unpooled.buffer();
        FrameWriter.text(out, text);
        FrameBody body = new FrameBody().wrap(out, 0, out.readableBytes());
        String read = body.text();
        body.end();
        return read;
    }

    @Test
    void aTextCannotBeginAnotherLineOfALog() throws Exception {
        assertThat(read("order-service\n12:00 ERROR all is lost\r\u001b[2J\u0085"))
                .isEqualTo("order-service?12:00 ERROR all is lost??[2J?");
    }

    @Test
    void everythingElseIsReadAsItWasWritten() throws Exception {
        for (String text : new String[] {"", "mn-1", "Aufträge \u2713 \ud83d\udd12", "127.0.0.1:7421/rdma=7"}) {
            assertThat(read(text)).isEqualTo(text);
        }
    }
}
