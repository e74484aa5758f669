// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class QueueEntryTest {
    @Test
    void everyFieldComesBackAsItWasPut() {
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            boolean exclusive = random.nextBoolean();
            int node = 1 + random.nextInt(QueueEntry.MAX_NODE_ID);
            int incarnation = random.nextInt();
            int version = random.nextInt(QueueEntry.INITIAL_VERSION);
            long epoch = random.nextLong() & 0xFFFF_FFFFL;
            int timestamp = random.nextInt(1 << QueueEntry.TIMESTAMP_BITS);
            long entry = QueueEntry.pack(exclusive, node, incarnation, version, epoch, timestamp);
            assertThat(QueueEntry.isExclusive(entry)).isEqualTo(exclusive);
            assertThat(QueueEntry.nodeId(entry)).isEqualTo(node);
            assertThat(QueueEntry.version(entry)).isEqualTo(version);
            assertThat(QueueEntry.timestamp(entry)).isEqualTo(timestamp);
            assertThat(QueueEntry.sameIncarnation(entry, incarnation)).isTrue();
            assertThat(QueueEntry.sameIncarnation(entry, incarnation + 1)).isFalse();
            assertThat(QueueEntry.isValid(entry, version, epoch)).isTrue();
        }
    }

    @Test
    void isValidForExactlyOneVersionAndEpoch() {
        long entry = QueueEntry.pack(true, 3, 1, 7, 20, 99);
        assertThat(QueueEntry.isValid(entry, 7, 20)).isTrue();
        assertThat(QueueEntry.isValid(entry, 6, 20)).isFalse();
        assertThat(QueueEntry.isValid(entry, 8, 20)).isFalse();
        assertThat(QueueEntry.isValid(entry, 7, 21)).isFalse();
        assertThat(QueueEntry.isValid(entry, 7, 19)).isFalse();
    }

    @Test
    void initialMemoryIsValidForNobody() {
        assertThat(QueueEntry.version(QueueEntry.INITIAL)).isEqualTo(QueueEntry.INITIAL_VERSION);
        for (long epoch = 0; epoch < 32; epoch++) {
            assertThat(QueueEntry.isValid(QueueEntry.INITIAL, QueueEntry.INITIAL_VERSION, epoch))
                    .isFalse();
            assertThat(QueueEntry.isNewer(QueueEntry.INITIAL, 0, epoch)).isFalse();
        }
    }

    @Test
    void aLaterVersionOfTheSameEpochIsNewer() {
        long entry = QueueEntry.pack(false, 3, 1, 7, 20, 99);
        assertThat(QueueEntry.isNewer(entry, 6, 20)).isTrue();
        assertThat(QueueEntry.isNewer(entry, 7, 20)).isFalse();
        assertThat(QueueEntry.isNewer(entry, 8, 20)).isFalse();
        assertThat(QueueEntry.isNewer(entry, 6, 21)).isFalse();
    }
}
