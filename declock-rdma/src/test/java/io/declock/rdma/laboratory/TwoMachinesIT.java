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
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two machines on one network: the cable between them is cut for a while, or one of them dies. A machine serves the next test, too, unless a
 * test has killed it: booting it and joining takes longer than most scenarios.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(400)
class TwoMachinesIT {
    private static final int DEADLINE_SECONDS = 600;
    private static final Duration BOOT = Duration.ofSeconds(120);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** Lease of the participants and the memory node's margin, with the detection and the reset after it. */
    private static final Duration TAKE_OVER = Duration.ofSeconds(40);

    /** Less than the lease, and longer than an adapter and a connection over TCP wait for an answer. */
    private static final Duration CUT = Duration.ofSeconds(4);

    private static final String ADDRESS = "rdma://10.77.0.1:7420";

    @TempDir
    Path temporary;

    private int boots;
    private int[] ports;
    private Cable cable;
    private @Nullable ChildProcess first;
    private @Nullable ChildProcess second;
    private @Nullable ChildProcess serving;
    private final Set<ChildProcess> joined = new HashSet<>();

    @BeforeAll
    void layTheCable() throws Exception {
        ports = freePorts();
        cable = new Cable(ports[0], ports[1]);
    }

    @BeforeEach
    void bootWhatIsMissing() throws Exception {
        String image = Laboratory.image("what becomes of locks over RDMA when a machine dies");
        boolean boots1 = first == null;
        boolean boots2 = second == null;
        if (boots1) {
            first = boot(1, image);
        }
        if (boots2) {
            second = boot(2, image);
        }
        if (boots1) {
            first.await("^@ here", BOOT);
        }
        if (boots2) {
            second.await("^@ here", BOOT);
        }
    }

    @AfterAll
    void endAll() throws Exception {
        for (ChildProcess machine : new ChildProcess[] {first, second}) {
            if (machine != null) {
                machine.close();
            }
        }
        cable.close();
    }

    private ChildProcess boot(int number, String image) throws Exception {
        int own = ports[number - 1];
        int other = number == 1 ? cable.firstEnd() : cable.secondEnd();
        return VirtualMachine.boot(
                "node" + number,
                temporary.resolve("node" + number + "-" + ++boots),
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
        if (serving != first) {
            serve("nowait");
        }
        List<ChildProcess> newcomers = Stream.of(joining).filter(joined::add).toList();
        for (ChildProcess machine : newcomers) {
            machine.tell("join " + ADDRESS);
        }
        for (ChildProcess machine : newcomers) {
            machine.await("^@ done join", PATIENCE);
        }
        second.tell("acquire write order-1 20000");
        return tokenOfOrder1(second, PATIENCE);
    }

    private void serve(String oldSessions) throws Exception {
        first.tell("serve " + ADDRESS + " " + oldSessions);
        first.await("^@ done serve", PATIENCE);
        serving = first;
    }

    private static void release(ChildProcess machine, String lock) throws Exception {
        machine.tell("release " + lock);
        machine.await("^@ done release", PATIENCE);
    }

    /** Waits until a machine holds order-1. */
    private static long tokenOfOrder1(ChildProcess machine, Duration patience) throws Exception {
        return Long.parseLong(
                machine.await("^@ granted order-1 \\d+ (\\d+)", patience).group(1));
    }

    @Test
    @Order(1)
    void aCableThatIsCutForAWhileCostsNoHold() throws Exception {
        long token = serveAndHold(first, second);
        first.tell("acquire write order-1 60000");
        second.tell("acquire write order-2 20000");
        second.await("^@ granted order-2", PATIENCE);
        release(second, "order-2");

        cable.cut(true);
        // The adapter sends its FAA again until it gives up.
        second.tell("acquire write order-2 60000");
        // Nothing tells when the adapter gives up.
        assertThat(new CountDownLatch(1).await(CUT.toMillis(), TimeUnit.MILLISECONDS))
                .isFalse();
        cable.cut(false);

        second.await("goes on with another RDMA connection", PATIENCE);
        second.await("^@ granted order-2", PATIENCE);
        release(second, "order-1");
        assertThat(tokenOfOrder1(first, PATIENCE)).as("token of the successor").isGreaterThan(token);
        release(first, "order-1");
        release(second, "order-2");
    }

    @Test
    @Order(2)
    void aComputeNodeDiesWhileItHolds() throws Exception {
        long deadOnesToken = serveAndHold(first, second);
        first.tell("acquire write order-1 60000");
        first.tell("acquire write order-2 20000");
        first.await("^@ granted order-2", PATIENCE);
        second.kill();
        second.close();
        second = null;

        // Meanwhile a lock that the dead process did not use is acquired and released.
        release(first, "order-2");
        first.tell("acquire write order-2 5000");
        first.await("^@ granted order-2", Duration.ofSeconds(6));
        assertThat(tokenOfOrder1(first, TAKE_OVER)).as("token of the successor").isGreaterThan(deadOnesToken);
        release(first, "order-1");
    }

    @Test
    @Order(3)
    void theMemoryNodeDiesAndComesBack() throws Exception {
        long token = serveAndHold(second);

        first.kill();
        first.close();
        second.await("^@ lost order-1 LockLostException: .*order-1", PATIENCE);
        second.tell("acquire write order-1 2000");
        MatchResult refused = second.await("^@ refused order-1 (\\d+) (\\w+): (.*)", PATIENCE);
        assertThat(Long.parseLong(refused.group(1)))
                .as("milliseconds until it was refused")
                .isLessThan(10_000);
        assertThat(refused.group(3)).contains("order-1").contains("10.77.0.1:7420");

        first = boot(1, Laboratory.image("the memory node's return"));
        first.await("^@ here", BOOT);
        serve("wait");
        second.tell("acquire write order-1 60000");
        assertThat(tokenOfOrder1(second, PATIENCE))
                .as("token after the restart")
                .isGreaterThan(token);
    }

    private static int[] freePorts() throws Exception {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (DatagramSocket one = new DatagramSocket(0, loopback);
                DatagramSocket other = new DatagramSocket(0, loopback)) {
            return new int[] {one.getLocalPort(), other.getLocalPort()};
        }
    }
}
