// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.fabric;

import io.declock.Purpose;
import io.declock.spi.FabricException;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;

/** Reads and writes an application's data from outside of its clients, and waits for that. Not thread-safe. */
final class DataAccess {
    /** So many WRITEs are on the way at most. */
    private static final int UNDER_WAY = 64;

    private final FabricLink link;
    private final DataBlocks blocks;
    private final Relay relay;
    private final Queue<CompletableFuture<long[]>> written = new ArrayDeque<>();

    DataAccess(FabricLink link, DataBlocks blocks) {
        this.link = link;
        this.blocks = blocks;
        this.relay = new Relay(link.session().memory(), blocks, Runnable::run, link::fail);
    }

    /** Makes all words zero. */
    void clear(long words) {
        for (long word = 0; word < words; word += blocks.recordWords()) {
            write(word, new long[blocks.recordWords()]);
        }
        flush();
    }

    /** Writes words; {@link #flush} waits for that. */
    void write(long word, long[] words) {
        Access access = new Access(0);
        access.begin(Purpose.INSPECT).write(word * Long.BYTES, words);
        relay.post(access);
        written.add(access.done);
        if (written.size() == UNDER_WAY) {
            link.await(written.remove());
        }
    }

    void flush() {
        while (!written.isEmpty()) {
            link.await(written.remove());
        }
    }

    long[] read(long word, int count) {
        Access access = new Access(count);
        access.begin(Purpose.INSPECT).read(word * Long.BYTES, count);
        relay.post(access);
        link.await(access.done);
        return access.done.join();
    }

    private static final class Access extends VerbChain {
        private final CompletableFuture<long[]> done = new CompletableFuture<>();
        private final int words;

        Access(int words) {
            super(1);
            this.words = words;
        }

        @Override
        public void completed(VerbResults results) {
            long[] read = new long[words];
            for (int w = 0; w < words; w++) {
                read[w] = results.word(0, w);
            }
            done.complete(read);
        }

        @Override
        public void failed(FabricException cause) {
            done.completeExceptionally(cause);
        }
    }
}
