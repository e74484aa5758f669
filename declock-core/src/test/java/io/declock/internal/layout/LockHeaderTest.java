// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LockHeaderTest {
    private static final int LARGEST_SIZE = (1 << LockHeader.SIZE_BITS) - 1;
    private static final int LARGEST_WRITERS = (1 << LockHeader.WRITERS_BITS) - 1;
    private static final int LARGEST_HEAD = LockHeader.HEAD_RANGE - 1;

    private static void check(long header, int epoch, int head, int size, int writers) {
        assertThat(new int[] {
                    LockHeader.epoch(header),
                    LockHeader.head(header),
                    LockHeader.size(header),
                    LockHeader.writers(header)
                })
                .as(LockHeader.toString(header))
                .containsExactly(epoch, head, size, writers);
    }

    @Test
    void everyFieldComesBackAsItWasPut() {
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            int epoch = random.nextInt(1 << LockHeader.EPOCH_BITS);
            int head = random.nextInt(LockHeader.HEAD_RANGE);
            int size = random.nextInt(LARGEST_SIZE + 1);
            int writers = random.nextInt(LARGEST_WRITERS + 1);
            long header = LockHeader.pack(epoch, head, size, writers);
            check(header, epoch, head, size, writers);
            assertThat(LockHeader.isInReset(header)).isFalse();
            check(LockHeader.inReset(header), epoch, head, size, writers);
            assertThat(LockHeader.isInReset(LockHeader.inReset(header))).isTrue();
        }
    }

    @Test
    void fieldsAtTheirLimitsDoNotTouchEachOther() {
        check(LockHeader.pack(LockHeader.EPOCH_MASK, 0, 0, 0), LockHeader.EPOCH_MASK, 0, 0, 0);
        check(LockHeader.pack(0, LARGEST_HEAD, 0, 0), 0, LARGEST_HEAD, 0, 0);
        check(LockHeader.pack(0, 0, LARGEST_SIZE, 0), 0, 0, LARGEST_SIZE, 0);
        check(LockHeader.pack(0, 0, 0, LARGEST_WRITERS), 0, 0, 0, LARGEST_WRITERS);
        check(LockHeader.inReset(LockHeader.pack(0, 0, 0, 0)), 0, 0, 0, 0);
    }

    @Test
    void isOverfullOnlyWithMorePositionsThanComputeNodes() {
        assertThat(LockHeader.isOverfull(LockHeader.pack(1, 5, QueueEntry.MAX_NODE_ID, 1)))
                .isFalse();
        assertThat(LockHeader.isOverfull(LockHeader.pack(1, 5, QueueEntry.MAX_NODE_ID + 1, 1)))
                .isTrue();
    }

    @Test
    void aFullEpochIsCutToItsLowBits() {
        check(LockHeader.pack((7L << LockHeader.EPOCH_BITS) + 5, 1, 2, 1), 5, 1, 2, 1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void acquiringCarriesIntoNothingUpToTwiceTheLargestNumberOfComputeNodes(boolean exclusive) {
        long header = LockHeader.inReset(LockHeader.pack(9, LARGEST_HEAD - 9000, 0, 0));
        for (int i = 1; i <= LARGEST_SIZE; i++) {
            header += LockHeader.acquire(exclusive);
            check(header, 9, LARGEST_HEAD - 9000, i, exclusive ? i : 0);
        }
        for (int i = 1; i <= LARGEST_SIZE; i++) {
            header += LockHeader.release(exclusive);
            int left = LARGEST_SIZE - i;
            check(header, 9, LARGEST_HEAD - 9000 + i, left, exclusive ? left : 0);
        }
    }

    @Test
    void releasingUpToTheLastHeadDoesNotReachTheEpoch() {
        long header = LockHeader.pack(9, LARGEST_HEAD - 1, 1, 1) + LockHeader.release(true);
        check(header, 9, LARGEST_HEAD, 0, 0);
    }

    @Test
    void givingBackAndTakingInOneStepIsBothSteps() {
        long header = LockHeader.pack(3, 10, 4, 2);
        for (boolean was : new boolean[] {false, true}) {
            for (boolean now : new boolean[] {false, true}) {
                assertThat(header + LockHeader.requeue(was, now))
                        .isEqualTo(header + LockHeader.release(was) + LockHeader.acquire(now));
            }
        }
        check(header + LockHeader.requeue(true, false), 3, 11, 4, 1);
        check(header + LockHeader.requeue(false, true), 3, 11, 4, 3);
    }

    @Test
    void downgradingTakesOneWriterAway() {
        check(LockHeader.pack(3, 10, 1, 1) + LockHeader.downgrade(), 3, 10, 1, 0);
        check(LockHeader.pack(3, 10, 1, 0) - LockHeader.downgrade(), 3, 10, 1, 1);
    }

    @Test
    void aReaderIsGrantedBesideReadersAndAWriterAlone() {
        long free = LockHeader.pack(1, 5, 0, 0);
        long read = LockHeader.pack(1, 5, 2, 0);
        long written = LockHeader.pack(1, 5, 2, 1);
        assertThat(LockHeader.grants(free, true)).isTrue();
        assertThat(LockHeader.grants(free, false)).isTrue();
        assertThat(LockHeader.grants(read, true)).isFalse();
        assertThat(LockHeader.grants(read, false)).isTrue();
        assertThat(LockHeader.grants(written, true)).isFalse();
        assertThat(LockHeader.grants(written, false)).isFalse();
    }
}
