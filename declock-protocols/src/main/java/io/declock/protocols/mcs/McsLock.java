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
import java.util.function.LongConsumer;

/** The protocol that the package describes. */
public final class McsLock implements LockProtocol {
    @Override
    public String name() {
        return "MCS";
    }

    @Override
    public int words() {
        return 1;
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
                return new Place(number, lock, world, granted);
            }
        };
    }

    private static final class Place extends McsPlace {
        private final long lock;
        private final LockWorld world;
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
}
