// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import io.declock.spi.FabricException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The sessions of one memory node that broke off with holds which its next life may restore (rule H3). Each ends with its lease at the
 * latest. Thread-safe.
 */
final class Departing {
    private final Surroundings surroundings;
    private final List<NodeSession> sessions = new CopyOnWriteArrayList<>();

    Departing(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    /** Adds a session that broke off, and ends it when its lease has run out. */
    void add(NodeSession brokenOff, FabricException why) {
        sessions.add(brokenOff);
        watch(brokenOff, why);
    }

    private void watch(NodeSession session, FabricException why) {
        if (!sessions.contains(session)) {
            return;
        }
        long left = session.leaseLeftNanos();
        if (left > 0) {
            surroundings.timer().schedule(left, () -> watch(session, why));
        } else if (sessions.remove(session)) {
            session.lose(new FabricException(
                    "its lease ran out before the memory node's next life had restored it (" + why.getMessage() + ")",
                    why));
        }
    }

    boolean isEmpty() {
        return sessions.isEmpty();
    }

    List<NodeSession> sessions() {
        return List.copyOf(sessions);
    }

    /** The holds of these sessions were restored. */
    void haveMoved(List<NodeSession> moved) {
        sessions.removeAll(moved);
    }

    /** Ends all of them, because their holds will not be restored. Returns whether there were any. */
    boolean lose(FabricException cause) {
        boolean any = false;
        for (NodeSession session : sessions()) {
            if (sessions.remove(session)) {
                any = true;
                session.lose(cause);
            }
        }
        return any;
    }
}
