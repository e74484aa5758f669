// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.GrantKind;
import io.declock.LockMode;
import io.declock.spi.LockObserver;
import java.util.List;

/** Combines several observers into one. Thread-safe if they are. */
final class LockObservers implements LockObserver {
    private final List<LockObserver> observers;

    private LockObservers(List<LockObserver> observers) {
        this.observers = observers;
    }

    static LockObserver all(List<LockObserver> observers) {
        return switch (observers.size()) {
            case 0 -> LockObserver.NONE;
            case 1 -> observers.get(0);
            default -> new LockObservers(List.copyOf(observers));
        };
    }

    @Override
    public void granted(String name, LockMode mode, GrantKind kind, long waitNanos) {
        for (LockObserver observer : observers) {
            observer.granted(name, mode, kind, waitNanos);
        }
    }

    @Override
    public void released(String name, LockMode mode, long heldNanos) {
        for (LockObserver observer : observers) {
            observer.released(name, mode, heldNanos);
        }
    }

    @Override
    public void notGranted(String name, LockMode mode, Outcome outcome, long waitNanos) {
        for (LockObserver observer : observers) {
            observer.notGranted(name, mode, outcome, waitNanos);
        }
    }

    @Override
    public void lost(String name, LockMode mode) {
        for (LockObserver observer : observers) {
            observer.lost(name, mode);
        }
    }
}
