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
    private final List<BrokenOff> sessions = new CopyOnWriteArrayList<>();

    /** A session that broke off, and why. */
    private record BrokenOff(NodeSession session, FabricException why) {
        void lose(String then, FabricException cause) {
            session.lose(new FabricException(why.getMessage() + "; " + then, cause));
        }
    }

    Departing(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    /** Adds a session that broke off, and ends it when its lease has run out. */
    void add(NodeSession session, FabricException why) {
        BrokenOff added = new BrokenOff(session, why);
        sessions.add(added);
        watch(added);
    }

    private void watch(BrokenOff waiting) {
        if (!sessions.contains(waiting)) {
            return;
        }
        long left = waiting.session.leaseLeftNanos();
        if (left > 0) {
            surroundings.timer().schedule(left, () -> watch(waiting));
        } else if (sessions.remove(waiting)) {
            waiting.lose("its lease ran out before a next life of the memory node had restored it", waiting.why);
        }
    }

    boolean isEmpty() {
        return sessions.isEmpty();
    }

    List<NodeSession> sessions() {
        return sessions.stream().map(BrokenOff::session).toList();
    }

    /** The holds of these sessions were restored. */
    void haveMoved(List<NodeSession> moved) {
        sessions.removeIf(waiting -> moved.contains(waiting.session));
    }

    /** Ends all of them, because their holds will not be restored. Returns whether there were any. */
    boolean lose(FabricException cause) {
        boolean any = false;
        for (BrokenOff waiting : List.copyOf(sessions)) {
            if (sessions.remove(waiting)) {
                any = true;
                waiting.lose(String.valueOf(cause.getMessage()), cause);
            }
        }
        return any;
    }
}
