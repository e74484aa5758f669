// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.spi.ManualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.AbstractLogger;

/** Suppressed messages are counted, and the next message tells their number. */
class ThrottledLogTest {
    private final List<String> lines = new ArrayList<>();
    private final List<@Nullable Throwable> causes = new ArrayList<>();
    private final ManualTime time = new ManualTime();
    private final ThrottledLog log = new ThrottledLog(new Recording(), time, time, Duration.ofSeconds(10));

    /** Takes down what would be written. */
    private final class Recording extends AbstractLogger {
        private static final long serialVersionUID = 1L;

        @Override
        protected @Nullable String getFullyQualifiedCallerName() {
            return null;
        }

        @Override
        protected void handleNormalizedLoggingCall(
                Level level,
                @Nullable Marker marker,
                String message,
                Object @Nullable [] arguments,
                @Nullable Throwable cause) {
            lines.add(level + " " + message);
            causes.add(cause);
        }

        @Override
        public boolean isTraceEnabled() {
            return true;
        }

        @Override
        public boolean isTraceEnabled(Marker marker) {
            return true;
        }

        @Override
        public boolean isDebugEnabled() {
            return true;
        }

        @Override
        public boolean isDebugEnabled(Marker marker) {
            return true;
        }

        @Override
        public boolean isInfoEnabled() {
            return true;
        }

        @Override
        public boolean isInfoEnabled(Marker marker) {
            return true;
        }

        @Override
        public boolean isWarnEnabled() {
            return true;
        }

        @Override
        public boolean isWarnEnabled(Marker marker) {
            return true;
        }

        @Override
        public boolean isErrorEnabled() {
            return true;
        }

        @Override
        public boolean isErrorEnabled(Marker marker) {
            return true;
        }
    }

    @Test
    void aFewAreWrittenAtOnceAndTheRestAreCounted() {
        for (int i = 1; i <= 43; i++) {
            log.warn("no. {} of {}", i, "many");
        }
        assertThat(lines).hasSize(5).first().isEqualTo("WARN no. 1 of many");
        time.advance(Duration.ofSeconds(10));
        assertThat(lines).hasSize(6).last().isEqualTo("WARN no. 43 of many … and 37 more like it in the last 10 s");
        time.advance(Duration.ofMinutes(1));
        assertThat(lines).hasSize(6);
    }

    @Test
    void aFloodIsToldOfOnceInEachInterval() {
        for (int i = 0; i < 100; i++) {
            log.error("flood");
            time.advance(Duration.ofSeconds(1));
        }
        time.advance(Duration.ofSeconds(10));
        assertThat(lines).hasSizeBetween(20, 60);
        int told = lines.stream()
                .mapToInt(line ->
                        line.contains("…") ? 1 + Integer.parseInt(line.replaceAll(".*and (\\d+) more.*", "$1")) : 1)
                .sum();
        assertThat(told).as("written or counted").isEqualTo(100);
    }

    @Test
    void oneKindDoesNotHideAnother() {
        for (int i = 0; i < 20; i++) {
            log.warn("loud {}", i);
        }
        log.warn("quiet {}", 1);
        assertThat(lines).hasSize(6).last().isEqualTo("WARN quiet 1");
    }

    @Test
    void whatIsWrittenNowAndThenIsNeverSuppressed() {
        for (int i = 0; i < 50; i++) {
            log.warn("now and then");
            time.advance(Duration.ofSeconds(3));
        }
        assertThat(lines).hasSize(50).allMatch(line -> line.equals("WARN now and then"));
    }

    @Test
    void anExceptionIsWrittenWithItsStackTraceAndTextIsNotTakenForAFormat() {
        IOException cause = new IOException("x");
        log.warn("from {}", "{} and {}", cause);
        assertThat(lines).containsExactly("WARN from {} and {}");
        assertThat(causes).containsExactly(cause);
    }
}
