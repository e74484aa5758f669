// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.LockMode;
import io.declock.internal.local.LocalWaiter;
import java.util.concurrent.atomic.AtomicBoolean;

/** A waiter of an asynchronous acquisition. */
final class AsyncWaiter extends LocalWaiter {
    private final Runnable decided;
    private final AtomicBoolean told = new AtomicBoolean();

    /**
     * Makes one.
     *
     * @param decided run once, on the thread that decided the waiter; must be quick or use another thread
     */
    AsyncWaiter(Object owner, LockMode mode, boolean noWait, Runnable decided) {
        super(owner, mode, noWait);
        this.decided = decided;
    }

    @Override
    public void run() {
        if (state() != State.WAITING && told.compareAndSet(false, true)) {
            decided.run();
        }
    }
}
