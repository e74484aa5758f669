// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.Verb;
import io.declock.spi.ExtendedAtomics;
import io.declock.spi.VerbChain;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The words of a memory node, on which its adapter and its processor work, atomically to each other as <i>Asymmetric Mutual Exclusion for RDMA</i>
 * (Nelson-Slivon, Tseng, Palmieri), table 1, says. What the adapter does is atomic to what else it does. What the processor does is atomic to what else it
 * does, and to READs and WRITEs of single words. But an atomic of the adapter is a read and a later write for the processor, so that what the processor
 * writes between the two is unseen by the atomic, and lost. Extended atomics are written at once: no lock uses them beside a processor.
 */
final class SimulatedMemory {
    /** Learns of each word that is written, once each. */
    @FunctionalInterface
    interface Changes {
        void changed(long word, long before, long after);
    }

    /** The value of an atomic that was executed and is not written yet. */
    static final class Unwritten {
        private final long word;
        private final long value;
        private final long writes;

        private Unwritten(long word, long value, long writes) {
            this.word = word;
            this.value = value;
            this.writes = writes;
        }
    }

    /** What a verb has done. */
    static final class Executed {
        private final long[] former;
        private final @Nullable Unwritten unwritten;

        private Executed(long[] former, @Nullable Unwritten unwritten) {
            this.former = former;
            this.unwritten = unwritten;
        }

        /** Returns what was read, or the former value. */
        long[] former() {
            return former;
        }

        /** Returns what is to be {@linkplain #writeBack written back}. */
        @Nullable
        Unwritten unwritten() {
            return unwritten;
        }
    }

    private static final int WORD = Long.BYTES;
    private static final int PAGE_BITS = 9;
    private static final int PAGE = 1 << PAGE_BITS;

    private final long size;
    /** What was written; all else is zero. */
    private final long[] @Nullable [] pages;
    /** How often the adapter wrote a word by a WRITE while atomics on it were still to be written: that ends them. */
    private final Map<Long, Long> writes = new HashMap<>();
    /** By word, the last of it. */
    private final Map<Long, Unwritten> unwritten = new HashMap<>();

    SimulatedMemory(long words) {
        this.size = words;
        this.pages = new long[Math.toIntExact((words + PAGE - 1) / PAGE)][];
    }

    /** Returns the words up to a number, for a look from outside. */
    long[] words(int first) {
        long[] copy = new long[first];
        Arrays.setAll(copy, this::get);
        return copy;
    }

    /** Returns all words, for a look from outside. */
    long[] words() {
        return words(Math.toIntExact(size));
    }

    private long get(long word) {
        long[] page = pages[page(word)];
        return page == null ? 0 : page[(int) word & PAGE - 1];
    }

    /** Writes a word, outside of what adapter and processor do. */
    void set(long word, long value) {
        long[] page = pages[page(word)];
        if (page == null) {
            page = new long[PAGE];
            pages[page(word)] = page;
        }
        page[(int) word & PAGE - 1] = value;
    }

    private int page(long word) {
        if (word < 0 || word >= size) {
            throw new Violation("memory", "word " + word + " of " + size);
        }
        return (int) (word >>> PAGE_BITS);
    }

    /** The processor executes a verb. Returns what was read, or the former value. */
    long[] executeLocally(VerbChain chain, int verb, Changes changes) {
        long word = chain.address(verb) / WORD;
        long[] former = new long[chain.words(verb)];
        Arrays.setAll(former, i -> get(word + i));
        long[] written = written(chain, verb, former);
        for (int i = 0; i < written.length; i++) {
            set(word + i, written[i]);
            changes.changed(word + i, former[i], written[i]);
        }
        return former;
    }

    /**
     * The adapter executes a verb.
     *
     * @param later whether an atomic is to be {@linkplain #writeBack written back} later, because a processor may see that
     */
    Executed execute(VerbChain chain, int verb, Changes changes, boolean later) {
        long word = chain.address(verb) / WORD;
        long[] former = new long[chain.words(verb)];
        for (int i = 0; i < former.length; i++) {
            former[i] = seenByAdapter(word + i);
        }
        long[] written = written(chain, verb, former);
        Unwritten last = null;
        for (int i = 0; i < written.length; i++) {
            if (!later) {
                set(word + i, written[i]);
            } else if (chain.verb(verb) == Verb.WRITE || chain.verb(verb).isExtended()) {
                if (unwritten.remove(word + i) != null) {
                    writes.merge(word + i, 1L, Long::sum);
                }
                set(word + i, written[i]);
            } else {
                last = new Unwritten(word, written[i], writesOf(word));
                unwritten.put(word, last);
            }
            changes.changed(word + i, former[i], written[i]);
        }
        return new Executed(former, last);
    }

    private long writesOf(long word) {
        return writes.getOrDefault(word, 0L);
    }

    private long seenByAdapter(long word) {
        Unwritten last = unwritten.isEmpty() ? null : unwritten.get(word);
        return last == null ? get(word) : last.value;
    }

    /** Returns what a verb writes to the words that had these values, nothing if it does not write. */
    private static long[] written(VerbChain chain, int verb, long[] former) {
        return switch (chain.verb(verb)) {
            case READ -> new long[0];
            case FETCH_AND_ADD -> new long[] {former[0] + chain.operand(verb)};
            case COMPARE_AND_SWAP -> former[0] == chain.operand(verb) ? new long[] {chain.desired(verb)} : new long[0];
            case WRITE -> {
                long[] words = new long[chain.words(verb)];
                Arrays.setAll(words, i -> chain.writeWord(verb, i));
                yield words;
            }
            case MASKED_COMPARE_AND_SWAP, MASKED_FETCH_AND_ADD -> extended(chain, verb, former);
        };
    }

    private static long[] extended(VerbChain chain, int verb, long[] former) {
        Verb kind = chain.verb(verb);
        IntToLongFunction operands = word -> chain.writeWord(verb, word);
        return ExtendedAtomics.matches(kind, operands, former[0], former[1])
                ? new long[] {
                    ExtendedAtomics.changed(kind, operands, 0, former[0]),
                    ExtendedAtomics.changed(kind, operands, 1, former[1])
                }
                : new long[0];
    }

    /** The adapter writes the value of an atomic, unless a WRITE has come between. It writes those of one word in the order of their execution. */
    void writeBack(Unwritten atomic) {
        if (atomic.writes == writesOf(atomic.word)) {
            set(atomic.word, atomic.value);
        }
        unwritten.remove(atomic.word, atomic);
    }
}
