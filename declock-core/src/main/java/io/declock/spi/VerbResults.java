// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

/** The results of a chain's verbs. Valid only during {@link VerbChain#completed}. */
public interface VerbResults {
    /** Returns the value of the word before an FAA or CAS changed it, or the first word of a READ. */
    default long value(int verb) {
        return word(verb, 0);
    }

    /** Returns word {@code word} of the READ at {@code verb}. */
    long word(int verb, int word);
}
