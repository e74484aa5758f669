// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.laboratory;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.rdma.laboratory.program.Participant;
import io.declock.testkit.ChildProcess;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two machines on one network: one of them dies, or the cable between them is cut for a while. */
@Timeout(400)
class TwoMachinesIT {
    private static final int DEADLINE_SECONDS = 240;
    private static final Duration BOOT = Duration.ofSeconds(120);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** Lease of the participants and the memory node's margin, with the detection and the reset after it. */
    private static final Duration TAKE_OVER = Duration.ofSeconds(40);

    /** Less than the lease, and longer than an adapter and a connection over TCP wait for an answer. */
    private static final Duration CUT = Duration.ofSeconds(4);

    private static final String ADDRESS = "rdma://10.77.0.1:7420";

    @TempDir
    Path temporary;

    private int[] ports;
    private Cable cable;
    private ChildProcess first;
    private ChildProcess second;

    @BeforeEach
    void bootBoth() throws Exception {
        String image = Laboratory.image("what becomes of locks over RDMA when a machine dies");
        ports = freePorts();
        cable = new Cable(ports[0], ports[1]);
        first = boot(1, image);
        second = boot(2, image);
        first.await("^@ here", BOOT);
        second.await("^@ here", BOOT);
    }

    @AfterEach
    void endBoth() throws Exception {
        if (first != null) {
            first.close();
        }
        if (second != null) {
            second.close();
        }
        cable.close();
    }

    private ChildProcess boot(int number, String image) throws Exception {
        int own = ports[number - 1];
        int other = number == 1 ? cable.firstEnd() : cable.secondEnd();
        return VirtualMachine.boot(
                "node" + number,
                temporary.resolve("node" + number),
                Laboratory.java(Participant.class, "node" + number),
                List.of(
                        "image=" + image,
                        "project=" + Laboratory.ROOT,
                        "deadline=" + DEADLINE_SECONDS,
                        "processors=1",
                        "memory=1536",
                        "address=10.77.0." + number,
                        "mac=52:54:00:77:00:0" + number,
                        "network=socket,udp=127.0.0.1:" + other + ",localaddr=127.0.0.1:" + own));
    }

    /** The first machine serves, some machines join it, and the second holds order-1. Returns the token of that hold. */
    private long serveAndHold(ChildProcess... joining) throws Exception {
        serve("nowait");
        for (ChildProcess machine : joining) {
            machine.tell("join " + ADDRESS);
        }
        for (ChildProcess machine : joining) {
            machine.await("^@ done join", PATIENCE);
        }
        second.tell("acquire write order-1 20000");
        return tokenOfOrder1(second, PATIENCE);
    }

    private void serve(String oldSessions) throws Exception {
        first.tell("serve " + ADDRESS + " " + oldSessions);
        first.await("^@ done serve", PATIENCE);
    }

    /** Waits until a machine holds order-1. */
    private static long tokenOfOrder1(ChildProcess machine, Duration patience) throws Exception {
        return Long.parseLong(
                machine.await("^@ granted order-1 \\d+ (\\d+)", patience).group(1));
    }

    @Test
    void aComputeNodeDiesWhileItHolds() throws Exception {
        long deadOnesToken = serveAndHold(first, second);
        first.tell("acquire write order-1 60000");
        first.tell("acquire write order-2 20000");
        first.await("^@ granted order-2", PATIENCE);
        second.kill();

        // Meanwhile a lock that the dead process did not use is acquired and released.
        first.tell("release order-2");
        first.await("^@ done release", PATIENCE);
        first.tell("acquire write order-2 5000");
        first.await("^@ granted order-2", Duration.ofSeconds(6));
        assertThat(tokenOfOrder1(first, TAKE_OVER)).as("token of the successor").isGreaterThan(deadOnesToken);
    }

    @Test
    void theMemoryNodeDiesAndComesBack() throws Exception {
        long token = serveAndHold(second);

        first.kill();
        second.await("^@ lost order-1 LockLostException: .*order-1", PATIENCE);
        second.tell("acquire write order-1 2000");
        MatchResult refused = second.await("^@ refused order-1 (\\d+) (\\w+): (.*)", PATIENCE);
        assertThat(Long.parseLong(refused.group(1)))
                .as("milliseconds until it was refused")
                .isLessThan(10_000);
        assertThat(refused.group(3)).contains("order-1").contains("10.77.0.1:7420");

        first.close();
        first = boot(1, Laboratory.image("the memory node's return"));
        first.await("^@ here", BOOT);
        serve("wait");
        second.tell("acquire write order-1 60000");
        assertThat(tokenOfOrder1(second, PATIENCE))
                .as("token after the restart")
                .isGreaterThan(token);
    }

    @Test
    void aCableThatIsCutForAWhileCostsNoHold() throws Exception {
        long token = serveAndHold(first, second);
        first.tell("acquire write order-1 60000");
        second.tell("acquire write order-2 20000");
        second.await("^@ granted order-2", PATIENCE);
        second.tell("release order-2");
        second.await("^@ done release", PATIENCE);

        cable.cut(true);
        // The adapter sends its FAA again until it gives up.
        second.tell("acquire write order-2 60000");
        // Nothing tells when the adapter gives up.
        assertThat(new CountDownLatch(1).await(CUT.toMillis(), TimeUnit.MILLISECONDS))
                .isFalse();
        cable.cut(false);

        second.await("goes on with another RDMA connection", PATIENCE);
        second.await("^@ granted order-2", PATIENCE);
        second.tell("release order-1");
        second.await("^@ done release", PATIENCE);
        assertThat(tokenOfOrder1(first, PATIENCE)).as("token of the successor").isGreaterThan(token);
    }

    private static int[] freePorts() throws Exception {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (DatagramSocket one = new DatagramSocket(0, loopback);
                DatagramSocket other = new DatagramSocket(0, loopback)) {
            return new int[] {one.getLocalPort(), other.getLocalPort()};
        }
    }
}
