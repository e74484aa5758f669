// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.mcs;

import io.declock.LockMode;
import io.declock.Purpose;
import io.declock.protocols.LockClient;
import io.declock.protocols.LockOrder;
import io.declock.protocols.LockProtocol;
import io.declock.protocols.LockWorld;
import io.declock.protocols.OneVerb;
import io.declock.spi.ExtendedAtomics;
import java.util.function.LongConsumer;

/** The protocol that the package describes. */
public final class McsLock implements LockProtocol {
    private final boolean exchanging;
    private final boolean counting;

    /** Makes one for plain adapters. */
    public McsLock() {
        this(false, false);
    }

    private McsLock(boolean exchanging, boolean counting) {
        this.exchanging = exchanging;
        this.counting = counting;
    }

    /** Returns the one with an unconditional swap, for adapters with {@linkplain io.declock.Verb#isExtended extended atomics}. */
    public static McsLock exchanging() {
        return new McsLock(true, false);
    }

    /**
     * Returns the one with an unconditional swap that counts its releases beside the tail: before a client hands the lock over, it adds one by an atomic and waits for
     * that, as ShiftLock's writers do.
     */
    public static McsLock counting() {
        return new McsLock(true, true);
    }

    @Override
    public String name() {
        if (counting) {
            return "MCS that counts hand-overs";
        }
        return exchanging ? "MCS with extended atomics" : "MCS";
    }

    /** An extended atomic works on two words, of which the second one is not used, or counts hand-overs. */
    @Override
    public int words() {
        return exchanging ? ExtendedAtomics.WORDS : 1;
    }

    @Override
    public boolean isUnused(long[] words) {
        return words[0] == 0;
    }

    @Override
    public boolean has(LockMode mode) {
        return mode == LockMode.WRITE;
    }

    @Override
    public LockOrder order() {
        return LockOrder.ofArrival((before, after) -> after != 0);
    }

    @Override
    public boolean outlivesClients() {
        return false;
    }

    @Override
    public LockClient client(int number, LockWorld world) {
        return new McsClient("MCS") {
            @Override
            protected McsPlace place(long lock, Runnable granted) {
                return exchanging
                        ? new ExchangingPlace(number, lock, world, granted)
                        : new Place(number, lock, world, granted);
            }
        };
    }

    private static class Place extends McsPlace {
        final long lock;
        final LockWorld world;
        private final Runnable granted;

        Place(int number, long lock, LockWorld world, Runnable granted) {
            super(number, lock, world);
            this.lock = lock;
            this.world = world;
            this.granted = granted;
        }

        @Override
        protected void swapTail(Purpose purpose, long expected, long desired, LongConsumer then) {
            OneVerb.compareAndSwap(world, purpose, lock, expected, desired, then);
        }

        @Override
        protected void isFirst() {
            granted.run();
        }

        @Override
        protected void isHandedOver(long detail) {
            granted.run();
        }

        /** The lock goes to the successor, and nothing with it. */
        @Override
        protected long handedOn() {
            return 0;
        }
    }

    private final class ExchangingPlace extends Place {
        // All bits of the first word are replaced, and none is compared.
        private static final int STORED = 2 * ExtendedAtomics.WORDS;

        private static final int STORED_BITS = 3 * ExtendedAtomics.WORDS;

        ExchangingPlace(int number, long lock, LockWorld world, Runnable granted) {
            super(number, lock, world, granted);
        }

        @Override
        protected void exchangeTail(Purpose purpose, long desired, LongConsumer then) {
            long[] operands = new long[ExtendedAtomics.COMPARE_AND_SWAP_OPERANDS];
            operands[STORED] = desired;
            operands[STORED_BITS] = -1;
            OneVerb.maskedCompareAndSwap(world, purpose, lock, operands, then);
        }

        @Override
        protected void beforeHandOver(Runnable then) {
            if (counting) {
                OneVerb.fetchAndAdd(world, Purpose.RELEASE, lock + Long.BYTES, 1, former -> then.run());
            } else {
                then.run();
            }
        }
    }
}
