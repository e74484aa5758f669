// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.LockLostException;
import io.declock.internal.local.HeldLock;
import io.declock.internal.local.Hold;
import io.declock.internal.protocol.CqlLock;
import io.declock.internal.session.StageFailure;
import io.declock.internal.time.Clock;
import io.declock.internal.time.TimerService;
import io.declock.spi.FabricException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A hold that lasts a while at least, also if its owner releases it earlier, and also if this process ends (rules R1 and R4 of docs/protocol.md). The
 * memory node notes it as a reservation, which this process ends before it gives the position back. Several acquisitions may want the same hold to
 * last. Thread-safe: requests go to the memory node one after the other, in the order in which they were made.
 */
final class MinimumHold implements Hold.Reserved {
    private static final Logger log = LoggerFactory.getLogger(MinimumHold.class);

    /** How long it waits before it asks again for an end to which there was no answer. */
    private static final long RETRY_NANOS = 100_000_000;

    private final Clock clock;
    private final TimerService timers;
    private final AtomicReference<CompletableFuture<?>> last =
            new AtomicReference<>(CompletableFuture.completedFuture(true));
    private final ReentrantLock mutex = new ReentrantLock();
    private volatile Hold hold;

    @GuardedBy("mutex")
    private final List<Lasting> wanted = new ArrayList<>();

    /** The memory node is asked to end the reservation, or has ended it. */
    private volatile boolean ending;
    /** The reservation has ended, and the position is given back. */
    private volatile boolean over;

    private volatile boolean lost;

    private MinimumHold(Hold hold, Clock clock, TimerService timers) {
        this.hold = hold;
        this.clock = clock;
        this.timers = timers;
    }

    /** What one acquisition wants. */
    final class Lasting {
        private final CompletableFuture<Void> noted = new CompletableFuture<>();
        /** Guarded by the mutex: whether the memory node has noted it, and until when it lasts then. */
        private boolean counts;

        private long until;

        /** Completes when the memory node has noted it. */
        CompletableFuture<Void> noted() {
            return noted;
        }

        /** The acquisition does not want it any more, because it has failed. */
        void abandon() {
            mutex.lock();
            try {
                wanted.remove(this);
            } finally {
                mutex.unlock();
            }
            endUnlessWanted();
        }

        private boolean isPast(long now) {
            return counts && now - until >= 0;
        }
    }

    /**
     * Has a hold last that long from now.
     *
     * @throws LockLostException if it was lost, or given back
     */
    static Lasting last(Hold hold, long nanos, Clock clock, TimerService timers) {
        while (true) {
            Hold.Reserved reserved = HeldLock.reserve(hold, new MinimumHold(hold, clock, timers));
            if (reserved == null) {
                LockLostException why = hold.lost();
                throw new LockLostException(
                        why == null ? hold.lock().title() + " is not held any more" : why.getMessage(), why);
            }
            Lasting lasting = ((MinimumHold) reserved).wants(nanos);
            if (lasting != null) {
                return lasting;
            }
        }
    }

    /** Asks the memory node to note that it lasts, or returns null if it is over. */
    private @Nullable Lasting wants(long nanos) {
        Lasting lasting = new Lasting();
        mutex.lock();
        try {
            if (over) {
                return null;
            }
            wanted.add(lasting);
        } finally {
            mutex.unlock();
        }
        AtomicReference<@Nullable CqlLock> asked = new AtomicReference<>();
        inTurn(side -> {
                    asked.set(side);
                    return reserve(side, nanos);
                })
                .whenComplete((done, failure) -> answered(lasting, nanos, asked.get(), failure));
        return lasting;
    }

