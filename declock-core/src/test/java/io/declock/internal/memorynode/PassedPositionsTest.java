// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.RecordLayout;
import io.declock.spi.ManualTime;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** How much locks are used, by the heads of their queues. */
class PassedPositionsTest {
    /** Of more than one segment of memory, as a memory node has by default. */
    private static final int RECORDS = 40_000;

    private final ManualTime time = new ManualTime();
    private final RecordLayout layout = new RecordLayout(64);
    private final Region region = Region.direct(RECORDS, layout.strideBytes());
    private final RecordAllocator allocator = new RecordAllocator(region, layout, new HighWaterMark(1_000), RECORDS);
    private final PassedPositions passed = new PassedPositions(
            new NodeBasics(
                    MemoryNodeSettings.builder("a").records(RECORDS).build(),
                    time,
                    time,
                    region,
                    layout,
                    1,
                    Term.UNLIMITED),
            allocator);

    private Map<Integer, Double> look() {
        Map<Integer, Double> found = new TreeMap<>();
        passed.look(found::put);
        return found;
    }

    private void head(int record, long epoch, int head) {
        region.write(layout.header(region.recordAddress(record)), LockHeader.pack(epoch, head, 0, 0));
    }

    @Test
    void recordsThatHaveNoMemoryYetAreNotLookedAt() {
        assertThat(look()).isEmpty();
        assertThat(look()).isEmpty();
        int record = allocator.allocate();
        head(record, 1_000, 3);
        time.advance(Duration.ofSeconds(1));
        assertThat(look()).containsExactly(Map.entry(record, 3.0));
    }

    @Test
    void theFirstLookFindsNothing() {
        head(allocator.allocate(), 1_000, 5);
        assertThat(look()).isEmpty();
    }

    @Test
    void positionsAreCountedPerSecondBetweenTwoLooks() {
        int busy = allocator.allocate();
        allocator.allocate();
        head(busy, 1_000, 10);
        look();
        head(busy, 1_000, 15);
        time.advance(Duration.ofSeconds(2));
        assertThat(look()).containsExactly(Map.entry(busy, 2.5));
        time.advance(Duration.ofSeconds(2));
        assertThat(look()).isEmpty();
    }

    @Test
    void aResetBeginsTheQueueAnew() {
        int record = allocator.allocate();
        head(record, 1_000, 10);
        look();
        head(record, 1_001, 4);
        time.advance(Duration.ofSeconds(1));
        assertThat(look()).containsExactly(Map.entry(record, 4.0));
    }
}
