// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.soul;

import io.declock.Purpose;
import io.declock.protocols.LockWorld;
import io.declock.spi.FabricException;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The guarded words of one lock as they are in memory. One READ or WRITE for each region. */
final class GuardedMemory {
    private final LockWorld world;
    private final long lock;
    private final List<Region> regions;

    GuardedMemory(LockWorld world, long lock, List<Region> regions) {
        this.world = world;
        this.lock = lock;
        this.regions = regions;
    }

    void read(Consumer<List<Long>> then) {
        readFrom(0, new ArrayList<>(), then);
    }

    private void readFrom(int index, List<Long> read, Consumer<List<Long>> then) {
        if (index == regions.size()) {
            then.accept(read);
            return;
        }
        Region region = regions.get(index);
        post(Purpose.ACQUIRE, chain -> chain.read(address(region), region.words()), results -> {
            for (int i = 0; i < region.words(); i++) {
                read.add(results.word(0, i));
            }
            readFrom(index + 1, read, then);
        });
    }

    void write(List<Long> data, Runnable then) {
        writeFrom(0, data, then);
    }

    private void writeFrom(int index, List<Long> data, Runnable then) {
        if (index == regions.size()) {
            then.run();
            return;
        }
        Region region = regions.get(index);
        long[] words =
                data.stream().limit(region.words()).mapToLong(Long::longValue).toArray();
        post(
                Purpose.RELEASE,
                chain -> chain.write(address(region), words),
                results -> writeFrom(index + 1, data.subList(region.words(), data.size()), then));
    }

    private long address(Region region) {
        return lock + (long) region.firstWord() * Long.BYTES;
    }

    private void post(Purpose purpose, Consumer<VerbChain> verb, Consumer<VerbResults> then) {
        VerbChain chain = new VerbChain(1) {
            @Override
            public void completed(VerbResults results) {
                then.accept(results);
            }

            // A directory without its memory can do nothing.
            @Override
            public void failed(FabricException cause) {}
        }.begin(purpose);
        verb.accept(chain);
        world.post(chain);
    }
}