    private void answered(Lasting lasting, long nanos, @Nullable CqlLock asked, @Nullable Throwable failure) {
        if (failure != null) {
            lasting.abandon();
            lasting.noted.completeExceptionally(failure);
            return;
        }
        mutex.lock();
        try {
            // The memory node counts from an earlier moment, so that it never lasts longer there.
            lasting.until = clock.nanoTime() + nanos;
            lasting.counts = true;
        } finally {
            mutex.unlock();
        }
        timers.schedule(nanos, this::endUnlessWanted);
        if (asked != HeldLock.sideOf(hold)) {
            // The hold has moved while the former memory node, or its former life, was asked.
            moved();
        }
        complete(lasting.noted, null);
    }

    /** Ends the minimum if no acquisition wants it any longer. */
    private void endUnlessWanted() {
        long now = clock.nanoTime();
        mutex.lock();
        try {
            wanted.removeIf(one -> one.isPast(now));
            if (!wanted.isEmpty() || ending || lost) {
                return;
            }
            ending = true;
        } finally {
            mutex.unlock();
        }
        askEnd();
    }

    /** Ends the minimum: the position is given back when the memory node has forgotten the reservation, unless the owner still holds the lock. */
    @Override
    public void end() {
        mutex.lock();
        try {
            wanted.clear();
        } finally {
            mutex.unlock();
        }
        endUnlessWanted();
    }

    private void askEnd() {
        inTurn(side -> reserve(side, 0)).whenComplete((done, failure) -> ended(failure));
    }

    /** The memory node has answered, or not. Only an answer says that there is no reservation any more (rule R1). */
    private void ended(@Nullable Throwable failure) {
        boolean answered = failure == null || failure instanceof FabricException.Refused;
        mutex.lock();
        try {
            if (lost) {
                return;
            }
            if (!wanted.isEmpty()) {
                // An acquisition wants it since then, and has asked the memory node after this.
                ending = false;
                return;
            }
            over = answered;
        } finally {
            mutex.unlock();
        }
        if (answered) {
            giveBack();
        } else {
            timers.schedule(RETRY_NANOS, this::askEnd);
        }
    }

    private void giveBack() {
        Hold present;
        do {
            present = hold;
            HeldLock.endReserved(present, this);
        } while (present != hold);
    }

    private static CompletionStage<Void> reserve(@Nullable CqlLock side, long nanos) {
        return side == null
                ? CompletableFuture.failedStage(new FabricException("there is no session"))
                : side.environment().reserve(side.record(), nanos);
    }

    private CompletableFuture<Void> inTurn(Function<@Nullable CqlLock, CompletionStage<Void>> request) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        CompletableFuture<?> before = last.getAndSet(done);
        before.whenComplete((earlier, ignored) -> {
            try {
                request.apply(HeldLock.sideOf(hold)).whenComplete((value, failure) -> complete(done, failure));
            } catch (RuntimeException e) {
                done.completeExceptionally(e);
            }
        });
        return done;
    }

    @SuppressWarnings("NullAway") // The one value of Void.
    private static void complete(CompletableFuture<Void> done, @Nullable Throwable failure) {
        if (failure == null) {
            done.complete(null);
        } else {
            done.completeExceptionally(StageFailure.unwrapped(failure));
        }
    }

    @Override
    public void moved() {
        long left = leftNanos();
        if (left > 0) {
            inTurn(side -> reserve(side, left)).whenComplete((done, failure) -> {
                if (failure != null) {
                    log.warn(
                            "{} lasts {} ms more in this process, but the memory node has not noted it: {}",
                            hold.lock().title(),
                            left / 1_000_000,
                            String.valueOf(failure.getMessage()));
                }
            });
        }
    }

    /** Returns for how long an acquisition wants it yet, as far as that was noted. */
    private long leftNanos() {
        long now = clock.nanoTime();
        mutex.lock();
        try {
            return wanted.stream()
                    .filter(one -> one.counts)
                    .mapToLong(one -> one.until - now)
                    .max()
                    .orElse(0);
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public void passesTo(Hold rest) {
        hold = rest;
    }

    @Override
    public void lost() {
        lost = true;
    }

    @Override
    public boolean lasts() {
        return !ending && !lost;
    }

    @Override
    public boolean isOver() {
        return over;
    }
}
