// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.fabric;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;

/**
 * The words of an application in a memory node's region. A memory node gives memory out as records only, so the words are in the queues of many records, of one name each. The addresses that an application
 * uses are its words' numbers, in bytes. Immutable.
 */
final class DataBlocks implements Placement {
    private static final String NAMES = "data\0";

    private final int recordWords;
    private final long[] records;

    private DataBlocks(int recordWords, long[] records) {
        this.recordWords = recordWords;
        this.records = records;
    }

    /** Finds the records for a number of words. */
    static DataBlocks find(FabricLink link, long words) {
        int each = link.recordWords();
        List<CompletableFuture<Long>> found = new ArrayList<>();
        LongStream.range(0, (words + each - 1) / each).forEach(i -> found.add(link.record(NAMES + i)));
        return new DataBlocks(
                each, found.stream().mapToLong(CompletableFuture::join).toArray());
    }

    int recordWords() {
        return recordWords;
    }

    @Override
    public long inRegion(long address) {
        long word = address / Long.BYTES;
        return records[Math.toIntExact(word / recordWords)] + word % recordWords * Long.BYTES;
    }

    @Override
    public int together(long address) {
        return recordWords - (int) (address / Long.BYTES % recordWords);
    }
}
