// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.Verb;
import io.declock.internal.layout.RecordLayout;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
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

    private static Region used() {
        Region region = Region.direct(100, STRIDE);
        region.ensureSegment(0);
        return region;
    }

    private static long[] execute(Region region, Verb verb, long address, long... operands) {
        List<Long> found = new ArrayList<>();
        region.execute(verb, address, i -> operands[i], found::add);
        return found.stream().mapToLong(Long::longValue).toArray();
    }

    private static long[] words(Region region, long address) {
        return new long[] {region.read(address), region.read(address + 8)};
    }

    @Test
    void anExtendedAtomicNeedsAnAddressOfItsOwn() {
        Region region = used();
        assertThat(region.covers(Verb.MASKED_FETCH_AND_ADD, 16, 2)).isTrue();
        assertThat(region.covers(Verb.MASKED_COMPARE_AND_SWAP, 8, 2)).isFalse();
        assertThat(region.covers(Verb.READ, 8, 2)).isTrue();
        assertThat(region.covers(Verb.MASKED_FETCH_AND_ADD, region.sizeBytes(), 2))
                .isFalse();
        assertThatThrownBy(() -> region.execute(Verb.MASKED_FETCH_AND_ADD, 16, 1, 0))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aMaskedAdditionCarriesWithinAFieldOnly() {
        Region region = used();
        long fields = 1L << 63 | 1L << 31 | 1L << 15;
        region.write(16, 0xFFFF_FFFF_FFFF_FFFFL);
        region.write(24, -1);
        assertThat(execute(region, Verb.MASKED_FETCH_AND_ADD, 16, 1, 1, fields, 0))
                .containsExactly(-1, -1);
        assertThat(words(region, 16)).containsExactly(0xFFFF_FFFF_FFFF_0000L, 0);
        execute(region, Verb.MASKED_FETCH_AND_ADD, 16, 1L << 32 | 1 << 16 | 0x8000, 0, fields, 0);
        assertThat(words(region, 16)).containsExactly(0x0000_0000_0000_8000L, 0);
        execute(region, Verb.MASKED_FETCH_AND_ADD, 16, 0x8000, 0, fields, 0);
        assertThat(words(region, 16)).as("the highest bits of a field").containsExactly(0, 0);
        execute(region, Verb.MASKED_FETCH_AND_ADD, 16, 0xFFFF_0000L, -5, fields, -1);
        assertThat(words(region, 16)).as("subtraction, and fields of one bit").containsExactly(0xFFFF_0000L, -5);
    }

    /** Each field of random ones gets the sum that the field alone would have. */
    @Test
    void aMaskedAdditionIsTheSumOfEachField() {
        Region region = used();
        Random random = new Random(1);
        for (int round = 0; round < 1_000; round++) {
            long word = random.nextLong();
            long addend = random.nextLong();
            long highest = random.nextLong() & random.nextLong(1L << 62) & 0x5555_5555_5555_5555L;
            region.write(0, word);
            execute(region, Verb.MASKED_FETCH_AND_ADD, 0, addend, 0, highest, 0);
            assertThat(region.read(0)).isEqualTo(sumOfFields(word, addend, highest));
        }
    }

    private static long sumOfFields(long word, long addend, long highest) {
        long sum = 0;
        int low = 0;
        for (int bit = 0; bit < Long.SIZE; bit++) {
            if ((highest >>> bit & 1) != 0 || bit == Long.SIZE - 1) {
                BigInteger field = BigInteger.TWO
                        .pow(bit + 1 - low)
                        .subtract(BigInteger.ONE)
                        .shiftLeft(low);
                BigInteger both = field.and(BigInteger.valueOf(word)).add(field.and(BigInteger.valueOf(addend)));
                sum |= both.and(field).longValue();
                low = bit + 1;
            }
        }
        return sum;
    }

    @Test
    void aMaskedCompareAndSwapComparesAndReplacesTheBitsOfItsMasks() {
        Region region = used();
        region.write(32, 0x1234);
        region.write(40, 0x5678);
        assertThat(execute(region, Verb.MASKED_COMPARE_AND_SWAP, 32, 0x9934, 0, 0xFF, 0, 0xABCD, -1, 0xFF00, 0xF))
                .containsExactly(0x1234, 0x5678);
        assertThat(words(region, 32)).containsExactly(0xAB34, 0x567F);
        assertThat(execute(region, Verb.MASKED_COMPARE_AND_SWAP, 32, 0, 0, 0, -1, 1, 2, -1, -1))
                .as("the second word differs")
                .containsExactly(0xAB34, 0x567F);
        assertThat(words(region, 32)).containsExactly(0xAB34, 0x567F);
        assertThat(execute(region, Verb.MASKED_COMPARE_AND_SWAP, 32, 0, 0, 0, 0, 1, 2, -1, -1))
                .as("nothing is compared")
                .containsExactly(0xAB34, 0x567F);
        assertThat(words(region, 32)).containsExactly(1, 2);
    }

    /** Extended atomics of some threads on both words, ordinary ones of others on each: nothing is lost. */
    @Test
    void extendedAtomicsLoseNothingBesideOrdinaryOnes() throws Exception {
        Region region = used();
        int each = 100_000;
        AtomicBoolean torn = new AtomicBoolean();
        Runnable pairs = () -> {
            for (int i = 0; i < each; i++) {
                long[] found = execute(region, Verb.MASKED_FETCH_AND_ADD, 64, 1, 1L << 32, 0, 1L << 31);
                torn.compareAndSet(false, (found[0] & 0xFFFF_FFFFL) != found[1] >>> 32);
            }
        };
        Runnable swaps = () -> {
            for (int i = 0; i < each; i++) {
                execute(region, Verb.MASKED_COMPARE_AND_SWAP, 64, -1, -1, 1, 1, 0, 0, -1, -1);
            }
        };
        Runnable first = () -> {
            for (int i = 0; i < each; i++) {
                region.execute(Verb.FETCH_AND_ADD, 64, 1L << 32, 0);
            }
        };
        Runnable second = () -> {
            for (int i = 0; i < each; i++) {
                region.execute(Verb.FETCH_AND_ADD, 72, 2, 0);
            }
        };
        // A swap would reset both words if it ever saw an odd second word together with an odd first one: the second
        // one is always even.
        List<Thread> threads =
                Stream.of(pairs, pairs, swaps, first, second).map(Thread::new).toList();
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(torn).isFalse();
        assertThat(words(region, 64)).containsExactly(2L * each | (long) each << 32, 2L * each << 32 | 2L * each);
    }

    @Test
    void aRecordOfCapacityEightTakesAtMost128Bytes() {
        assertThat(new RecordLayout(8).strideBytes()).isLessThanOrEqualTo(128);
    }
}
