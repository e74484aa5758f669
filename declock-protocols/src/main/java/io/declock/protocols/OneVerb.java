// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols;

import io.declock.Purpose;
import io.declock.spi.FabricException;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import java.util.function.LongConsumer;

/** A chain of one verb whose result goes to a function. A client whose verb fails has no session any more and learns nothing. */
public final class OneVerb extends VerbChain {
    private final LongConsumer then;

    private OneVerb(LongConsumer then) {
        super(1);
        this.then = then;
    }

    /** Adds to a word; the function gets its former value. */
    public static void fetchAndAdd(LockWorld world, Purpose purpose, long address, long addend, LongConsumer then) {
        world.post(new OneVerb(then).begin(purpose).fetchAndAdd(address, addend));
    }

    /** Replaces a value of a word by another; the function gets the former value. */
    public static void compareAndSwap(
            LockWorld world, Purpose purpose, long address, long expected, long desired, LongConsumer then) {
        world.post(new OneVerb(then).begin(purpose).compareAndSwap(address, expected, desired));
    }

    /** Replaces bits of two words ({@link io.declock.spi.ExtendedAtomics}); the function gets the former value of the first one. */
    public static void maskedCompareAndSwap(
            LockWorld world, Purpose purpose, long address, long[] operands, LongConsumer then) {
        world.post(new OneVerb(then).begin(purpose).maskedCompareAndSwap(address, operands));
    }

    /** Reads a word. */
    public static void read(LockWorld world, Purpose purpose, long address, LongConsumer then) {
        world.post(new OneVerb(then).begin(purpose).read(address, 1));
    }

    @Override
    public void completed(VerbResults results) {
        then.accept(results.value(0));
    }

    @Override
    public void failed(FabricException cause) {}
}
