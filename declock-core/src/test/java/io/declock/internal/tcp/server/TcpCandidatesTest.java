// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.MemoryNodeAddress;
import io.declock.spi.ManualTime;
import io.declock.testkit.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How a candidate that serves asks the others not to take over (rule H9). */
@Timeout(60)
class TcpCandidatesTest {
    private final int port = Ports.free();

    /** A candidate that stands by, and promises if it is told to. */
    private final class Standby implements StandbyServer.Says, AutoCloseable {
        final AtomicInteger asked = new AtomicInteger();
        final StandbyServer server;
        volatile boolean promises;

        Standby(String host) throws IOException {
            ManualTime time = new ManualTime();
            server = StandbyServer.start("mn", settings(host), this, time, time);
        }

        @Override
        public String serving() {
            return "";
        }

        @Override
        public boolean promises(long term, long nanos) {
            asked.getAndIncrement();
            return promises;
        }

        @Override
        public void close() {
            server.close();
        }
    }

    private MemoryNodeServerSettings settings(String host) {
        return MemoryNodeServerSettings.builder().host(host).port(port).build();
    }

    @Test
    void theCandidateAtEachAddressOfANameMustPromise() throws Exception {
        AtomicInteger promised = new AtomicInteger();
        try (Standby one = new Standby("127.0.0.1");
                Standby other = new Standby("127.0.0.2");
                TcpCandidates candidates = new TcpCandidates(settings("127.0.0.1"), this::addresses)) {
            one.promises = true;
            ask(candidates, promised);
            await().until(() -> one.asked.get() == 1 && other.asked.get() == 1);
            other.promises = true;
            ask(candidates, promised);
            await().until(() -> promised.get() > 0);
            assertThat(promised).as("while one of them had not promised").hasValue(1);
            assertThat(one.asked).hasValue(2);
            assertThat(other.asked).hasValue(2);
        }
    }

    /** A name service that has the same answer for every name. */
    private InetAddress[] addresses(String host) throws UnknownHostException {
        return new InetAddress[] {InetAddress.getByName("127.0.0.1"), InetAddress.getByName("127.0.0.2")};
    }

    private void ask(TcpCandidates candidates, AtomicInteger promised) {
        candidates.askToPromise(
                "mn",
                List.of(new MemoryNodeAddress("tcp", "both.example", port)),
                1,
                1_000_000_000,
                promised::getAndIncrement);
    }
}
