// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.Purpose;
import io.declock.Verb;
import io.declock.spi.FabricException;
import io.declock.spi.RemoteMemory;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** How a memory node itself changes lock headers: by what executes the verbs on its region, because nothing else is atomic with them. */
interface HeaderAccess {
    /** Reads a header; {@code failed} runs in place of {@code then} if that is not possible now. */
    void read(long address, LongConsumer then, Runnable failed);

    /** Replaces a header that is as expected; {@code then} is told whether it was, which counts as true if that cannot be known. */
    void swap(long address, long expected, long desired, Consumer<Boolean> then);

    /** Access by this process's processor. */
    record Here(Region region) implements HeaderAccess {
        @Override
        public void read(long address, LongConsumer then, Runnable failed) {
            then.accept(region.read(address));
        }

        @Override
        public void swap(long address, long expected, long desired, Consumer<Boolean> then) {
            then.accept(region.execute(Verb.COMPARE_AND_SWAP, address, expected, desired) == expected);
        }
    }

    /** Access by an adapter. */
    record Adapter(RemoteMemory memory) implements HeaderAccess {
        @Override
        public void read(long address, LongConsumer then, Runnable failed) {
            memory.post(new One(results -> then.accept(results.value(0)), failed)
                    .begin(Purpose.RELEASE)
                    .read(address, 1));
        }

        @Override
        public void swap(long address, long expected, long desired, Consumer<Boolean> then) {
            memory.post(new One(results -> then.accept(results.value(0) == expected), () -> then.accept(true))
                    .begin(Purpose.RELEASE)
                    .compareAndSwap(address, expected, desired));
        }

        /** One verb. If its outcome is lost, the position may be left without an owner, and the users of the record reset it. */
        private static final class One extends VerbChain {
            private final Consumer<VerbResults> then;
            private final Runnable lost;

            One(Consumer<VerbResults> then, Runnable lost) {
                this.then = then;
                this.lost = lost;
            }

            @Override
            public void completed(VerbResults results) {
                then.accept(results);
            }

            @Override
            public void failed(FabricException cause) {
                lost.run();
            }
        }
    }
}
