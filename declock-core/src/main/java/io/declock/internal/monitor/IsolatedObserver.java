// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.monitor;

import io.declock.GrantKind;
import io.declock.LockLostException;
import io.declock.LockMode;
import io.declock.spi.LockObserver;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes every event on to an observer, and keeps its exceptions from the callers that acquire and release locks. As thread-safe as the
 * observer.
 */
public final class IsolatedObserver implements LockObserver {
    private static final Logger log = LoggerFactory.getLogger(IsolatedObserver.class);

    private final LockObserver observer;

    private IsolatedObserver(LockObserver observer) {
        this.observer = observer;
    }

    /** Returns the observer, isolated; {@link #NONE} is returned unchanged. */
    public static LockObserver of(LockObserver observer) {
        return observer.equals(NONE) ? NONE : new IsolatedObserver(observer);
    }

    private void failed(Throwable e) {
        log.error("The lock observer {} failed", observer.getClass().getName(), e);
    }

    @Override
    public void granted(String name, LockMode mode, GrantKind kind, long waitNanos) {
        try {
            observer.granted(name, mode, kind, waitNanos);
        } catch (RuntimeException | Error e) {
            failed(e);
        }
    }

    @Override
    public void released(String name, LockMode mode, long heldNanos) {
        try {
            observer.released(name, mode, heldNanos);
        } catch (RuntimeException | Error e) {
            failed(e);
        }
    }

    @Override
    public void notGranted(String name, LockMode mode, Outcome outcome, long waitNanos) {
        try {
            observer.notGranted(name, mode, outcome, waitNanos);
        } catch (RuntimeException | Error e) {
            failed(e);
        }
    }

    @Override
    public @Nullable Asked asked(String name, LockMode mode) {
        try {
            Asked asked = observer.asked(name, mode);
            return asked == null ? null : token -> held(asked, token);
        } catch (RuntimeException | Error e) {
            failed(e);
            return null;
        }
    }

    private @Nullable Held held(Asked asked, long fencingToken) {
        try {
            Held held = asked.held(fencingToken);
            return held == null ? null : new IsolatedHeld(held);
        } catch (RuntimeException | Error e) {
            failed(e);
            return null;
        }
    }

    private final class IsolatedHeld implements Held {
        private final Held held;

        IsolatedHeld(Held held) {
            this.held = held;
        }

        @Override
        public void released() {
            try {
                held.released();
            } catch (RuntimeException | Error e) {
                failed(e);
            }
        }

        @Override
        public void lost(LockLostException why) {
            try {
                held.lost(why);
            } catch (RuntimeException | Error e) {
                failed(e);
            }
        }
    }

    @Override
    public void lost(String name, LockMode mode) {
        try {
            observer.lost(name, mode);
        } catch (RuntimeException | Error e) {
            failed(e);
        }
    }
}
