// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class SocketAddressesTest {
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
