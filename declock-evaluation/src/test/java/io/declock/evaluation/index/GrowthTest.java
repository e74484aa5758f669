// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.LockMode;
import io.declock.Verb;
import io.declock.evaluation.index.IndexRequest.Operation;
import io.declock.evaluation.load.Chance;
import io.declock.protocols.application.ApplicationClient;
import io.declock.spi.VerbChain;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Two clients want to make a root, verb by verb: hardly any seed of {@link BTreeTest} meets that. */
class GrowthTest {
    private static final BTree.Settings SETTINGS = new BTree.Settings(16, 50, 50, 1, 1, false);
    private static final List<List<Long>> PUTS = List.of(List.of(1L, 2L, 3L, 4L), List.of(10L, 11L, 12L, 13L));

    private final long[] memory = new long[SETTINGS.nodeWords() * SETTINGS.nodes()];
    private final BTree tree = new BTree(SETTINGS, new Puts());

    private record Puts() implements IndexLoad {
        @Override
        public String name() {
            return "puts";
        }

        @Override
        public LongStream keys() {
            return LongStream.empty();
        }

        @Override
        public int scanned() {
            return 1;
        }

        @Override
        public Requests requests(int client, Chance chance) {
            Iterator<Long> keys = PUTS.get(client).iterator();
            return () -> keys.hasNext() ? new IndexRequest(Operation.PUT, keys.next()) : null;
        }
    }

    /** A client whose verbs wait until the test executes them. It never waits for a lock: no two are at one node at the same time here. */
    private final class Scripted extends StillWorld {
        private final Deque<VerbChain> posted = new ArrayDeque<>();

        Scripted(int number) {
            super(new ArrayDeque<>());
            ApplicationClient client = tree.client(number, this);
            later.add(client::start);
        }

        /** Goes on until the client has nothing to do, or has posted a swap of the root's word. */
        void run(boolean alsoGrows) {
            while (!later.isEmpty() || !posted.isEmpty()) {
                if (!later.isEmpty()) {
                    later.remove().run();
                } else if (!alsoGrows && grows()) {
                    return;
                } else {
                    execute(posted.remove());
                }
            }
        }

        boolean grows() {
            return !posted.isEmpty() && posted.element().verb(posted.element().size() - 1) == Verb.COMPARE_AND_SWAP;
        }

        private void execute(VerbChain chain) {
            long[][] found = new long[chain.size()][];
            for (int verb = 0; verb < found.length; verb++) {
                found[verb] = new long[chain.words(verb)];
                for (int i = 0; i < found[verb].length; i++) {
                    int word = (int) (chain.address(verb) / Long.BYTES) + i;
                    found[verb][i] = memory[word];
                    memory[word] = changed(chain, verb, i, memory[word]);
                }
            }
            chain.completed((verb, word) -> found[verb][word]);
        }

        private static long changed(VerbChain chain, int verb, int i, long former) {
            return switch (chain.verb(verb)) {
                case WRITE -> chain.writeWord(verb, i);
                case FETCH_AND_ADD -> former + chain.operand(verb);
                case COMPARE_AND_SWAP -> former == chain.operand(verb) ? chain.desired(verb) : former;
                default -> former;
            };
        }

        @Override
        public void acquire(int lock, LockMode mode, Runnable granted) {
            granted.run();
        }

        @Override
        public void release(int lock, Runnable released) {
            released.run();
        }

        @Override
        public void post(VerbChain chain) {
            posted.add(chain);
        }
    }

    @Test
    void aClientThatLosesTheRootEntersItsNodeIntoTheOneThatHasWon() {
        tree.load((word, words) -> System.arraycopy(words, 0, memory, (int) word, words.length));
        Scripted loser = new Scripted(0);
        Scripted winner = new Scripted(1);
        loser.run(false);
        assertThat(loser.grows()).isTrue();
        winner.run(true);
        loser.run(true);
        assertThat(TreeCheck.entries(SETTINGS, word -> memory[(int) word]))
                .containsOnlyKeys(1L, 2L, 3L, 4L, 10L, 11L, 12L, 13L);
    }
}
