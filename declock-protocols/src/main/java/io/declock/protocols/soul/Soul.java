// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.soul;

import io.declock.LockMode;
import io.declock.protocols.LockClient;
import io.declock.protocols.LockMessage;
import io.declock.protocols.LockOrder;
import io.declock.protocols.LockProtocol;
import io.declock.protocols.LockServer;
import io.declock.protocols.LockWorld;
import java.util.List;
import java.util.stream.IntStream;

/** The protocol that the package describes. */
public final class Soul implements LockProtocol {
    private final List<Region> regions;

    /**
     * Makes the lock.
     *
     * @param regions what it guards, at least one
     * @throws IllegalArgumentException if it guards nothing
     */
    public Soul(List<Region> regions) {
        if (regions.isEmpty()) {
            throw new IllegalArgumentException("a lock has an address, so it guards one region or more");
        }
        this.regions = List.copyOf(regions);
    }

    /** Returns how many words the regions have together. */
    static int guardedWords(List<Region> regions) {
        return regions.stream().mapToInt(Region::words).sum();
    }

    @Override
    public String name() {
        return "Soul";
    }

    /** The guarded memory and what lies between its regions. The lock itself has no word in memory: the directory has its state. */
    @Override
    public int words() {
        return regions.stream().mapToInt(Region::end).max().orElseThrow();
    }

    @Override
    public boolean isUnused(long[] words) {
        return IntStream.range(0, words.length).allMatch(word -> words[word] == 0 || isData(word));
    }

    private boolean isData(int word) {
        return regions.stream().anyMatch(region -> region.firstWord() <= word && word < region.end());
    }

    @Override
    public boolean has(LockMode mode) {
        return true;
    }

    /** A client arrives when the directory receives its request. One that has kept the line needs none. */
    @Override
    public LockOrder order() {
        return new LockOrder() {
            @Override
            public Step step(int word, long before, long after) {
                return Step.NONE;
            }

            @Override
            public Step step(LockMessage toServer) {
                return Kind.of(toServer.kind()) == Kind.REQUEST ? Step.ARRIVES : Step.NONE;
            }

            @Override
            public boolean mayEnterWithoutArrival() {
                return true;
            }

            @Override
            public int group(boolean local, LockMode mode) {
                return 0;
            }

            @Override
            public int mostPassedOver() {
                return 0;
            }
        };
    }

    @Override
    public boolean outlivesClients() {
        return false;
    }

    @Override
    public LockClient client(int number, LockWorld world) {
        return new SoulClient(regions, number, world);
    }

    @Override
    public LockServer server(LockWorld world) {
        return new Directory(regions, world);
    }
}
