// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.coherence;

import io.declock.LockMode;
import io.declock.protocols.application.ApplicationWorld;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;

/**
 * A client's loads and stores of coherent memory. A line is a lock of its number, of which the client has a copy as long as it keeps the lock: a load takes it for reading, a store for writing, and both give
 * it back at once. Each line has one word, which all clients' {@code Lines} share, so this runs in virtual time only.
 */
final class Lines {
    /** Between two looks at a word that the client waits for. */
    private static final long SPIN_NANOS = 1_000;
    /** A line from elsewhere takes longer than this, and one that the client has kept is there sooner. */
    private static final long KEPT_NANOS = 500;

    private final ApplicationWorld world;
    private final long[] words;
    private int fetched;

    Lines(ApplicationWorld world, long[] words) {
        this.world = world;
        this.words = words;
    }

    /** Returns how many lines came from elsewhere since this was asked last. */
    int fetched() {
        int count = fetched;
        fetched = 0;
        return count;
    }

    void load(int line, LongConsumer then) {
        access(line, LockMode.READ, () -> words[line], then);
    }

    /** Changes a word by one atomic operation. */
    void update(int line, LongUnaryOperator change, LongConsumer former) {
        access(
                line,
                LockMode.WRITE,
                () -> {
                    long before = words[line];
                    words[line] = change.applyAsLong(before);
                    return before;
                },
                former);
    }

    void store(int line, long value, Runnable then) {
        update(line, before -> value, former -> then.run());
    }

    /** Loads a word until it is as somebody waits for. */
    void await(int line, LongPredicate condition, LongConsumer then) {
        load(line, value -> {
            if (condition.test(value)) {
                then.accept(value);
            } else {
                world.after(SPIN_NANOS, () -> await(line, condition, then));
            }
        });
    }

    private void access(int line, LockMode mode, LongSupplier act, LongConsumer then) {
        hold(line, mode, () -> {
            long value = act.getAsLong();
            world.release(line, () -> then.accept(value));
        });
    }

    /** Takes a line and keeps others off it. */
    void hold(int line, LockMode mode, Runnable then) {
        long asked = world.now();
        world.acquire(line, mode, () -> {
            fetched += world.now() - asked > KEPT_NANOS ? 1 : 0;
            then.run();
        });
    }
}
