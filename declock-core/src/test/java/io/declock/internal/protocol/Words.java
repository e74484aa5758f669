// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.QueueEntry;
import io.declock.internal.layout.RecordLayout;
import io.declock.spi.VerbResults;
import java.util.Arrays;

/** A lock record as a READ shows it, put together in a test. */
final class Words implements VerbResults {
    static final long EPOCH = 40_000;

    private final RecordLayout layout;
    private final long[] words;

    Words(int capacity) {
        layout = new RecordLayout(capacity);
        words = new long[layout.words()];
        Arrays.fill(words, QueueEntry.INITIAL);
        words[1] = EPOCH;
    }

    static long header(int head, int size, int writers) {
        return LockHeader.pack(EPOCH, head, size, writers);
    }

    RecordLayout layout() {
        return layout;
    }

    Words header(long header) {
        words[0] = header;
        return this;
    }

    Words reader(int index) {
        return entry(index, false, layout.version(index), EPOCH);
    }

    Words writer(int index) {
        return entry(index, true, layout.version(index), EPOCH);
    }

    Words entry(int index, boolean exclusive, int version, long epoch) {
        words[2 + layout.slot(index)] = QueueEntry.pack(exclusive, 1 + index % 200, 1, version, epoch, index);
        return this;
    }

    Words raw(int index, long entry) {
        words[2 + layout.slot(index)] = entry;
        return this;
    }

    Words empty(int index) {
        words[2 + layout.slot(index)] = QueueEntry.INITIAL;
        return this;
    }

    @Override
    public long word(int verb, int word) {
        return words[word];
    }
}
