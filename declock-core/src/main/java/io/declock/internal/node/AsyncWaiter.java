// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.LockMode;
import io.declock.internal.local.LocalWaiter;
import java.util.concurrent.atomic.AtomicBoolean;

/** A caller that is called back. */
final class AsyncWaiter extends LocalWaiter {
    private final Runnable decided;
    private final AtomicBoolean told = new AtomicBoolean();

    /**
     * Makes one.
     *
     * @param decided run once, on whatever thread decided it; must be quick or hand over
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
