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
import java.time.Duration;
import java.util.Map;
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
