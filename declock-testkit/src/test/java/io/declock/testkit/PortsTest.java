// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Ports that are still free when a server is started again. */
class PortsTest {
    private static ServerSocket listenOn(int port) throws IOException {
        return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
    }

    @Test
    void aFreePortIsNoneThatTheKernelGivesToOutgoingConnections() throws IOException {
        String range = Files.readAllLines(Path.of("/proc/sys/net/ipv4/ip_local_port_range"))
                .get(0);
        int firstOutgoing = Integer.parseInt(range.split("\\s+")[0]);
        for (int i = 0; i < 20; i++) {
            int port = Ports.free();
            assertThat(port).isBetween(1024, firstOutgoing - 1);
            listenOn(port).close();
        }
    }

    @Test
    void severalFreePortsAreDifferent() {
        assertThat(Ports.free(50)).doesNotHaveDuplicates().hasSize(50);
    }

    @Test
    void noPortIsGivenTwice() {
        assertThat(IntStream.generate(Ports::free).limit(500).boxed().toList()).doesNotHaveDuplicates();
    }

    @Test
    void aPortThatSomebodyUsesIsPassedOver() throws IOException {
        int free = Ports.free();
        try (ServerSocket somebody = listenOn(Ports.free())) {
            Iterator<Integer> candidates =
                    List.of(somebody.getLocalPort(), free).iterator();
            assertThat(Ports.free(candidates::next)).isEqualTo(free);
            assertThatThrownBy(() -> Ports.free(somebody::getLocalPort))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("no free port");
        }
    }
}
