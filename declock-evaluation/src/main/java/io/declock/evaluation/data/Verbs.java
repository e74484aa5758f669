// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.data;

import io.declock.Purpose;
import io.declock.protocols.application.ApplicationWorld;
import io.declock.spi.FabricException;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** A chain of verbs on an application's data, whose results go to a function. Used once. Not thread-safe. */
public final class Verbs extends VerbChain {
    private final Consumer<VerbResults> then;

    private Verbs(Consumer<VerbResults> then) {
        this.then = then;
    }

    /**
     * Makes an empty chain.
     *
     * @param then gets the results when all verbs were executed
     */
    public static VerbChain then(Consumer<VerbResults> then) {
        return new Verbs(then).begin(Purpose.INSPECT);
    }

    /**
     * Reads words.
     *
     * @param word number of the first word
     * @param count how many words, all of them in one block
     */
    public static void read(ApplicationWorld world, long word, int count, Consumer<long[]> then) {
        world.post(then(results -> then.accept(words(results, 0, count))).read(world.address(word), count));
    }

    /**
     * Writes words.
     *
     * @param word number of the first word
     * @param words the words, all of them in one block
     */
    public static void write(ApplicationWorld world, long word, long[] words, Runnable then) {
        world.post(then(results -> then.run()).write(world.address(word), words));
    }

    /** Adds to a word; the function gets its former value. */
    public static void fetchAndAdd(ApplicationWorld world, long word, long addend, LongConsumer then) {
        world.post(then(results -> then.accept(results.value(0))).fetchAndAdd(world.address(word), addend));
    }

    /** Returns the words that a READ of a chain has read. */
    public static long[] words(VerbResults results, int verb, int count) {
        long[] words = new long[count];
        for (int i = 0; i < count; i++) {
            words[i] = results.word(verb, i);
        }
        return words;
    }

    @Override
    public void completed(VerbResults results) {
        then.accept(results);
    }

    @Override
    public void failed(FabricException cause) {
        throw new IllegalStateException(cause);
    }
}
