// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.LockLostException;
import io.declock.internal.local.HeldLock;
import io.declock.internal.local.Hold;
import io.declock.internal.protocol.CqlLock;
import io.declock.internal.session.StageFailure;
import io.declock.internal.time.Clock;
import io.declock.internal.time.TimerService;
import io.declock.spi.FabricException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A hold that lasts a while at least, also if its owner releases it earlier, and also if this process ends (rules R1 and R4 of docs/protocol.md). The
 * memory node notes it as a reservation, which this process ends before it gives the position back. Thread-safe: requests go to the memory node one after
 * the other, in the order in which they were made.
 */
final class MinimumHold implements Hold.Reserved {
    private static final Logger log = LoggerFactory.getLogger(MinimumHold.class);

    private volatile Hold hold;
    private final Clock clock;
    private final TimerService timers;
    private final AtomicReference<CompletableFuture<?>> last =
            new AtomicReference<>(CompletableFuture.completedFuture(true));
    private volatile long until;
    private volatile boolean ending;
    private volatile boolean lost;

    private MinimumHold(Hold hold, Clock clock, TimerService timers) {
        this.hold = hold;
        this.clock = clock;
        this.timers = timers;
        this.until = clock.nanoTime();
    }

    /**
     * Returns the minimum of a hold, which is new or was begun by an enclosing acquisition.
     *
     * @throws LockLostException if the hold was lost
     */
    static MinimumHold of(Hold hold, Clock clock, TimerService timers) {
        Hold.Reserved reserved = HeldLock.reserve(hold, new MinimumHold(hold, clock, timers));
        if (reserved == null) {
            LockLostException why = hold.lost();
            throw new LockLostException(why == null ? hold.lock().title() + " was lost" : why.getMessage(), why);
        }
        return (MinimumHold) reserved;
    }

    /** Has the hold last that long from now; the result completes when the memory node has noted it. */
    CompletableFuture<Void> last(long nanos) {
        CompletableFuture<Void> noted = inTurn(() -> reserve(nanos));
        return noted.thenRun(() -> {
            // The memory node counts from an earlier moment, so that it never lasts longer there.
            long end = clock.nanoTime() + nanos;
            if (end - until > 0) {
                until = end;
                timers.schedule(nanos, this::check);
            }
        });
    }

    private void check() {
        if (!lost && clock.nanoTime() - until >= 0) {
            end();
        }
    }

    /** Ends the minimum: the position is given back when the memory node has forgotten the reservation, unless the owner still holds the lock. */
    @Override
    public void end() {
        if (ending) {
            return;
        }
        ending = true;
        inTurn(() -> reserve(0)).whenComplete((done, failure) -> giveBack());
    }

    private void giveBack() {
        Hold present;
        do {
            present = hold;
            HeldLock.endReserved(present, this);
        } while (present != hold);
    }

    private CompletionStage<Void> reserve(long nanos) {
        CqlLock side = HeldLock.sideOf(hold);
        return side == null
                ? CompletableFuture.failedStage(new FabricException("there is no session"))
                : side.environment().reserve(side.record(), nanos);
    }

    private CompletableFuture<Void> inTurn(Supplier<CompletionStage<Void>> request) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        CompletableFuture<?> before = last.getAndSet(done);
        before.whenComplete((earlier, ignored) -> {
            try {
                request.get().whenComplete((value, failure) -> complete(done, failure));
            } catch (RuntimeException e) {
                done.completeExceptionally(e);
            }
        });
        return done;
    }

    @SuppressWarnings("NullAway") // The one value of Void.
    private static void complete(CompletableFuture<Void> done, Throwable failure) {
        if (failure == null) {
            done.complete(null);
        } else {
            done.completeExceptionally(StageFailure.unwrapped(failure));
        }
    }

    @Override
    public void moved() {
        long left = until - clock.nanoTime();
        if (left > 0 && !ending) {
            inTurn(() -> reserve(left)).whenComplete((done, failure) -> {
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
}
