// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import io.declock.LockLostException;
import io.declock.internal.local.LocalLock;
import io.declock.internal.monitor.Isolated;
import io.declock.internal.protocol.CqlEnvironment;
import io.declock.internal.protocol.CqlLock;
import io.declock.spi.FabricException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The locks of one session: those that are bound to a record in it, those whose holds go on although the session broke off, and those that
 * leave for another memory node. Tells them what befalls the session, each in isolation from the others. Thread-safe.
 */
public final class SessionLocks {
    private final CqlEnvironment session;
    private final String memoryNodeId;
    private final ResetCoordinator coordinator;
    private final Map<Long, LocalLock> byRecord = new ConcurrentHashMap<>();
    /** The locks that leave for another memory node, by their records here. */
    private final Map<Long, LocalLock> departed = new ConcurrentHashMap<>();

    private volatile List<LocalLock> kept = List.of();

    /**
     * Makes one without a lock.
     *
     * @param coordinator gives up the resets of locks that leave
     */
    SessionLocks(CqlEnvironment session, String memoryNodeId, ResetCoordinator coordinator) {
        this.session = session;
        this.memoryNodeId = memoryNodeId;
        this.coordinator = coordinator;
    }

    // ---------------------------------------------------------------- bound to a record

    /** Registers a lock under its record, before its first verb is posted. */
    public void register(long record, LocalLock lock) {
        byRecord.put(record, lock);
    }

    /** Removes a retired lock. */
    public void unregister(long record, LocalLock lock) {
        byRecord.remove(record, lock);
    }

    /** Returns the lock registered under a record, or null. */
    public @Nullable LocalLock at(long record) {
        return byRecord.get(record);
    }

    /** Not every member asks for kept positions any more: they are given back. */
    void stopKeeping() {
        byRecord.values().forEach(lock -> Isolated.run("Giving " + lock.title() + " back", lock::stopKeeping));
    }

    /** A member has ended, from whom a lock may expect its grant. */
    void memberDied() {
        for (LocalLock lock : byRecord.values()) {
            CqlLock remote = lock.remote();
            if (remote != null) {
                Isolated.run("Notifying " + lock.title() + " of a member's end", remote::memberDied);
            }
        }
    }

    // ---------------------------------------------------------------- the end of the session

    /** The session has ended: every lock loses its holds, also those that were kept, and those that have left and do not count elsewhere yet. */
    void lose(FabricException cause) {
        loseAll(byRecord.values(), "session", cause);
        byRecord.clear();
        loseAll(departed.values(), "session", cause);
        loseAll(kept, "lease", cause);
    }

    private void loseAll(Collection<LocalLock> locks, String what, FabricException cause) {
        for (LocalLock lock : locks) {
            Isolated.run("Notifying " + lock.title() + " of the end of its " + what, () -> lose(lock, cause));
        }
    }

    private void lose(LocalLock lock, FabricException cause) {
        lock.sessionLost(session, loss(lock, cause));
    }

    /** Removes a lock that was bound when the session had ended or broken off already. */
    void lose(long record, LocalLock lock, FabricException cause) {
        unregister(record, lock);
        lose(lock, cause);
    }

    /**
     * The session broke off: no lock of it is granted any more, and holds are kept while its lease lasts (rule H3). The locks that have left
     * lose theirs: they rest on this session, too, and this memory node may have lost it.
     *
     * @return the locks whose holds are kept
     */
    List<LocalLock> suspend(FabricException cause) {
        List<LocalLock> holding = new ArrayList<>();
        for (LocalLock lock : byRecord.values()) {
            Isolated.run("Suspending " + lock.title(), () -> {
                if (lock.suspend(session, loss(lock, cause))) {
                    holding.add(lock);
                }
            });
        }
        byRecord.clear();
        loseAll(departed.values(), "session", cause);
        kept = holding;
        return kept;
    }

    /** Returns the locks whose holds were kept when the session broke off. */
    List<LocalLock> kept() {
        return kept;
    }

    private LockLostException loss(LocalLock lock, FabricException cause) {
        return new LockLostException(
                lock.title() + " was lost with the session with memory node " + memoryNodeId + ": "
                        + cause.getMessage(),
                cause);
    }

    // ---------------------------------------------------------------- leaving for another memory node

    /**
     * Freezes a lock whose name belongs to another memory node from now on (rule M2). Nothing is answered about it here any more: its holds go on,
     * and rest on this session's lease, until they count there.
     *
     * @return whether there are holds, to be restored there
     */
    public boolean depart(LocalLock lock) {
        CqlLock remote = lock.remote();
        if (remote != null && remote.environment() == session) {
            departed.put(remote.record(), lock);
            coordinator.abandon(remote.record());
            byRecord.remove(remote.record(), lock);
        }
        return lock.leave(
                session,
                new LockLostException(lock.title() + " was lost when its name moved from memory node " + memoryNodeId
                        + " to another one: its lease had run out"));
    }

    /** Returns whether the lock of a record has left, and does not count at its new memory node yet. */
    boolean hasDeparted(long record) {
        // Asked for every message between compute nodes.
        return !departed.isEmpty() && departed.containsKey(record);
    }

    /** The locks that left count at their new memory nodes. */
    public void departuresEnded() {
        departed.clear();
    }
}
