// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.Purpose;
import io.declock.Verb;
import io.declock.spi.FabricException;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RelayTest {
    private static final int RECORD_WORDS = 4;
    private static final long DISTANCE = 1_000;

    private final Map<Long, Long> region = new HashMap<>();
    private final List<VerbChain> posted = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private long[][] results = {};
    private int completions;

    /** Records of four words, far from each other. */
    private final Placement placement = new Placement() {
        @Override
        public long inRegion(long address) {
            long word = address / Long.BYTES;
            return word / RECORD_WORDS * DISTANCE + word % RECORD_WORDS * Long.BYTES;
        }

        @Override
        public int together(long address) {
            return RECORD_WORDS - (int) (address / Long.BYTES % RECORD_WORDS);
        }
    };

    private final Relay relay = new Relay(posted::add, placement, Runnable::run, failures::add);

    private final class Chain extends VerbChain {
        @Override
        public void completed(VerbResults all) {
            completions++;
            results = new long[size()][];
            for (int verb = 0; verb < size(); verb++) {
                results[verb] = new long[verb(verb) == Verb.WRITE ? 0 : words(verb)];
                for (int word = 0; word < results[verb].length; word++) {
                    results[verb][word] = all.word(verb, word);
                }
            }
        }

        @Override
        public void failed(FabricException cause) {
            throw new AssertionError(cause);
        }
    }

    private VerbChain chain() {
        return new Chain().begin(Purpose.INSPECT);
    }

    private static long address(long word) {
        return word * Long.BYTES;
    }

    private void execute(VerbChain chain) {
        long[][] read = new long[chain.size()][];
        for (int verb = 0; verb < chain.size(); verb++) {
            read[verb] = new long[chain.words(verb)];
            for (int word = 0; word < read[verb].length; word++) {
                long at = chain.address(verb) + address(word);
                long former = region.getOrDefault(at, 0L);
                read[verb][word] = former;
                switch (chain.verb(verb)) {
                    case WRITE -> region.put(at, chain.writeWord(verb, word));
                    case FETCH_AND_ADD -> region.put(at, former + chain.operand(verb));
                    case COMPARE_AND_SWAP ->
                        region.put(at, former == chain.operand(verb) ? chain.desired(verb) : former);
                    default -> {}
                }
            }
        }
        chain.completed((verb, word) -> read[verb][word]);
    }

    private void post(VerbChain chain) {
        relay.post(chain);
        List<VerbChain> now = List.copyOf(posted);
        posted.clear();
        now.forEach(this::execute);
    }

    @Test
    void aChainInOneRecordStaysOne() {
        relay.post(chain().fetchAndAdd(address(5), 3)
                .write(address(6), new long[] {1, 2})
                .compareAndSwap(address(4), 0, 9));
        assertThat(posted).hasSize(1);
        execute(posted.get(0));
        assertThat(results).isDeepEqualTo(new long[][] {{0}, {}, {0}});
        assertThat(region)
                .containsAllEntriesOf(Map.of(DISTANCE, 9L, DISTANCE + 8, 3L, DISTANCE + 16, 1L, DISTANCE + 24, 2L));
    }

    @Test
    void wordsInSeveralRecordsAreWrittenAndReadAsOne() {
        long[] words = new long[23];
        Arrays.setAll(words, i -> 100 + i);
        post(chain().write(address(2), words).write(address(40), 7));
        assertThat(completions).isOne();
        assertThat(region.get(address(2))).isEqualTo(100);
        assertThat(region.get(DISTANCE)).isEqualTo(102);
        assertThat(region.get(6 * DISTANCE)).isEqualTo(122);
        post(chain().read(address(2), 23).read(address(40), 1));
        assertThat(results).isDeepEqualTo(new long[][] {words, {7}});
        assertThat(completions).isEqualTo(2);
    }

    @Test
    void aChainHasAtMostThreeVerbsAndOneLongWrite() {
        relay.post(chain().write(address(2), new long[8]).read(address(2), 9));
        assertThat(posted.stream().mapToInt(VerbChain::size).sum()).isEqualTo(6);
        for (VerbChain part : posted) {
            int longWrites = 0;
            for (int verb = 0; verb < part.size(); verb++) {
                longWrites += part.verb(verb) == Verb.WRITE && part.words(verb) > 1 ? 1 : 0;
                assertThat(part.words(verb)).isLessThanOrEqualTo(RECORD_WORDS);
            }
            assertThat(longWrites).isLessThanOrEqualTo(1);
        }
        posted.forEach(this::execute);
        assertThat(completions).isOne();
    }

    @Test
    void partsGoInTheOrderOfTheirWordsWithTheChainsPurpose() {
        relay.post(new Chain().begin(Purpose.RELEASE).write(address(2), new long[10]));
        assertThat(posted.stream().map(part -> part.address(0))).containsExactly(address(2), DISTANCE, 2 * DISTANCE);
        assertThat(posted).allMatch(part -> part.purpose() == Purpose.RELEASE);
    }

    @Test
    void anExtendedAtomicKeepsItsOperands() {
        long[] swap = {1, 2, 3, 4, 5, 6, 7, 8};
        long[] add = {11, 12, 13, 14};
        relay.post(chain().maskedCompareAndSwap(address(0), swap));
        relay.post(chain().maskedFetchAndAdd(address(2), add));
        assertThat(posted).hasSize(2);
        assertThat(posted.get(0).verb(0)).isEqualTo(Verb.MASKED_COMPARE_AND_SWAP);
        assertThat(posted.get(1).verb(0)).isEqualTo(Verb.MASKED_FETCH_AND_ADD);
        assertThat(posted.get(1).address(0)).isEqualTo(address(2));
        for (int i = 0; i < swap.length; i++) {
            assertThat(posted.get(0).writeWord(0, i)).isEqualTo(swap[i]);
        }
        for (int i = 0; i < add.length; i++) {
            assertThat(posted.get(1).writeWord(0, i)).isEqualTo(add[i]);
        }
    }

    @Test
    void theClientIsToldWhenAllPartsHaveCompleted() {
        relay.post(chain().read(address(0), 20));
        List<VerbChain> parts = List.copyOf(posted);
        assertThat(parts).hasSize(2);
        execute(parts.get(0));
        assertThat(completions).isZero();
        execute(parts.get(1));
        assertThat(completions).isOne();
    }

    @Test
    void aFailureIsToldWithoutTheClient() {
        relay.post(chain().read(address(0), 1));
        posted.get(0).failed(new FabricException("gone"));
        assertThat(failures).hasSize(1);
        assertThat(completions).isZero();
    }
}
