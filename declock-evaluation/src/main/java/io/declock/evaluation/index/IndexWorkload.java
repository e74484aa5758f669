// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.index;

import io.declock.evaluation.data.Checksum;
import io.declock.evaluation.index.IndexRequest.Operation;
import io.declock.evaluation.load.Chance;
import io.declock.evaluation.load.Zipf;
import java.util.stream.LongStream;

/**
 * Loads as in Sherman's paper: keys by Zipf's law, the frequent ones far from each other in the tree, of which some are there at first and the others are added by the first put. Immutable.
 */
public final class IndexWorkload implements IndexLoad {
    /** A prime number above the number of keys that there may be, by which ranks are spread over the keys. */
    private static final long SPREAD = 2_147_483_647;

    private static final int PERCENT = 100;

    /**
     * Shares of operations.
     *
     * @param name name of the load
     * @param puts share of puts
     * @param removes share of removals
     * @param scans share of scans; all others are lookups
     */
    public record Shares(String name, double puts, double removes, double scans) {
        /** Only puts. */
        public static final Shares WRITE_ONLY = new Shares("write-only", 1, 0, 0);

        /** Half puts, half lookups. */
        public static final Shares WRITE_INTENSIVE = new Shares("write-intensive", .5, 0, 0);

        /** 5 % puts, 95 % lookups. */
        public static final Shares READ_MOSTLY = new Shares("read-mostly", .05, 0, 0);
    }

    /**
     * The keys.
     *
     * @param count how many there are: from one up to this
     * @param percentAtFirst how many of a hundred are there at first
     * @param zipf exponent of Zipf's law, 0 for equal shares
     * @param scanned entries of a scan
     */
    public record Keys(int count, int percentAtFirst, double zipf, int scanned) {
        /** Returns keys of which four in five are there at first, with the exponent that the papers use. */
        public static Keys of(int count) {
            return new Keys(count, 80, 0.99, 100);
        }
    }

    private final Shares shares;
    private final Keys keys;
    private final Zipf zipf;

    /** Makes it. */
    public IndexWorkload(Shares shares, Keys keys) {
        this.shares = shares;
        this.keys = keys;
        this.zipf = new Zipf(keys.count(), keys.zipf());
    }

    @Override
    public String name() {
        return shares.name();
    }

    @Override
    public LongStream keys() {
        return LongStream.rangeClosed(1, keys.count())
                .filter(key -> Long.remainderUnsigned(Checksum.of(key), PERCENT) < keys.percentAtFirst());
    }

    @Override
    public int scanned() {
        return keys.scanned();
    }

    @Override
    public Requests requests(int client, Chance chance) {
        return () -> new IndexRequest(operation(chance), 1 + zipf.next(chance) * SPREAD % keys.count());
    }

    private Operation operation(Chance chance) {
        double at = chance.fraction();
        if (at < shares.puts()) {
            return Operation.PUT;
        }
        if (at < shares.puts() + shares.removes()) {
            return Operation.REMOVE;
        }
        return at < shares.puts() + shares.removes() + shares.scans() ? Operation.SCAN : Operation.LOOK_UP;
    }
}
