// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.internal.tcp.wire.SocketAddresses;
import io.declock.rdma.verbs.ConnectionParameters;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** The private data of connections, as docs/wire-protocol.md specifies it. */
class GreetingsTest {
    private static final byte[] TOKEN = new byte[32];

    static {
        Arrays.fill(TOKEN, (byte) 7);
    }

    @Test
    void aTokenIsFoundWhereTheSpecificationSays() throws Exception {
        byte[] request = Greetings.toMemoryNode(TOKEN);
        assertThat(request)
                .hasSize(ConnectionParameters.MAX_CONNECT_BYTES)
                .startsWith('D', 'C', 'R', 'M', 2, 1, 0, 0, 7);
        assertThat(Greetings.readToken(request)).isEqualTo(TOKEN);
        // The connection manager may pad.
        assertThat(Greetings.readToken(Arrays.copyOf(request, 92))).isEqualTo(TOKEN);
    }

    @Test
    void peersAreReadAsTheyWereWritten() throws Exception {
        byte[] proof = Arrays.copyOf(TOKEN, 24);
        byte[] request = Greetings.toPeer(new Greetings.Peers(-5, 4095, 1 << 30, 3, 9, 1L << 40 | 2, proof));
        assertThat(request)
                .hasSize(ConnectionParameters.MAX_CONNECT_BYTES)
                .startsWith('D', 'C', 'R', 'M', 2, 2, 255, 15, 3, 0);
        assertThat(Arrays.copyOfRange(request, 26, 33)).containsExactly(2, 0, 0, 0, 0, 1, 7);
        Greetings.Peers peers = Greetings.readPeers(request);
        assertThat(peers.memoryNode()).isEqualTo(-5);
        assertThat(peers.fromNode()).isEqualTo(4095);
        assertThat(peers.fromIncarnation()).isEqualTo(1 << 30);
        assertThat(peers.toNode()).isEqualTo(3);
        assertThat(peers.toIncarnation()).isEqualTo(9);
        assertThat(peers.attempt()).isEqualTo(1L << 40 | 2);
        assertThat(peers.proof()).isEqualTo(proof);
    }

    @Test
    void aGrantIsReadAsItWasWritten() throws Exception {
        RegionGrant grant = new RegionGrant(0x7F00_0000_0000L, 1L << 33, -2);
        assertThat(Greetings.readGrant(Greetings.granting(grant))).isEqualTo(grant);
        assertThatThrownBy(() -> Greetings.readGrant(new byte[23])).isInstanceOf(IOException.class);
    }

    @Test
    void anythingElseIsRefused() {
        assertThatThrownBy(() -> Greetings.readToken(new byte[55])).hasMessageContaining("not one of its requests");
        assertThatThrownBy(() -> Greetings.readToken(new byte[56])).hasMessageContaining("not one of its requests");
        byte[] newer = Greetings.toMemoryNode(TOKEN);
        newer[4] = 3;
        assertThatThrownBy(() -> Greetings.readToken(newer)).hasMessageContaining("version 3");
        assertThatThrownBy(() -> Greetings.readPeers(Greetings.toMemoryNode(TOKEN)))
                .hasMessageContaining("kind 1");
    }

    @Test
    void whereAPeerTakesConnectionsIsReadFromItsAddress() {
        assertThat(PeerConnections.addressOf("10.0.0.1:7421/rdma=4711"))
                .isEqualTo(new InetSocketAddress(InetAddress.ofLiteral("10.0.0.1"), 4711));
        assertThat(PeerConnections.addressOf("[fe80::1]:7421/rdma=4711"))
                .isEqualTo(new InetSocketAddress(InetAddress.ofLiteral("fe80::1"), 4711));
        for (String none : new String[] {
            "",
            "10.0.0.1:7421",
            "/rdma=4711",
            "10.0.0.1:1/rdma=",
            "10.0.0.1:1/rdma=99999",
            "localhost:1/rdma=4711",
            "[:1/rdma=4711"
        }) {
            assertThat(PeerConnections.addressOf(none)).as(none).isNull();
        }
    }

    /** Releases before the one whose grants tell values have no buffers for them, and must still read the address. */
    @Test
    void whetherAPeerTakesValuesIsReadFromItsAddress() {
        String present = "10.0.0.1:7421/values/rdma=4711";
        assertThat(PeerConnections.takesValues(present)).isTrue();
        assertThat(PeerConnections.addressOf(present))
                .isEqualTo(new InetSocketAddress(InetAddress.ofLiteral("10.0.0.1"), 4711));
        assertThat(SocketAddresses.parse(present))
                .isEqualTo(new InetSocketAddress(InetAddress.ofLiteral("10.0.0.1"), 7421));
        assertThat(PeerConnections.takesValues("10.0.0.1:7421/rdma=4711")).isFalse();
    }
}
