// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.internal.layout.RecordLayout;
import org.junit.jupiter.api.Test;

class RegionTest {
    private static final int STRIDE = new RecordLayout(64).strideBytes();

    @Test
    void recordsNeverOverlapNorStraddleSegments() {
        Region region = Region.direct(100_000, STRIDE);
        long previousEnd = 0;
        for (int i = 0; i < 100_000; i += 7) {
            region.ensureSegment(i);
            long address = region.recordAddress(i);
            assertThat(address).isGreaterThanOrEqualTo(previousEnd);
            assertThat(address % RecordLayout.ALIGNMENT_BYTES).isZero();
            assertThat(region.covers(address, STRIDE / 8)).isTrue();
            assertThat(region.recordIndex(address)).isEqualTo(i);
            assertThat(region.recordIndex(address + 8)).isEqualTo(-1);
            previousEnd = address + STRIDE;
        }
        assertThat(previousEnd).isLessThanOrEqualTo(region.sizeBytes());
    }

    @Test
    void onlyAlignedMemoryInUseIsCovered() {
        Region region = Region.direct(100_000, STRIDE);
        region.ensureSegment(0);
        assertThat(region.covers(0, 1)).isTrue();
        assertThat(region.covers(4, 1)).isFalse();
        assertThat(region.covers(-8, 1)).isFalse();
        assertThat(region.covers(Long.MIN_VALUE, 1)).isFalse();
        assertThat(region.covers(region.sizeBytes(), 1)).isFalse();
        assertThat(region.covers(0, 0)).isFalse();
        assertThat(region.covers(0, -1)).isFalse();
        assertThat(region.covers(0, Integer.MAX_VALUE)).isFalse();
        assertThat(region.covers(region.sizeBytes() - 8, 1)).as("never used").isFalse();
        assertThatThrownBy(() -> region.read(region.sizeBytes())).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void memoryIsTakenWhenNeeded() {
        Region region = Region.direct(10_000_000, new RecordLayout(8).strideBytes());
        assertThat(region.sizeBytes()).isGreaterThanOrEqualTo(1_280_000_000L);
        assertThat(region.committedBytes()).isZero();
        region.ensureSegment(9_999_999);
        assertThat(region.committedBytes()).isEqualTo(16 << 20);
        long last = region.recordAddress(9_999_999);
        region.write(last, 5);
        assertThat(region.fetchAndAdd(last, 2)).isEqualTo(5);
        assertThat(region.compareAndSwap(last, 7, 1)).isEqualTo(7);
        assertThat(region.read(last)).isEqualTo(1);
    }

    @Test
    void aRecordOfCapacityEightTakesAtMost128Bytes() {
        assertThat(new RecordLayout(8).strideBytes()).isLessThanOrEqualTo(128);
    }
}
