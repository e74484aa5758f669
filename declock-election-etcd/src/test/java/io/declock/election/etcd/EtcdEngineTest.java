// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.election.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.declock.spi.election.ElectionEngine;
import io.declock.spi.election.ElectionEngine.Elected;
import io.declock.spi.election.ElectionEngine.Held;
import io.declock.spi.election.ElectionEngineContract;
import io.declock.spi.election.ElectionException;
import io.declock.spi.election.InvalidElectionSettingException;
import io.declock.testkit.EtcdServer;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** On a real etcd with its default settings. */
final class EtcdEngineTest extends ElectionEngineContract {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static EtcdServer server;

    @BeforeAll
    static void startServer() throws Exception {
        server = EtcdServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Override
    protected ElectionEngine open() throws Exception {
        return new EtcdEngineProvider().open(Map.of("endpoints", server.address()), TIMEOUT);
    }

    @Override
    protected Duration lease() {
        return Duration.ofSeconds(2);
    }

    @Test
    void anEtcdThatStopsFailsEachAttemptInTimeAndItsTermsGoOnAfterwards() throws Exception {
        ElectionEngine engine = client();
        Elected elected = (Elected) engine.acquire(memoryNode, "tcp://a1:7420", Duration.ofSeconds(30));
        server.kill();
        long before = System.nanoTime();
        assertThatExceptionOfType(ElectionException.class)
                .isThrownBy(() -> engine.renew(memoryNode, elected.term(), lease()))
                .withMessageContaining(engine.title());
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(6));
        server.startAgain();
        await().ignoreExceptions()
                .atMost(Duration.ofSeconds(15))
                .until(() -> engine.renew(memoryNode, elected.term(), lease()));
        assertThat(client().acquire(memoryNode, "tcp://a2:7420", lease()))
                .isEqualTo(new Held(elected.term(), "tcp://a1:7420"));
    }

    @Test
    void aChangeThatComesLateOrTwiceUndoesNothing() throws Exception {
        try (EtcdEngine engine = (EtcdEngine) open()) {
            Elected elected = (Elected) engine.acquire(memoryNode, "tcp://a1:7420", lease());
            long created = created();
            assertThat(engine.keep(memoryNode, created, 2, mark("2"))).isTrue();
            assertThat(engine.keep(memoryNode, created, 2, mark("2"))).isTrue();
            assertThatExceptionOfType(ElectionException.class)
                    .isThrownBy(() -> engine.keep(memoryNode, created, 1, mark("1")))
                    .withMessageContaining("a later change");
            assertThat(engine.keep(memoryNode, created - 1, 3, mark("3"))).isFalse();
            engine.resign(memoryNode, elected.term());
            assertThat(engine.keep(memoryNode, created, 4, mark("4"))).isFalse();
            Elected next = (Elected) engine.acquire(memoryNode, "tcp://a1:7420", lease());
            assertThat(next.kept().get("mark")).isEqualTo("2".getBytes(StandardCharsets.UTF_8));
            assertThat(engine.keep(memoryNode, next.term(), mark("5"))).isTrue();
        }
    }

    @Test
    void aTermWhoseLeaderKeyWasDeletedIsNotRenewed() throws Exception {
        ElectionEngine one = client();
        Elected first = (Elected) one.acquire(memoryNode, "tcp://a1:7420", lease());
        try (Client etcd = Client.builder().endpoints(server.address()).build()) {
            etcd.getKVClient().delete(leader()).get();
        }
        assertThat(one.renew(memoryNode, first.term(), lease())).isFalse();
        ElectionEngine two = client();
        assertThat(two.acquire(memoryNode, "tcp://a2:7420", lease())).isInstanceOf(Elected.class);
        assertThat(one.renew(memoryNode, first.term(), lease())).isFalse();
    }

    private ByteSequence leader() {
        return ByteSequence.from("/declock/" + memoryNode + "/leader", StandardCharsets.UTF_8);
    }

    private long created() throws Exception {
        try (Client etcd = Client.builder().endpoints(server.address()).build()) {
            return etcd.getKVClient().get(leader()).get().getKvs().get(0).getCreateRevision();
        }
    }

    private static Map<String, Optional<byte[]>> mark(String text) {
        return Map.of("mark", Optional.of(text.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void settingsThatCannotBeUsedAreRefused() {
        refused(Map.of(), "endpoints");
        refused(Map.of("endpoints", "http://e:1", "url", "x"), "url");
        refused(Map.of("endpoints", "https://e:1", "ca-certificate", "/no/such.pem"), "ca-certificate");
    }

    private static void refused(Map<String, String> settings, String setting) {
        assertThatExceptionOfType(InvalidElectionSettingException.class)
                .isThrownBy(() -> new EtcdEngineProvider().open(settings, TIMEOUT))
                .satisfies(e -> assertThat(e.setting()).isEqualTo(setting));
    }
}
