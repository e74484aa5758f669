// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.DecLockException;
import io.declock.GrantKind;
import io.declock.LockLostException;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.local.Footing;
import io.declock.internal.local.HeldLock;
import io.declock.internal.local.Hold;
import io.declock.internal.local.LocalLock;
import io.declock.internal.local.LockValue;
import io.declock.internal.protocol.CqlEnvironment;
import io.declock.internal.protocol.CqlLock;
import io.declock.internal.session.StageFailure;
import io.declock.internal.time.TimerService;
import io.declock.spi.FabricException;
import io.declock.spi.StoredValue;
import io.declock.spi.ValueReading;
import io.declock.spi.ValueWriting;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Reads and stores the values of guarded locks (docs/guarded-values.md; rules V1 to V5 of docs/protocol.md). What this process knows of a value is a
 * {@link LockValue}. Thread-safe.
 */
public final class GuardedStore {
    /** How long the end of a move, or of a reset, is waited for before the next attempt, if nothing tells of it before. */
    private static final long PAUSE_NANOS = 5_000_000;

    private final TimerService timers;
    private final String self;

    GuardedStore(TimerService timers, String self) {
        this.timers = timers;
        this.self = self;
    }

    // ---------------------------------------------------------------- reading

    /** A reading that was asked for before the lock was granted (rule V3). */
    public record Ahead(CqlEnvironment session, long record, CompletionStage<ValueReading> answer) {}

    /**
     * Asks for the value of a lock that a caller has just asked for. Returns null if there is no session yet, the value is known, or the caller will probably wait for the
     * lock.
     */
    public @Nullable Ahead ahead(LocalLock lock) {
        CqlLock side = lock.toReadAhead();
        return side == null
                ? null
                : new Ahead(
                        side.environment(), side.record(), side.environment().readValue(side.record()));
    }

    /**
     * Reads the value of a lock that is held.
     *
     * @param ahead what was asked for before the grant, or null
     * @return completes with the value, and exceptionally with a {@link LockLostException} if the lock was lost
     */
    public CompletableFuture<Optional<StoredValue>> read(Hold hold, @Nullable Ahead ahead) {
        CompletableFuture<Optional<StoredValue>> result = new CompletableFuture<>();
        guarded(result, () -> read(hold, ahead, result));
        return result;
    }

    /** What a reader does next: it waits, has the value, or asks for it. */
    private record Step(@Nullable CompletableFuture<Boolean> after, LockValue.@Nullable Copy known, Footing footing) {
        static Step of(Footing footing, LockValue value) {
            return value.isBusy()
                    ? new Step(value.writing(), null, footing)
                    : new Step(null, value.copyFor(footing), footing);
        }
    }

    private void read(Hold hold, @Nullable Ahead ahead, CompletableFuture<Optional<StoredValue>> result) {
        Step step = HeldLock.whileHeld(hold, Step::of);
        if (step == null) {
            later(hold, result, () -> read(hold, null, result));
        } else if (step.after != null) {
            step.after.whenComplete((done, failure) -> guarded(result, () -> read(hold, null, result)));
        } else if (step.known != null) {
            result.complete(Optional.ofNullable(step.known.value()));
        } else if (ahead != null && ahead.session == step.footing.session() && ahead.record == step.footing.record()) {
            ahead.answer.whenComplete((reading, failure) -> guarded(result, () -> {
                if (failure != null || !take(hold, reading, result)) {
                    read(hold, null, result);
                }
            }));
        } else {
            ask(hold, step.footing, result);
        }
    }

    /** Takes a reading made before the grant if it shows that this process's position had the lock then (rule V3). Returns whether it did. */
    private boolean take(Hold hold, ValueReading reading, CompletableFuture<Optional<StoredValue>> result) {
        Boolean taken = HeldLock.whileHeld(hold, (footing, value) -> {
            boolean counts = value.copyFor(footing) == null && !value.isBusy() && shows(reading, hold, footing);
            if (counts) {
                value.learn(footing, reading.value());
            }
            return counts;
        });
        if (Boolean.TRUE.equals(taken)) {
            result.complete(Optional.ofNullable(reading.value()));
            return true;
        }
        return false;
    }

    private static boolean shows(ValueReading reading, Hold hold, Footing footing) {
        long header = reading.header();
        if (LockHeader.isInReset(header)
                || LockHeader.fullEpoch(header, reading.epoch()) != footing.epoch()
                || LockHeader.tail(header) <= footing.index()) {
            return false;
        }
        int head = LockHeader.head(header);
        // The head moves past shared positions that still hold; one that found no writer held from the beginning.
        return footing.exclusive()
                ? head == footing.index()
                : head >= footing.index() || hold.kind() == GrantKind.UNCONTENDED;
    }

