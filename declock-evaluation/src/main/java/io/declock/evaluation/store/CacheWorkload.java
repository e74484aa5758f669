// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.store;

import io.declock.evaluation.load.Chance;
import io.declock.evaluation.load.Zipf;
import io.declock.evaluation.store.CacheRequest.Operation;
import java.util.function.Consumer;

/**
 * A synthetic load with the published figures of a cache: the sizes of keys and values, the shares of operations and the exponent of Zipf's law. It is not the cache's trace: what
 * the figures do not say (how sizes vary, which operations follow each other) is left out. Each value has the mean size. Immutable.
 */
public final class CacheWorkload implements CacheLoad {
    /** Bytes that are prepended stand to the value's bytes as one to this. No figure says how many are; a value keeps its size. */
    private static final int PREPENDED = 16;

    /**
     * The figures of a cache of Twitter (Yang, Yue, Rashmi: <i>A large scale analysis of hundreds of in-memory cache clusters at Twitter</i>, OSDI 2020, with the statistics of March 2020 that its
     * traces were published with).
     *
     * @param name its name
     * @param keyBytes mean size of a key
     * @param valueBytes mean size of a value
     * @param gets share of gets
     * @param sets share of sets
     * @param deletes share of deletes
     * @param prepends share of prepends
     * @param zipf exponent of Zipf's law
     */
    public record Figures(
            String name,
            int keyBytes,
            int valueBytes,
            double gets,
            double sets,
            double deletes,
            double prepends,
            double zipf) {
        /** Cluster 14: small values, a third of the operations changes them. */
        public static final Figures CLUSTER_14 = new Figures("cluster 14", 96, 414, .65, .13, .22, 0, 1.2959);

        /** Cluster 53: large values, which are mostly read. */
        public static final Figures CLUSTER_53 = new Figures("cluster 53", 36, 9213, .89, .03, 0, .09, 1.2061);
    }

    private final Figures figures;
    private final int keys;
    private final Zipf zipf;

    /**
     * Makes it.
     *
     * @param keys how many keys there are; no figure says it
     */
    public CacheWorkload(Figures figures, int keys) {
        this.figures = figures;
        this.keys = keys;
        this.zipf = new Zipf(keys, figures.zipf());
    }

    @Override
    public String name() {
        return figures.name() + ", synthetic";
    }

    @Override
    public int keyBytes() {
        return figures.keyBytes();
    }

    @Override
    public int valueBytes() {
        return figures.valueBytes();
    }

    @Override
    public int usualValueBytes() {
        return figures.valueBytes();
    }

    @Override
    public void objects(Consumer<CacheRequest> each) {
        for (int i = 0; i < keys; i++) {
            each.accept(new CacheRequest(Operation.SET, key(i), figures.valueBytes()));
        }
    }

    @Override
    public Requests requests(int client, Chance chance) {
        return () -> {
            Operation operation = operation(chance);
            int bytes = figures.valueBytes();
            return new CacheRequest(
                    operation, key(zipf.next(chance)), operation == Operation.PREPEND ? prepended(bytes) : bytes);
        };
    }

    private static int prepended(int valueBytes) {
        return Math.max(Math.min(Long.BYTES, valueBytes), valueBytes / PREPENDED);
    }

    private CacheKey key(int number) {
        return CacheKey.of(number, figures.keyBytes());
    }

    /** The published shares are rounded, so their sum may not be one. */
    private Operation operation(Chance chance) {
        double at = chance.fraction() * (figures.gets() + figures.sets() + figures.deletes() + figures.prepends());
        if (at < figures.gets()) {
            return Operation.GET;
        }
        if (at < figures.gets() + figures.sets()) {
            return Operation.SET;
        }
        return at < figures.gets() + figures.sets() + figures.deletes() ? Operation.DELETE : Operation.PREPEND;
    }
}
