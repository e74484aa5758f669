// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The messages for a wrong configuration of the memory node say what is wrong, and what to do. */
@ExtendWith(OutputCaptureExtension.class)
class MemoryNodeFailuresTest {
    private static void fails(String... properties) {
        assertThatThrownBy(() -> RunningNode.start(properties).close()).isInstanceOf(Exception.class);
    }

    @Test
    void portInUse(CapturedOutput output) throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            fails("declock.memory-node.port=" + taken.getLocalPort());
            assertThat(output)
                    .contains("The memory node cannot listen on 127.0.0.1:" + taken.getLocalPort() + ": ")
                    .contains("in use")
                    .contains("choose another one with declock.memory-node.port");
        }
    }

    @Test
    void memoryTooSmallForOneRecord(CapturedOutput output) {
        fails("declock.memory-node.records=", "declock.memory-node.memory=100B");
        assertThat(output)
                .contains(
                        "declock.memory-node.memory is 100B, which is too small for a single lock record of 576 bytes.")
                .contains("Give at least 576 bytes per lock name in use");
    }

    @Test
    void moreMemoryThanTheJvmGives(CapturedOutput output) {
        fails("declock.memory-node.records=", "declock.memory-node.memory=1000GB");
        assertThat(output)
                .contains("lock records of 576 bytes, 1000.0 GiB in all, and the JVM allows ")
                .contains("Start it with -XX:MaxDirectMemorySize=");
    }

    @Test
    void memoryAndRecords(CapturedOutput output) {
        fails("declock.memory-node.memory=1MB");
        assertThat(output).contains("declock.memory-node.memory and declock.memory-node.records are both set.");
    }

    @Test
    void queueCapacityThatIsNoPowerOfTwo(CapturedOutput output) {
        fails("declock.memory-node.queue-capacity=7");
        assertThat(output)
                .contains("declock.memory-node.queue-capacity is 7.")
                .contains("Set it to a power of two from 2 to 256");
    }

    @Test
    void unknownSslBundle(CapturedOutput output) {
        fails("declock.memory-node.ssl.bundle=missing", "spring.ssl.bundle.pem.other.keystore.certificate=x");
        assertThat(output)
                .contains("names the SSL bundle 'missing', which does not exist. There are: other.")
                .contains("Define it with spring.ssl.bundle.pem.missing.*");
    }

    @Test
    void noId(CapturedOutput output) {
        fails("declock.memory-node.id=");
        assertThat(output).contains("declock.memory-node.id is not set", "keeps for ever");
    }

    @Test
    void aListOfMemoryNodesWithoutItsOwnId(CapturedOutput output) {
        fails("declock.memory-node.nodes=one,two");
        assertThat(output).contains("declock.memory-node.nodes is 'one,two'", "own id 'test'");
    }

    @Test
    void aListOfMemoryNodesWithAnIdTwice(CapturedOutput output) {
        fails("declock.memory-node.nodes=test,two,two");
        assertThat(output).contains("has an id twice");
    }

    @Test
    void aLeaseLongerThanTheNextLifeWouldWaitFor(CapturedOutput output) {
        fails("declock.memory-node.max-lease=11s");
        assertThat(output)
                .contains("declock.memory-node.max-lease is 11000ms", "Raise declock.memory-node.former-lease");
    }

    @Test
    void clientCertificatesWithoutTls(CapturedOutput output) {
        fails("declock.memory-node.ssl.client-auth=need");
        assertThat(output)
                .contains("declock.memory-node.ssl.client-auth is need, but without declock.memory-node.ssl.bundle")
                .contains("Set declock.memory-node.ssl.bundle");
    }

    @Test
    void passwordOfTheConsoleThatIsTooShort(CapturedOutput output) {
        fails("declock.memory-node.console.operator-password=not-long-enough");
        assertThat(output)
                .contains("declock.memory-node.console.operator-password has 15 characters and needs at least 16")
                .doesNotContain("not-long-enough");
    }

    @Test
    void secretThatIsTooShort(CapturedOutput output) {
        fails("declock.memory-node.secret=not-long-enough");
        assertThat(output)
                .contains("the secret has 15 characters and needs at least 16")
                .contains("openssl rand")
                .doesNotContain("not-long-enough");
    }

    @Test
    void formerSecretAlone(CapturedOutput output) {
        fails("declock.memory-node.former-secret=the-former-secret");
        assertThat(output).contains("declock.memory-node.former-secret is set and declock.memory-node.secret is not");
    }

    @Test
    void valueThatCannotBe(CapturedOutput output) {
        fails("declock.memory-node.max-lease=0s");
        assertThat(output).contains("declock.memory-node.max-lease is 0ms, but it must be longer than zero");
    }

    @Test
    void aLeaseThatNobodyCouldRenew(CapturedOutput output) {
        fails("declock.memory-node.max-lease=1ns");
        assertThat(output).contains("declock.memory-node.max-lease is PT0.000000001S, but it must be at least 50ms");
    }

    @Test
    void portFileThatCannotBeWritten(CapturedOutput output) {
        fails("declock.memory-node.port-file=/does/not/exist");
        assertThat(output).contains("The port cannot be written to /does/not/exist");
    }

    private static final String CANDIDATES =
            "declock.memory-node.election.candidates=tcp://127.0.0.1:7420,tcp://127.0.0.1:7421";
    private static final String ADDRESS = "declock.memory-node.election.address=tcp://127.0.0.1:7420";

    @Test
    void anEngineThatIsNotKnown(CapturedOutput output) {
        fails("declock.memory-node.election.engine=redis", CANDIDATES, ADDRESS);
        assertThat(output).contains("election.engine is 'redis', which is not known here", "etcd", "jdbc", "zookeeper");
    }

    @Test
    void anEngineWithoutItsSettings(CapturedOutput output) {
        fails("declock.memory-node.election.engine=etcd", CANDIDATES, ADDRESS);
        assertThat(output).contains("declock.memory-node.election.etcd.endpoints is not set");
    }

    @Test
    void aSettingThatTheEngineDoesNotKnow(CapturedOutput output) {
        fails(
                "declock.memory-node.election.engine=jdbc",
                "declock.memory-node.election.jdbc.url=jdbc:h2:mem:x",
                "declock.memory-node.election.jdbc.user=me",
                CANDIDATES,
                ADDRESS);
        assertThat(output).contains("declock.memory-node.election.jdbc.user is not known", "username");
    }

    @Test
    void anElectionWithoutTheOwnAddress(CapturedOutput output) {
        fails("declock.memory-node.election.engine=etcd", CANDIDATES);
        assertThat(output).contains("declock.memory-node.election.address is not");
    }

    @Test
    void anAddressThatIsNoCandidate(CapturedOutput output) {
        fails(
                "declock.memory-node.election.engine=etcd",
                CANDIDATES,
                "declock.memory-node.election.address=tcp://127.0.0.1:9999");
        assertThat(output).contains("tcp://127.0.0.1:9999, which is not among");
    }

    @Test
    void aTermThatNoLeaseOutlasts(CapturedOutput output) {
        fails("declock.memory-node.election.engine=etcd", "declock.memory-node.election.lease=9s", CANDIDATES, ADDRESS);
        assertThat(output).contains("A fail-over takes up to 11000 ms", "max-lease is 10000 ms", "former-lease");
    }

    @Test
    void aListInTwoPlaces(CapturedOutput output) {
        fails(
                "declock.memory-node.election.engine=etcd",
                "declock.memory-node.state-directory=/tmp/none",
                CANDIDATES,
                ADDRESS);
        assertThat(output).contains("state-directory and declock.memory-node.election.engine are both set");
    }
}
