// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import io.declock.LockLostException;
import io.declock.spi.LockObserver;
import java.util.concurrent.atomic.AtomicBoolean;

/** Tells an observer of the end of a hold, once: a release and a loss may come at the same time. Thread-safe. */
final class WatchedHold {
    private final LockObserver.Held observer;
    private final AtomicBoolean ended = new AtomicBoolean();

    WatchedHold(LockObserver.Held observer) {
        this.observer = observer;
    }

    void released() {
        if (ended.compareAndSet(false, true)) {
            observer.released();
        }
    }

    void lost(LockLostException why) {
        if (ended.compareAndSet(false, true)) {
            observer.lost(why);
        }
    }
}
