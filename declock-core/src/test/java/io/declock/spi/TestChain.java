// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import io.declock.Purpose;
import io.declock.Verb;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A chain that keeps what its verbs returned and counts how often it ended. */
public final class TestChain extends VerbChain {
    /** How often {@link #completed} or {@link #failed} was called. */
    public final AtomicInteger ends = new AtomicInteger();

    private final CompletableFuture<long[][]> future = new CompletableFuture<>();

    /** Makes an empty chain for a purpose. */
    public static TestChain forPurpose(Purpose purpose) {
        TestChain chain = new TestChain();
        chain.begin(purpose);
        return chain;
    }

    /** Posts it and waits for the results: one array per verb. */
    public long[][] runOn(FabricSession session) throws Exception {
        session.memory().post(this);
        return future.get(10, TimeUnit.SECONDS);
    }

    /** Returns the results to come. */
    public CompletableFuture<long[][]> future() {
        return future;
    }

    @Override
    public void completed(VerbResults results) {
        ends.incrementAndGet();
        long[][] values = new long[size()][];
        for (int i = 0; i < size(); i++) {
            int words = verb(i) == Verb.WRITE ? 0 : words(i);
            values[i] = new long[words];
            for (int w = 0; w < words; w++) {
                values[i][w] = results.word(i, w);
            }
        }
        future.complete(values);
    }

    @Override
    public void failed(FabricException cause) {
        ends.incrementAndGet();
        future.completeExceptionally(cause);
    }
}
