// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.chains;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Rule G2, the memory node's side. */
class ExecutedChainsTest {
    private final ExecutedChains executed = new ExecutedChains();

    private boolean execute(int sequence, int oldest, long... found) {
        if (!executed.begin(sequence, oldest)) {
            return false;
        }
        Arrays.stream(found).forEach(executed::found);
        return true;
    }

    private List<String> replay(int oldest) {
        List<String> chains = new ArrayList<>();
        executed.replay(oldest, (sequence, words) -> chains.add(sequence + Arrays.toString(words)));
        return chains;
    }

    @Test
    void onlyTheNextChainIsExecuted() {
        assertThat(execute(1, 0)).isFalse();
        assertThat(execute(0, 0, 7)).isTrue();
        assertThat(execute(0, 0, 8)).isFalse();
        assertThat(execute(2, 0, 8)).isFalse();
        assertThat(execute(1, 2, 8)).as("confirms an answer to itself").isFalse();
        assertThat(executed.next()).isEqualTo(1);
        assertThat(replay(0)).containsExactly("0[7]");
    }

    @Test
    void resultsAreRememberedUntilTheyAreConfirmed() {
        execute(0, 0, 1);
        execute(1, 0);
        execute(2, 1, 3, 4);
        assertThat(replay(1)).containsExactly("1[]", "2[3, 4]");
        assertThat(replay(2)).containsExactly("2[3, 4]");
        assertThat(replay(3)).isEmpty();
        assertThat(executed.remembers(1)).isTrue();
        assertThat(executed.remembers(0)).as("a confirmed result").isFalse();
        assertThat(executed.remembers(4)).as("a chain that was not sent").isFalse();
    }

    @Test
    void theMemoryIsBounded() {
        int words = 512;
        int chains = 3 * ExecutedChains.MOST_WORDS / words;
        long[] many = new long[words];
        for (int i = 0; i < chains; i++) {
            Arrays.fill(many, i);
            assertThat(execute(i, 0, many)).isTrue();
        }
        assertThat(executed.bytes()).isEqualTo(1 << 20);
        assertThat(executed.remembers(0)).isFalse();
        int oldest = chains - ExecutedChains.MOST_WORDS / (words + 1);
        assertThat(executed.remembers(oldest)).isTrue();
        assertThat(executed.remembers(oldest - 1)).isFalse();
        List<Long> found = new ArrayList<>();
        executed.replay(oldest, (sequence, results) -> {
            assertThat(results).hasSize(words).containsOnly(sequence);
            found.add(results[0]);
        });
        assertThat(found).hasSize(chains - oldest);
    }

    @Test
    void anythingConfirmedIsForgottenAndNothingElse() {
        for (int seed = 0; seed < 200; seed++) {
            likeAPlainMap(new ExecutedChains(), new Random(seed));
        }
    }

    private static void likeAPlainMap(ExecutedChains chains, Random random) {
        TreeMap<Integer, long[]> model = new TreeMap<>();
        int oldest = 0;
        for (int next = 0; next < 300; next++) {
            oldest += random.nextInt(4) == 0 ? random.nextInt(next - oldest + 1) : 0;
            long[] words = random.longs(random.nextInt(20)).toArray();
            assertThat(chains.begin(next, oldest)).isTrue();
            Arrays.stream(words).forEach(chains::found);
            model.headMap(oldest).clear();
            model.put(next, words);
        }
        TreeMap<Integer, long[]> found = new TreeMap<>();
        chains.replay(oldest, found::put);
        assertThat(found.keySet()).isEqualTo(model.keySet());
        model.forEach((sequence, words) -> assertThat(found.get(sequence)).containsExactly(words));
    }
}
