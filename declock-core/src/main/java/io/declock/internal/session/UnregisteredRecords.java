// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import io.declock.spi.FabricSession;
import io.declock.spi.Resolution;
import io.declock.spi.RestoredHold;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The records that this process has asked one memory node for, and under which no lock is registered yet ({@link SessionLocks}). They must not
 * be reclaimed meanwhile, because their locks are about to be registered. Thread-safe.
 */
public final class UnregisteredRecords {
    private final FabricSession fabric;
    /** Number of resolutions that are being sent, whose answers are not in {@code answers} yet, and of holds that are being restored. */
    private final AtomicInteger asking = new AtomicInteger();

    private final Set<CompletableFuture<Resolution>> answers = ConcurrentHashMap.newKeySet();

    UnregisteredRecords(FabricSession fabric) {
        this.fabric = fabric;
    }

    /** Asks the memory node for a name's record. From the answer until {@link #resolved} the record counts as in use. */
    public CompletableFuture<Resolution> resolve(String fullName) {
        asking.incrementAndGet();
        try {
            CompletableFuture<Resolution> answer =
                    fabric.control().resolve(fullName).toCompletableFuture();
            answers.add(answer);
            return answer;
        } finally {
            asking.decrementAndGet();
        }
    }

    /** A resolved record was registered, or the resolution failed. */
    @SuppressWarnings("CollectionUndefinedEquality") // Identity is meant.
    public void resolved(CompletableFuture<Resolution> answer) {
        answers.remove(answer);
    }

    /** Runs an action when the resolutions that were sent until now are answered, or have failed. */
    public void whenResolved(Runnable then) {
        CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).whenComplete((ok, failure) -> then.run());
    }

    /**
     * Asks the memory node to restore a hold in a name that it takes over. From the request until {@link #restoreEnded} no record is given
     * back to the memory node, because the lock of the restored one is not registered yet.
     */
    public CompletionStage<Long> restore(RestoredHold hold) {
        asking.incrementAndGet();
        return fabric.control().restore(hold);
    }

    /** The record of a restored hold was registered, or the hold was not restored. */
    public void restoreEnded() {
        asking.decrementAndGet();
    }

    /**
     * Returns them, or null if they cannot be determined at this moment. Called while a reclaim proposal is handled: answers that arrive later
     * are not for the proposal's records.
     */
    public @Nullable Set<Long> get() {
        if (asking.get() > 0) {
            return null;
        }
        Set<Long> records = new HashSet<>();
        for (CompletableFuture<Resolution> answer : answers) {
            if (answer.isDone() && !answer.isCompletedExceptionally()) {
                records.add(answer.join().record());
            }
        }
        return records;
    }
}
