// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.inprocess;

import io.declock.Verb;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.NodeCounts;
import io.declock.internal.memorynode.Region;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;

/** Executes chains on a region. Thread-safe. */
final class ChainExecutor {
    private final Region region;
    private final NodeCounts counts;

    ChainExecutor(MemoryNode node) {
        if (!node.region().executedHere()) {
            throw new IllegalStateException("memory node " + node.id()
                    + " is served by an RDMA adapter, whose atomics are not atomic with a processor's;"
                    + " use tcp:// or rdma://");
        }
        this.region = node.region();
        this.counts = node.counts();
    }

    /**
     * Executes every verb in order.
     *
     * @throws IndexOutOfBoundsException if a verb reaches outside the region; then no verb was executed
     */
    Results execute(VerbChain chain) {
        int words = 0;
        for (int i = 0; i < chain.size(); i++) {
            if (!region.covers(chain.verb(i), chain.address(i), chain.words(i))) {
                throw new IndexOutOfBoundsException("verb " + i + " of " + chain);
            }
            words += chain.verb(i) == Verb.WRITE ? 0 : chain.words(i);
        }
        Results results = new Results(words);
        for (int i = 0; i < chain.size(); i++) {
            results.begin(i);
            execute(chain, i, results);
        }
        return results;
    }

    private void execute(VerbChain chain, int i, Results results) {
        Verb verb = chain.verb(i);
        counts.count(verb);
        if (verb.isExtended()) {
            region.execute(verb, chain.address(i), w -> chain.writeWord(i, w), results::add);
            return;
        }
        for (int w = 0; w < chain.words(i); w++) {
            long operand = verb == Verb.WRITE ? chain.writeWord(i, w) : chain.operand(i);
            long found = region.execute(verb, chain.address(i) + (long) w * Long.BYTES, operand, chain.desired(i));
            if (verb != Verb.WRITE) {
                results.add(found);
            }
        }
    }

    /** The results of a chain's verbs. Not thread-safe. */
    static final class Results implements VerbResults {
        private final long[] words;
        private final int[] starts = new int[VerbChain.MAX_VERBS];
        private int size;

        Results(int words) {
            this.words = new long[words];
        }

        void begin(int verb) {
            starts[verb] = size;
        }

        void add(long word) {
            words[size++] = word;
        }

        @Override
        public long word(int verb, int word) {
            return words[starts[verb] + word];
        }
    }
}
