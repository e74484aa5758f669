// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.election.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.declock.spi.election.ElectionEngine;
import io.declock.spi.election.ElectionEngine.Elected;
import io.declock.spi.election.ElectionEngineContract;
import io.declock.spi.election.ElectionException;
import io.declock.testkit.PostgresServer;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** On a real PostgreSQL. */
final class PostgresEngineTest extends ElectionEngineContract {
    private static PostgresServer server;

    @BeforeAll
    static void startServer() throws Exception {
        server = PostgresServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Override
    protected ElectionEngine open() throws Exception {
        return new JdbcEngineProvider()
                .open(
                        Map.of("url", server.url(), "username", server.user(), "password", server.password()),
                        Duration.ofSeconds(2));
    }

    @Override
    protected Duration lease() {
        return Duration.ofSeconds(1);
    }

    @Override
    protected boolean tells() {
        return false;
    }

    @Test
    void aDatabaseThatStopsFailsEachAttemptInTimeAndItsTermsGoOnAfterwards() throws Exception {
        ElectionEngine engine = client();
        Elected elected = (Elected) engine.acquire(memoryNode, "tcp://a1:7420", Duration.ofSeconds(30));
        server.kill();
        long before = System.nanoTime();
        assertThatExceptionOfType(ElectionException.class)
                .isThrownBy(() -> engine.renew(memoryNode, elected.term(), lease()))
                .withMessageContaining(engine.title());
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(6));
        server.startAgain();
        assertThat(engine.renew(memoryNode, elected.term(), lease())).isTrue();
    }
}
