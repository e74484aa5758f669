// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class RecordedHistoryTest {
    private static RecordedHold writer(long token, long from, long to) {
        return new RecordedHold("a", true, token, "n1/" + token, from, to);
    }

    private static RecordedHold reader(long token, long from, long to) {
        return new RecordedHold("a", false, token, "n2/" + token, from, to);
    }

    @Test
    void readersMayOverlapAndHoldsMayTouch() {
        assertThatCode(() -> RecordedHistory.check(List.of(
                        writer(5, 40, 50), reader(3, 20, 40), reader(3, 10, 30), writer(2, 5, 10), writer(1, 5, 5))))
                .doesNotThrowAnyException();
    }

    @Test
    void writersThatOverlapAreFound() {
        assertThatThrownBy(() -> RecordedHistory.check(List.of(writer(1, 10, 20), writer(2, 19, 30))))
                .isInstanceOf(Violation.class)
                .hasMessageContaining("exclusion")
                .hasMessageContaining("n1/2");
    }

    @Test
    void aReaderBesideAWriterIsFound() {
        assertThatThrownBy(() -> RecordedHistory.check(List.of(reader(1, 10, 20), writer(2, 15, 15))))
                .isInstanceOf(Violation.class)
                .hasMessageContaining("exclusion");
    }

    @Test
    void locksOfOtherNamesAreNotInTheWay() {
        RecordedHold other = new RecordedHold("b", true, 1, "n2/1", 12, 18);
        assertThatCode(() -> RecordedHistory.check(List.of(writer(1, 10, 20), other)))
                .doesNotThrowAnyException();
    }

    @Test
    void aTokenThatDoesNotIncreaseIsFound() {
        assertThatThrownBy(() -> RecordedHistory.check(List.of(writer(2, 10, 20), writer(2, 30, 40))))
                .isInstanceOf(Violation.class)
                .hasMessageContaining("token");
    }

    @Test
    void aLineIsReadAsItWasWritten() {
        RecordedHold hold = writer(Long.MAX_VALUE, -5, 7);
        assertThat(RecordedHold.ofLine(hold.toLine())).isEqualTo(hold);
        assertThatThrownBy(() -> RecordedHold.ofLine("a write 1")).isInstanceOf(IllegalArgumentException.class);
    }
}
