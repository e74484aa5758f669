// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.application;

/**
 * What clients do with locks and with the data that these guard, in the memory of one memory node: a load of an experiment, an object store, an index. It is written once, without
 * threads, and runs on each lock and in each world. Immutable, apart from what its clients have.
 */
public interface Application {
    /** Returns its name. */
    String name();

    /** Returns how many locks it has; their numbers are from zero up to, and without, this. */
    int locks();

    /** Returns how many words of data it has. */
    long words();

    /** Writes the data as it is before the first client begins; what is not written is zero. */
    default void load(Loader loader) {}

    /**
     * Makes a client.
     *
     * @param number its number, from zero on
     * @param world what the client has around it
     */
    ApplicationClient client(int number, ApplicationWorld world);

    /** Writes data that no client uses yet. */
    @FunctionalInterface
    interface Loader {
        /**
         * Writes words side by side.
         *
         * @param word number of the first of them
         * @param words the words, all of them in one {@linkplain ApplicationWorld#BLOCK block}
         */
        void write(long word, long[] words);
    }
}
