// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.NonNull;
import org.jspecify.annotations.Nullable;

/**
 * What became of code that runs only if a lock is granted in time: it ran, with a result that may be null, or another owner has the lock.
 * Immutable.
 *
 * @param <T> type of the result
 */
public final class LockOutcome<T extends @Nullable Object> {
    private final boolean ran;
    private final @Nullable T result;
    private final String busy;

    private LockOutcome(boolean ran, @Nullable T result, String busy) {
        this.ran = ran;
        this.result = result;
        this.busy = busy;
    }

    /**
     * Makes the outcome of code that ran.
     *
     * @param <T> type of the result
     * @param result its result
     * @return the outcome
     */
    public static <T extends @Nullable Object> LockOutcome<T> of(T result) {
        return new LockOutcome<>(true, result, "");
    }

    /**
     * Makes the outcome of code that did not run.
     *
     * @param <T> type of the result
     * @param why what kept it from running, for the message of {@link #get}
     * @return the outcome
     */
    public static <T extends @Nullable Object> LockOutcome<T> notRun(String why) {
        return new LockOutcome<>(false, null, why);
    }

    /** {@return whether the lock was granted, so that the code ran} */
    public boolean ran() {
        return ran;
    }

    /**
     * {@return the result of the code}
     *
     * @throws NoSuchElementException if it did not run; the message names the locks
     */
    @SuppressWarnings("NullAway") // Null only where T allows it.
    public T get() {
        if (!ran) {
            throw new NoSuchElementException(busy);
        }
        return result;
    }

    /**
     * {@return the result of the code, or another value if it did not run}
     *
     * @param other the other value
     */
    @SuppressWarnings("NullAway") // Null only where T allows it.
    public T orElse(T other) {
        return ran ? result : other;
    }

    /**
     * {@return the result of the code, or another value if it did not run}
     *
     * @param other makes the other value
     */
    @SuppressWarnings("NullAway") // Null only where T allows it.
    public T orElseGet(Supplier<? extends T> other) {
        return ran ? result : other.get();
    }

    /**
     * {@return the result of the code}
     *
     * @param <X> type of the exception
     * @param exception makes the exception that is thrown if it did not run
     * @throws X if it did not run
     */
    @SuppressWarnings("NullAway") // Null only where T allows it.
    public <X extends Throwable> T orElseThrow(Supplier<? extends X> exception) throws X {
        if (!ran) {
            throw exception.get();
        }
        return result;
    }

    /**
     * Runs an action if the code did not run.
     *
     * @param action the action
     * @return this outcome
     */
    public LockOutcome<T> ifBusy(Runnable action) {
        if (!ran) {
            action.run();
        }
        return this;
    }

    /** {@return the result, empty if the code did not run or its result was null} */
    public Optional<@NonNull T> toOptional() {
        return Optional.ofNullable(result);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LockOutcome<?> outcome && ran == outcome.ran && Objects.equals(result, outcome.result);
    }

    @Override
    public int hashCode() {
        return Objects.hash(ran, result);
    }

    @Override
    public String toString() {
        return ran ? "ran: " + result : "did not run: " + busy;
    }
}