    private void ask(Hold hold, Footing footing, CompletableFuture<Optional<StoredValue>> result) {
        footing.session()
                .readValue(footing.record())
                .whenComplete((reading, failure) -> guarded(result, () -> {
                    if (failure == null) {
                        HeldLock.whileHeld(hold, (present, value) -> {
                            // What a former life had is no copy of what the present one has, nor is what was read
                            // before a store.
                            if (present.session() == footing.session()
                                    && !value.isBusy()
                                    && value.copyFor(present) == null) {
                                value.learn(present, reading.value());
                            }
                            return true;
                        });
                        result.complete(Optional.ofNullable(reading.value()));
                    } else {
                        again(hold, result, failure, () -> read(hold, null, result));
                    }
                }));
    }

    // ---------------------------------------------------------------- storing

    /**
     * Stores the value of a lock that is held exclusively, or removes it.
     *
     * @param bytes the value, or null to remove it
     * @return completes when the memory node has it, and exceptionally with a {@link LockLostException} if the lock was lost
     */
    public CompletableFuture<Boolean> write(Hold hold, byte @Nullable [] bytes) {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        guarded(result, () -> write(hold, bytes, result));
        return result;
    }

    private void write(Hold hold, byte @Nullable [] bytes, CompletableFuture<Boolean> result) {
        CompletableFuture<Boolean> written = new CompletableFuture<>();
        Step step = HeldLock.whileHeld(hold, (footing, value) -> {
            if (!footing.exclusive()) {
                throw new IllegalStateException("a shared hold stores nothing");
            }
            Step next = Step.of(footing, value);
            if (next.after == null) {
                value.beginWriting(written);
            }
            return next;
        });
        if (step == null) {
            later(hold, result, () -> write(hold, bytes, result));
        } else if (step.after != null) {
            step.after.whenComplete((done, failure) -> guarded(result, () -> write(hold, bytes, result)));
        } else {
            post(hold, step.footing, bytes, written, result);
        }
    }

    private void post(
            Hold hold,
            Footing footing,
            byte @Nullable [] bytes,
            CompletableFuture<Boolean> written,
            CompletableFuture<Boolean> result) {
        long token = hold.token();
        CompletionStage<Void> answer;
        try {
            answer = footing.session()
                    .writeValue(new ValueWriting(footing.record(), footing.epoch(), footing.index(), token, bytes));
        } catch (RuntimeException e) {
            written.complete(false);
            throw e;
        }
        answer.whenComplete((done, failure) -> {
            HeldLock.underMutex(hold, value -> {
                if (failure == null) {
                    value.stored(footing, bytes == null ? null : new StoredValue(token, self, bytes));
                } else if (StageFailure.unwrapped(failure) instanceof FabricException.Refused) {
                    value.refused();
                } else {
                    value.unanswered(footing);
                }
            });
            written.complete(failure == null);
            if (failure == null) {
                result.complete(true);
            } else {
                guarded(result, () -> notWritten(hold, footing, bytes, failure, result));
            }
        });
    }

    /** The memory node did not store a value. If the hold has another position by now, or the lock was in a reset, it is tried again. */
    private void notWritten(
            Hold hold, Footing asked, byte @Nullable [] bytes, Throwable failure, CompletableFuture<Boolean> result) {
        Throwable cause = StageFailure.unwrapped(failure);
        if (cause instanceof FabricException.Refused refused
                && refused.reason() == FabricException.Reason.BAD_REQUEST
                && !asked.moving()
                && asked.equals(HeldLock.whileHeld(hold, (footing, value) -> footing))) {
            result.completeExceptionally(notStored(hold, cause));
        } else {
            again(hold, result, failure, () -> write(hold, bytes, result));
        }
    }

    // ---------------------------------------------------------------- what both do when they fail

    private void again(Hold hold, CompletableFuture<?> result, Throwable failure, Runnable next) {
        Throwable cause = StageFailure.unwrapped(failure);
        if (cause instanceof FabricException.Refused refused
                && !refused.reason().passes()
                && refused.reason() != FabricException.Reason.BAD_REQUEST) {
            result.completeExceptionally(notStored(hold, cause));
        } else {
            later(hold, result, next);
        }
    }

    private static DecLockException notStored(Hold hold, Throwable cause) {
        return new DecLockException(
                "the value of " + hold.lock().title() + " was not read or stored: " + cause.getMessage(), cause);
    }

    /** Runs a step when the lock has settled, as after a reset, or a moment has passed. */
    private void later(Hold hold, CompletableFuture<?> result, Runnable next) {
        CompletableFuture<Boolean> due = new CompletableFuture<>();
        HeldLock.underMutex(hold, value -> value.awaitSettled(due));
        timers.schedule(PAUSE_NANOS, () -> due.complete(true));
        due.thenRun(() -> guarded(result, next));
    }

    /** Runs a step; an exception of it is the result. */
    private static void guarded(CompletableFuture<?> result, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            result.completeExceptionally(e);
        }
    }
}
