// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

/** What the verbs of a chain returned. Valid only during {@link VerbChain#completed}. */
public interface VerbResults {
    /** Returns what an FAA or CAS found before it changed anything, or the first word of a READ. */
    default long value(int verb) {
        return word(verb, 0);
    }

    /** Returns word {@code word} of the READ at {@code verb}. */
    long word(int verb, int word);
}
