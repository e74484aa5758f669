// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Admits verbs that arrive on one connection of a session until it is closed, and reports when the last admitted verb has finished: only then can no verb of that
 * connection be executed any more. No thread ever waits: the thread that leaves last runs the action that follows. Thread-safe.
 */
public final class DataPlaneGate {
    private static final int CLOSED = 1 << 31;
    /** Keeps a late enter-and-exit of a closed gate from finding the count at zero again. */
    private static final int QUIET = 1 << 30;

    /** The sign bit marks the gate as closed, the other bits count the threads inside. */
    private final AtomicInteger state = new AtomicInteger();

    // Written before the closing bit is set, read after it was seen: the atomic orders the two.
    private @Nullable Runnable whenQuiet;

    DataPlaneGate() {}

    /** Returns whether verbs may be executed; if so, {@link #exit} must follow. */
    public boolean enter() {
        if (state.get() < 0) {
            return false;
        }
        if (state.getAndIncrement() >= 0) {
            return true;
        }
        exit();
        return false;
    }

    /** Leaves the gate after a successful {@link #enter}. */
    public void exit() {
        if (state.decrementAndGet() == CLOSED) {
            quiet();
        }
    }

    /** Closes the gate; {@code then} runs once, when no thread is inside, perhaps before this method returns. Called once. */
    void close(Runnable then) {
        whenQuiet = then;
        // The closing thread counts as inside meanwhile, so exactly one thread finds the count at zero with the bit
        // set.
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
