// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import io.declock.Purpose;
import io.declock.Verb;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Up to {@value #MAX_VERBS} verbs that are posted together and executed in order by the memory node, with the code that runs when they have
 * completed. A chain is reusable: fill it with {@link #begin}, post it, and do not touch it until it ends. A thread of the fabric calls
 * {@link #completed}, {@link #outcomeUnknown} or {@link #failed}: exactly one of them, exactly once per post.
 *
 * <p>Not thread-safe; between posting and completion it belongs to the fabric.
 */
public abstract class VerbChain {
    /** Most verbs in one chain. */
    public static final int MAX_VERBS = 3;

    /**
     * Each verb has an address and two operands. One array per chain saves memory: a process may have a few chains for each of 100,000
     * locks.
     */
    private static final int WORDS_PER_VERB = 3;

    private static final int KIND_BITS = 8;
    private static final int KIND_MASK = (1 << KIND_BITS) - 1;
    private static final Verb[] KINDS = Verb.values();
    private static final long[] UNUSED = {};

    private final int mostVerbs;
    private int kinds;
    private long[] words = UNUSED;
    private long @Nullable [] payload;
    private int payloadVerb = -1;
    private Purpose purpose = Purpose.ACQUIRE;
    private int size;

    /** Makes an empty chain. */
    protected VerbChain() {
        this(MAX_VERBS);
    }

    /**
     * Makes an empty chain for at most {@code mostVerbs} verbs.
     *
     * @param mostVerbs most verbs, up to {@value #MAX_VERBS}
     */
    protected VerbChain(int mostVerbs) {
        this.mostVerbs = mostVerbs;
    }

    /**
     * Empties the chain for another use.
     *
     * @param purpose why it will be posted
     * @return this chain
     */
    public final VerbChain begin(Purpose purpose) {
        this.purpose = purpose;
        this.size = 0;
        this.kinds = 0;
        this.payload = null;
        this.payloadVerb = -1;
        return this;
    }

    /**
     * Appends an atomic addition of {@code addend} to the word at {@code address}.
     *
     * @param address byte offset in the region
     * @param addend what to add
     * @return this chain
     */
    public final VerbChain fetchAndAdd(long address, long addend) {
        return append(Verb.FETCH_AND_ADD, address, addend, 0);
    }

    /**
     * Appends an atomic replacement of {@code expected} by {@code desired} in the word at {@code address}.
     *
     * @param address byte offset in the region
     * @param expected the value that must be there
     * @param desired the value that replaces it
     * @return this chain
     */
    public final VerbChain compareAndSwap(long address, long expected, long desired) {
        return append(Verb.COMPARE_AND_SWAP, address, expected, desired);
    }

    /**
     * Appends a read of {@code words} words from {@code address} on.
     *
     * @param address byte offset in the region
     * @param words number of words
     * @return this chain
     */
    public final VerbChain read(long address, int words) {
        return append(Verb.READ, address, words, 0);
    }

    /**
     * Appends a write of one word.
     *
     * @param address byte offset in the region
     * @param value the word
     * @return this chain
     */
    public final VerbChain write(long address, long value) {
        return append(Verb.WRITE, address, 1, value);
    }

    /**
     * Appends a write of several words; at most one such write or {@linkplain Verb#isExtended extended atomic} per chain. The array must not change until
     * completion.
     *
     * @param address byte offset in the region
     * @param words the words
     * @return this chain
     */
    public final VerbChain write(long address, long[] words) {
        return append(Verb.WRITE, address, words.length, words);
    }

    /**
     * Appends a masked compare-and-swap; at most one extended atomic or write of several words per chain. The array must not change until completion.
     *
     * @param address byte offset in the region, a multiple of {@value ExtendedAtomics#BYTES}
     * @param operands as {@link ExtendedAtomics} says
     * @return this chain
     */
    public final VerbChain maskedCompareAndSwap(long address, long[] operands) {
        return appendExtended(Verb.MASKED_COMPARE_AND_SWAP, address, operands);
    }

    /**
     * Appends a masked fetch-and-add; at most one extended atomic or write of several words per chain. The array must not change until completion.
     *
     * @param address byte offset in the region, a multiple of {@value ExtendedAtomics#BYTES}
     * @param operands as {@link ExtendedAtomics} says
     * @return this chain
     */
    public final VerbChain maskedFetchAndAdd(long address, long[] operands) {
        return appendExtended(Verb.MASKED_FETCH_AND_ADD, address, operands);
    }

    private VerbChain appendExtended(Verb verb, long address, long[] operands) {
        if (operands.length != ExtendedAtomics.operands(verb)) {
            throw new IllegalArgumentException(verb + " with " + operands.length + " operands");
        }
        return append(verb, address, ExtendedAtomics.WORDS, operands);
    }

    private VerbChain append(Verb verb, long address, int count, long[] content) {
        if (payload != null) {
            throw new IllegalStateException("a chain carries one multi-word write or extended atomic");
        }
        payload = content;
        payloadVerb = size;
        return append(verb, address, count, 0);
    }

    private VerbChain append(Verb verb, long address, long first, long second) {
        if (size == mostVerbs) {
            throw new IllegalStateException("this chain holds at most " + mostVerbs + " verbs");
        }
        if (words == UNUSED) {
            // Most locks never use most of their chains.
            words = new long[mostVerbs * WORDS_PER_VERB];
        }
        kinds |= verb.ordinal() << size * KIND_BITS;
        words[size * WORDS_PER_VERB] = address;
        words[size * WORDS_PER_VERB + 1] = first;
        words[size * WORDS_PER_VERB + 2] = second;
        size++;
        return this;
    }

    /** {@return the number of verbs} */
    public final int size() {
        return size;
    }

    /** {@return the purpose of the chain} */
    public final Purpose purpose() {
        return purpose;
    }

    /**
     * {@return the verb at {@code i}}
     *
     * @param i position of the verb in the chain
     */
    public final Verb verb(int i) {
        return KINDS[kinds >>> i * KIND_BITS & KIND_MASK];
    }

    /**
     * {@return the byte offset in the region that verb {@code i} works on}
     *
     * @param i position of the verb in the chain
     */
    public final long address(int i) {
        return words[i * WORDS_PER_VERB];
    }

    /**
     * {@return the addend of an FAA or the expected value of a CAS}
     *
     * @param i position of the verb in the chain
     */
    public final long operand(int i) {
        return words[i * WORDS_PER_VERB + 1];
    }

    /**
     * {@return the desired value of a CAS}
     *
     * @param i position of the verb in the chain
     */
    public final long desired(int i) {
        return words[i * WORDS_PER_VERB + 2];
    }

    /**
     * {@return how many words a verb works on: 1 for atomics of one word, 2 for extended ones}
     *
     * @param i position of the verb in the chain
     */
    public final int words(int i) {
        Verb verb = verb(i);
        return verb == Verb.FETCH_AND_ADD || verb == Verb.COMPARE_AND_SWAP ? 1 : (int) operand(i);
    }

    /**
     * {@return word {@code w} of the WRITE at {@code i}, or of the operands of the extended atomic there}
     *
     * @param i position of the verb in the chain
     * @param w position of the word
     */
    public final long writeWord(int i, int w) {
        return payload != null && i == payloadVerb ? payload[w] : desired(i);
    }

    /**
     * Called once when every verb was executed.
     *
     * @param results valid during the call only
     */
    public abstract void completed(VerbResults results);

    /**
     * Called once when the chain failed: the session has ended, and it is unknown how many of the verbs were or will be executed.
     *
     * @param cause cause of the failure
     */
    public abstract void failed(FabricException cause);

    /**
     * Called once when it will never be known which of the verbs were executed: an adapter executed them, and its connection broke. None of
     * them is executed any more, and the session goes on with another connection. This implementation fails the chain.
     *
     * @param cause why the connection broke
     */
    public void outcomeUnknown(FabricException cause) {
        failed(cause);
    }

    @Override
    public String toString() {
        return purpose + IntStream.range(0, size).mapToObj(this::verb).toList().toString();
    }
}
