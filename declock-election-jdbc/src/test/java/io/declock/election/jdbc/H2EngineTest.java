// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.election.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.declock.spi.election.ElectionEngine;
import io.declock.spi.election.ElectionEngineContract;
import io.declock.spi.election.InvalidElectionSettingException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class H2EngineTest extends ElectionEngineContract {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final String URL = "jdbc:h2:mem:elections;DB_CLOSE_DELAY=-1";

    @Override
    protected ElectionEngine open() throws Exception {
        return new JdbcEngineProvider().open(Map.of("url", URL), TIMEOUT);
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
    void settingsThatCannotBeUsedAreRefused() {
        refused(Map.of(), "url");
        refused(Map.of("url", "jdbc:nodb:x"), "url");
        refused(Map.of("url", URL, "table-prefix", "a-b"), "table-prefix");
        refused(Map.of("url", URL, "create-tables", "perhaps"), "create-tables");
        refused(Map.of("url", URL, "uri", "x"), "uri");
    }

    private static void refused(Map<String, String> settings, String setting) {
        assertThatExceptionOfType(InvalidElectionSettingException.class)
                .isThrownBy(() -> new JdbcEngineProvider().open(settings, TIMEOUT))
                .satisfies(e -> assertThat(e.setting()).isEqualTo(setting))
                .satisfies(e -> assertThat(e.action()).isNotEmpty());
    }

    @Test
    void thePasswordIsNotShown() throws Exception {
        try (ElectionEngine engine = new JdbcEngineProvider()
                .open(Map.of("url", "jdbc:postgresql://me:hidden@127.0.0.1:1/db?password=hidden"), TIMEOUT)) {
            assertThat(engine.title()).isEqualTo("the database jdbc:postgresql://127.0.0.1:1/db");
        }
    }
}
