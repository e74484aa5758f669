// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.shiftlock;

import io.declock.Purpose;
import io.declock.protocols.LockWorld;
import io.declock.spi.FabricException;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;

/** A chain whose result are two words. A client whose verb fails has no session any more and learns nothing. */
final class TwoWords extends VerbChain {
    private final Then then;

    /** What gets the words. */
    interface Then {
        void found(long first, long second);
    }

    private TwoWords(Then then) {
        super(2);
        this.then = then;
    }

    /** Adds to the fields of an entry; the function gets its former words. */
    static void add(LockWorld world, Purpose purpose, long entry, long[] operands, Then then) {
        world.post(new TwoWords(then).begin(purpose).maskedFetchAndAdd(entry, operands));
    }

    /** Replaces fields of an entry; the function gets its former words. */
    static void swap(LockWorld world, Purpose purpose, long entry, long[] operands, Then then) {
        world.post(new TwoWords(then).begin(purpose).maskedCompareAndSwap(entry, operands));
    }

    /** Reads the words of an entry, in any order. */
    static void read(LockWorld world, Purpose purpose, long entry, Then then) {
        world.post(new TwoWords(then).begin(purpose).read(entry, Entry.WORDS));
    }

    /** Reads one word and after it another one: the words of one READ would be read in any order. */
    static void readInOrder(LockWorld world, Purpose purpose, long first, long second, Then then) {
        world.post(new TwoWords(then).begin(purpose).read(first, 1).read(second, 1));
    }

    @Override
    public void completed(VerbResults results) {
        then.found(results.word(0, 0), size() == 1 ? results.word(0, 1) : results.word(1, 0));
    }

    @Override
    public void failed(FabricException cause) {}
}
