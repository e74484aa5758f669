// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

/** The results of a chain's verbs. Valid only during {@link VerbChain#completed}. */
public interface VerbResults {
    /**
     * {@return the value of the word before an FAA or CAS changed it, or the first word of a READ}
     *
     * @param verb position of the verb in the chain
     */
    default long value(int verb) {
        return word(verb, 0);
    }

    /**
     * {@return word {@code word} of the READ at {@code verb}}
     *
     * @param verb position of the verb in the chain
     * @param word position of the word in the READ
     */
    long word(int verb, int word);
}
