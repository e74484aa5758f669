// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecordLayoutTest {
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 6, 512, -8})
    void refusesOtherCapacities(int capacity) {
        assertThatIllegalArgumentException().isThrownBy(() -> new RecordLayout(capacity));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4, 8, 16, 32, 64, 128, 256})
    void recordsFillWholeCacheLinesAndKeepApart(int capacity) {
        RecordLayout layout = new RecordLayout(capacity);
        assertThat(layout.strideBytes() % RecordLayout.ALIGNMENT_BYTES).isZero();
        assertThat(layout.entry(0, capacity - 1) + Long.BYTES).isLessThanOrEqualTo(layout.strideBytes());
        assertThat(layout.claim(0)).isEqualTo(layout.entry(0, capacity - 1) + Long.BYTES);
        assertThat(layout.claim(0) + Long.BYTES).isLessThanOrEqualTo(layout.strideBytes());
        assertThat(layout.entries(0)).isGreaterThan(layout.epoch(0));
        assertThat(layout.epoch(0)).isGreaterThan(layout.header(0));
    }

    @Test
    void aRecordOfCapacityEightTakesNoMoreThan128Bytes() {
        assertThat(new RecordLayout(8).strideBytes()).isLessThanOrEqualTo(128);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4, 8, 64, 256})
    void slotAndVersionNameAnIndexOnceAndNeverTheInitialVersion(int capacity) {
        RecordLayout layout = new RecordLayout(capacity);
        for (int index = 0; index < 4 * capacity; index++) {
            assertThat(layout.version(index) * capacity + layout.slot(index)).isEqualTo(index);
        }
        int last = layout.wall() + 2 * QueueEntry.MAX_NODE_ID;
        assertThat(layout.version(last)).isLessThan(QueueEntry.INITIAL_VERSION);
        assertThat(last).isLessThan(LockHeader.HEAD_RANGE);
    }
}
