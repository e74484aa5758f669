// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import io.declock.Counters.Event;
import io.declock.LockLostException;
import io.declock.internal.local.LocalLock;
import io.declock.internal.local.Moving;
import io.declock.internal.monitor.Isolated;
import io.declock.spi.FabricException;
import io.declock.spi.RestoredHold;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Moves the holds of sessions that broke off to a session with the next life of their memory node (rules H3 to H5 of docs/protocol.md): asks
 * for each to be restored, and says that it was all. The locks were frozen before the memory node was asked to let this process join, and
 * each lease is judged after the answer to that. Used once; thread-safe.
 */
final class Move {
    private static final long RETRY_NANOS = 10_000_000;

    private final NodeSession next;
    private final List<NodeSession> former;
    private final String namespace;
    private final Consumer<@Nullable Throwable> whenEnded;
    private final Queue<LocalLock> restored = new ConcurrentLinkedQueue<>();
    private final AtomicInteger unanswered = new AtomicInteger(1);
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    /**
     * Makes one, which begins with {@link #start}.
     *
     * @param next session with the next life
     * @param former sessions that broke off
     * @param namespace namespace of the locks
     * @param whenEnded called once: with null when the holds count in the next session, else with what failed; then another session may
     *     try again
     */
    Move(NodeSession next, List<NodeSession> former, String namespace, Consumer<@Nullable Throwable> whenEnded) {
        this.next = next;
        this.former = former;
        this.namespace = namespace;
        this.whenEnded = whenEnded;
    }

    void start() {
        for (NodeSession session : former) {
            for (LocalLock lock : session.locks().kept()) {
                Isolated.run("Restoring " + lock.title(), () -> restore(lock));
            }
        }
        answered();
    }

    private void restore(LocalLock lock) {
        Moving.Held held = lock.toRestore(lost(lock, "its lease ran out before it was restored", null));
        if (held == null) {
            return;
        }
        unanswered.incrementAndGet();
        next.fabric()
                .control()
                .restore(new RestoredHold(namespace + '\0' + lock.name(), held.exclusive(), held.epoch()))
                .whenComplete((record, failed) -> {
                    if (failed == null) {
                        // Registered first: from the moment when the hold counts, peers may ask for it.
                        next.locks().register(record, lock);
                        lock.restored(next, record, held.exclusive());
                        restored.add(lock);
                        suspendIfOver(lock);
                    } else {
                        notRestored(lock, failed);
                    }
                    answered();
                });
    }

    /** The session may have been given up while the answer came: then another one may restore the hold. */
    private void suspendIfOver(LocalLock lock) {
        if (next.isOver()) {
            lock.suspend(next, lost(lock, "the connection broke", null));
        }
    }

    private void notRestored(LocalLock lock, Throwable failed) {
        Throwable cause = StageFailure.unwrapped(failed);
        if (cause instanceof FabricException.Refused refused
                && refused.reason() != FabricException.Reason.SESSION_OVER) {
            next.counters().count(Event.HOLD_NOT_RESTORED);
            lock.notRestored(lost(lock, String.valueOf(refused.getMessage()), refused));
        } else {
            failure.compareAndSet(null, cause);
            lock.notRestored(null);
        }
    }

    private LockLostException lost(LocalLock lock, String why, @Nullable Throwable cause) {
        return new LockLostException(
                lock.title() + " was lost when memory node " + next.joined().memoryNodeId() + " had started again: "
                        + why,
                cause);
    }

    private void answered() {
        if (unanswered.decrementAndGet() > 0) {
            return;
        }
        if (failure.get() != null) {
            whenEnded.accept(failure.get());
            return;
        }
        next.fabric().control().moved().whenComplete((ok, failed) -> {
            if (failed == null) {
                restored.forEach(lock -> {
                    Isolated.run(
                            "Moving " + lock.title(),
                            () -> lock.moved(next, lost(lock, "its lease ran out before it was restored", null)));
                    next.counters().count(Event.HOLD_RESTORED);
                });
            }
            whenEnded.accept(failed == null ? null : StageFailure.unwrapped(failed));
        });
    }

    /** Has the restored locks go on when the memory node lets positions be taken. Called when the session is in use. */
    void awaitGrace() {
        if (next.isOver()) {
            return;
        }
        next.fabric().control().awaitGrace().whenComplete((epoch, failed) -> {
            if (failed == null) {
                next.sawEpoch(epoch);
                restored.forEach(lock -> Isolated.run("Thawing " + lock.title(), () -> lock.graceOver(next, epoch)));
            } else {
                // The request has timed out, or the session is over.
                next.timer().schedule(RETRY_NANOS, this::awaitGrace);
            }
        });
    }
}
