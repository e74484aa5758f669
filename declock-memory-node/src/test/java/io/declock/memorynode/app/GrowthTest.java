// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.ComputeNodeSettings;
import io.declock.LockHandle;
import io.declock.LockRequest;
import io.declock.MemoryNodeAddress;
import io.declock.TcpFabricSettings;
import io.declock.TlsMaterial;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.node.ComputeNode;
import io.declock.internal.tcp.client.TcpFabric;
import io.declock.testkit.PostgresServer;
import io.declock.testkit.TestCertificates;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The command that adds and removes memory nodes, with those that are hard to reach: behind TLS, and with several candidates. */
@Timeout(180)
class GrowthTest {
    private static final int LOCKS = 16;
    private static final Duration LEASE = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    private static String nodes(String... words) {
        StringWriter said = new StringWriter();
        PrintWriter out = new PrintWriter(said, true);
        assertThat(NodesCommand.run(out, out, words))
                .as("exit code; it said: %s", said)
                .isZero();
        return said.toString();
    }

    private static ComputeNode service(String addresses, TcpFabricSettings settings) throws InterruptedException {
        NodeCounters counters = new NodeCounters();
        ComputeNode node = ComputeNode.builder()
                .settings(ComputeNodeSettings.builder().lease(LEASE).build())
                .memoryNodes(List.of(addresses.split(",")).stream()
                        .map(MemoryNodeAddress::parse)
                        .toList())
                .fabric(TcpFabric.open(settings, counters))
                .counters(counters)
                .build();
        node.start();
        assertThat(node.awaitReady(Duration.ofSeconds(20))).isTrue();
        return node;
    }

    private static List<LockHandle> takeAll(ComputeNode service) throws InterruptedException {
        List<LockHandle> held = new ArrayList<>();
        for (int i = 0; i < LOCKS; i++) {
            held.add(service.acquire(LockRequest.write("order:" + i)));
        }
        return held;
    }

    /** Releases the holds, and takes each lock again by another service, which must not have been able to before. */
    private static void releaseAndTakeElsewhere(List<LockHandle> held, ComputeNode other) throws InterruptedException {
        for (int i = 0; i < held.size(); i++) {
            LockHandle handle = held.get(i);
            LockRequest same = LockRequest.write("order:" + i);
            assertThat(handle.isValid()).as("hold of order:%d", i).isTrue();
            assertThat(other.tryAcquire(same.waitTime(Duration.ZERO)))
                    .as("second hold of order:%d", i)
                    .isEmpty();
            handle.close();
            try (LockHandle next = other.acquire(same)) {
                assertThat(next.fencingToken()).isGreaterThan(handle.fencingToken());
            }
        }
    }

    @Test
    void addsAndRemovesMemoryNodesBehindTls() throws Exception {
        KeyStore store = TestCertificates.create(folder, "node", "127.0.0.1");
        Path pem = folder.resolve("node.pem");
        Files.writeString(pem, TestCertificates.certificatePem(store, "node"));
        SSLContext context = TestCertificates.context(store, store);
        TcpFabricSettings tls = TcpFabricSettings.builder()
                .clientTls(TlsMaterial.of(context, null))
                .build();
        try (RunningNode one = behindTls("one");
                RunningNode two = behindTls("two");
                ComputeNode service = service(one.address(), tls);
                ComputeNode other = service(one.address(), tls)) {
            List<LockHandle> held = takeAll(service);
            assertThat(nodes("add", two.address(), "--memory-nodes=" + one.address(), "--ca-certificate=" + pem))
                    .contains("Done: list 1");
            assertThat(two.service().status().recordsInUse())
                    .as("records that moved")
                    .isPositive();
            assertThat(nodes("remove", "one", "--memory-nodes=" + two.address(), "--ca-certificate=" + pem))
                    .contains("'one' is not used any more");
            assertThat(two.service().status().recordsInUse()).isGreaterThanOrEqualTo(LOCKS);
            releaseAndTakeElsewhere(held, other);
        }
    }

    private RunningNode behindTls(String id) {
        String bundle = "spring.ssl.bundle.jks.node.";
        String store = "file:" + folder.resolve("node.p12");
        return RunningNode.start(
                "declock.memory-node.id=" + id,
                "declock.memory-node.wait-out-old-sessions=false",
                "declock.memory-node.state-directory=" + folder.resolve(id),
                bundle + "keystore.location=" + store,
                bundle + "keystore.password=changeit",
                bundle + "truststore.location=" + store,
                bundle + "truststore.password=changeit",
                "declock.memory-node.ssl.bundle=node");
    }

    @Test
    void addsAndRemovesMemoryNodesWithCandidates() throws Exception {
        try (PostgresServer engine = PostgresServer.start();
                Candidates one = new Candidates("one", engine);
                Candidates two = new Candidates("two", engine)) {
            one.serving();
            two.serving();
            try (ComputeNode service = service(one.address(), TcpFabricSettings.DEFAULTS);
                    ComputeNode other = service(one.address(), TcpFabricSettings.DEFAULTS)) {
                List<LockHandle> held = takeAll(service);
                assertThat(nodes("add", two.address(), "--memory-nodes=" + one.address()))
                        .contains("Done: list 1");
                assertThat(two.serving().service().status().recordsInUse())
                        .as("records that moved")
                        .isPositive();
                // The next life of each has the list from the engine.
                two.endServing();
                one.endServing();
                assertThat(nodes("remove", "one", "--memory-nodes=" + two.address()))
                        .contains("'one' is not used any more");
                assertThat(two.serving().service().status().recordsInUse()).isGreaterThanOrEqualTo(LOCKS);
                releaseAndTakeElsewhere(held, other);
            }
        }
    }
}
