// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.GrantKind;
import io.declock.LockLostException;
import io.declock.LockMode;
import io.declock.spi.LockObserver;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
    public @Nullable Asked asked(String name, LockMode mode) {
        List<Asked> all = new ArrayList<>(1);
        for (LockObserver observer : observers) {
            Asked asked = observer.asked(name, mode);
            if (asked != null) {
                all.add(asked);
            }
        }
        return switch (all.size()) {
            case 0 -> null;
            case 1 -> all.get(0);
            default -> token -> held(all, token);
        };
    }

    private static @Nullable Held held(List<Asked> asked, long fencingToken) {
        List<Held> all = new ArrayList<>(asked.size());
        for (Asked one : asked) {
            Held held = one.held(fencingToken);
            if (held != null) {
                all.add(held);
            }
        }
        return all.isEmpty() ? null : new AllHeld(all);
    }

    private record AllHeld(List<Held> all) implements Held {
        @Override
        public void released() {
            all.forEach(Held::released);
        }

        @Override
        public void lost(LockLostException why) {
            all.forEach(held -> held.lost(why));
        }
    }

    @Override
    public void lost(String name, LockMode mode) {
        for (LockObserver observer : observers) {
            observer.lost(name, mode);
        }
    }
}
