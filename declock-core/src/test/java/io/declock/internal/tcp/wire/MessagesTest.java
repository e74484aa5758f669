// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.spi.FormerMemoryNode;
import io.declock.spi.JoinReply;
import io.declock.spi.JoinRequest;
import io.declock.spi.Member;
import io.declock.spi.Membership;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is written is read again. */
class MessagesTest {
    private static final JoinRequest JOIN =
            new JoinRequest(1, 2, "shop", "192.0.2.7:1", 3, 4, 5, new FormerMemoryNode(-6, "[2001:db8::1]:7420"));
    private static final JoinReply JOINED = new JoinReply(
            "mn",
            -7,
            "192.0.2.8:7420",
            9,
            10,
            64,
            1L << 40,
            11,
            12,
            new Membership(13, List.of(new Member(9, 10, "192.0.2.7:1", "shop"))));

    private static FrameBody body(ByteBuf out) {
        return new FrameBody().wrap(out, 0, out.readableBytes());
    }

    @Test
    void aJoinRequest() throws Exception {
        ByteBuf out = Unpooled.buffer();
        Messages.writeJoin(out, JOIN);
        FrameBody body = body(out);
        assertThat(Messages.readJoin(body)).isEqualTo(JOIN);
        body.end();
        FrameBody cut = new FrameBody().wrap(out, 0, out.readableBytes() - 1);
        assertThatThrownBy(() -> Messages.readJoin(cut)).isInstanceOf(BadFrameException.class);
    }

    @Test
    void aJoinReply() throws Exception {
        ByteBuf out = Unpooled.buffer();
        Messages.writeJoined(out, JOINED);
        FrameBody body = body(out);
        JoinReply read = Messages.readJoined(body);
        body.end();
        assertThat(read).usingRecursiveComparison().isEqualTo(JOINED);
    }

    @Test
    void addressesAreWrittenOut() throws Exception {
        for (String text : new String[] {"192.0.2.1:7420", "[2001:db8::1]:1", "127.0.0.1:65535"}) {
            InetSocketAddress address = SocketAddresses.parse(text);
            assertThat(SocketAddresses.textOf(address)).isEqualTo(text);
        }
        assertThat(SocketAddresses.text(InetAddress.getByName("::ffff:192.0.2.1"), 1))
                .isEqualTo("192.0.2.1:1");
        assertThat(SocketAddresses.textOf(InetSocketAddress.createUnresolved("mn.example", 1)))
                .isEmpty();
        for (String text : new String[] {"mn.example:7420", "192.0.2.1", "192.0.2.1:65536", "", ":1", "[::1]"}) {
            assertThat(SocketAddresses.parse(text)).as(text).isNull();
        }
    }
}
