// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Lets verbs of one session through until it is closed, and tells when the last one that was let through has finished: only
 * then nothing of that session can land any more. Nobody ever waits: whoever leaves last runs what follows. Thread-safe.
 */
final class DataPlaneGate {
    private static final int CLOSED = 1 << 31;
    /** Keeps a late enter-and-exit of a closed gate from finding the count at zero again. */
    private static final int QUIET = 1 << 30;

    /** The sign bit says closed, the rest counts who is inside. */
    private final AtomicInteger state = new AtomicInteger();

    // Written before the closing bit is set, read after it was seen: the atomic orders the two.
    private @Nullable Runnable whenQuiet;

    /** Returns whether verbs may be executed; if so, {@link #exit} must follow. */
    boolean enter() {
        if (state.get() < 0) {
            return false;
        }
        if (state.getAndIncrement() >= 0) {
            return true;
        }
        exit();
        return false;
    }

    /** Ends what {@link #enter} began. */
    void exit() {
        if (state.decrementAndGet() == CLOSED) {
            quiet();
        }
    }

    /** Closes the gate; {@code then} runs once, when nobody is inside, perhaps before this returns. Called once. */
    void close(Runnable then) {
        whenQuiet = then;
        // Being counted as inside meanwhile leaves exactly one to find the count at zero with the bit set.
        state.getAndUpdate(value -> value + 1 | CLOSED);
        exit();
    }

    boolean isClosed() {
        return state.get() < 0;
    }

    private void quiet() {
        Runnable then = whenQuiet;
        if (then != null && state.compareAndSet(CLOSED, CLOSED + QUIET)) {
            then.run();
        }
    }
}
