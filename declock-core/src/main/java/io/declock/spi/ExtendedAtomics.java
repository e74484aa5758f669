// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import io.declock.Verb;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What the {@linkplain Verb#isExtended extended atomics} do to their words, for fabrics that execute them. The operands of a masked compare-and-swap are eight
 * words: two that are expected, two masks of the bits that are compared, two that are stored, two masks of the bits that are stored. Those of a masked
 * fetch-and-add are four: two that are added, and two in which a set bit is the highest one of a field. No carry leaves a word.
 */
public final class ExtendedAtomics {
    /** Number of words that an extended atomic works on. */
    public static final int WORDS = 2;

    /** Size of these words, and what their address is a multiple of, in bytes. */
    public static final int BYTES = WORDS * Long.BYTES;

    /** Number of operands of a masked compare-and-swap. */
    public static final int COMPARE_AND_SWAP_OPERANDS = 4 * WORDS;

    /** Number of operands of a masked fetch-and-add. */
    public static final int FETCH_AND_ADD_OPERANDS = 2 * WORDS;

    private static final int COMPARED_BITS = WORDS;
    private static final int STORED = 2 * WORDS;
    private static final int STORED_BITS = 3 * WORDS;
    private static final int HIGHEST_BITS = WORDS;

    private ExtendedAtomics() {}

    /**
     * {@return the number of a verb's operands}
     *
     * @param verb an extended atomic
     */
    public static int operands(Verb verb) {
        return verb == Verb.MASKED_COMPARE_AND_SWAP ? COMPARE_AND_SWAP_OPERANDS : FETCH_AND_ADD_OPERANDS;
    }

    /**
     * {@return whether a verb changes words with these values}
     *
     * @param verb an extended atomic
     * @param operands its operands, by position
     * @param first value of its first word
     * @param second value of its second word
     */
    public static boolean matches(Verb verb, IntToLongFunction operands, long first, long second) {
        return verb != Verb.MASKED_COMPARE_AND_SWAP || matches(operands, 0, first) && matches(operands, 1, second);
    }

    private static boolean matches(IntToLongFunction operands, int word, long value) {
        return ((value ^ operands.applyAsLong(word)) & operands.applyAsLong(COMPARED_BITS + word)) == 0;
    }

    /**
     * {@return what a word becomes}
     *
     * @param verb an extended atomic, which {@link #matches}
     * @param operands its operands, by position
     * @param word 0 for its first word, 1 for its second one
     * @param value value of that word
     */
    public static long changed(Verb verb, IntToLongFunction operands, int word, long value) {
        if (verb == Verb.MASKED_COMPARE_AND_SWAP) {
            long bits = operands.applyAsLong(STORED_BITS + word);
            return value & ~bits | operands.applyAsLong(STORED + word) & bits;
        }
        long highest = operands.applyAsLong(HIGHEST_BITS + word);
        long addend = operands.applyAsLong(word);
        // Without the highest bit of each field nothing is carried beyond it, and a sum without carry is an exclusive
        // or.
        return (value & ~highest) + (addend & ~highest) ^ (value ^ addend) & highest;
    }

    /**
     * {@return the first extended atomic of a chain, null if it has none}
     *
     * @param chain the chain
     */
    public static @Nullable Verb first(VerbChain chain) {
        for (int i = 0; i < chain.size(); i++) {
            if (chain.verb(i).isExtended()) {
                return chain.verb(i);
            }
        }
        return null;
    }
}
