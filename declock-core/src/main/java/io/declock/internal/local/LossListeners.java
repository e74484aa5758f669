// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import java.util.ArrayList;
import java.util.List;

/** The actions that run once when an acquisition is lost. Guarded by the lock's mutex. */
final class LossListeners {
    private List<Listener> listeners = new ArrayList<>(1);

    /**
     * One action.
     *
     * @param quick whether it may run on the thread that finds the loss, where it must neither block nor throw; else it runs on a thread
     *     for callbacks
     */
    record Listener(Runnable action, boolean quick) {}

    void add(Listener listener) {
        listeners.add(listener);
    }

    /** Returns the listeners to be notified of the loss, and forgets them. */
    List<Listener> take() {
        List<Listener> known = listeners;
        listeners = List.of();
        return known;
    }
}
