// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.shedlock;

import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockNames;
import io.declock.LockNotGrantedException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lock of one task, from the grant or an extension to the next extension or the end. All terms of one lock share a reference to the
 * one that counts; a term ends when it is replaced there, by {@code unlock}, {@code extend}, its time or the loss of the lock. Only the
 * one that replaces it goes on to act, so that the lock ends once. Thread-safe.
 */
final class TaskLock extends AbstractSimpleLock {
    private static final Logger LOG = LoggerFactory.getLogger(TaskLock.class);

    private final LockHandle handle;
    private final LockTimer timer;
    private final Consumer<LockConfiguration> reserve;
    private final AtomicReference<@Nullable TaskLock> current;
    private final long since = System.nanoTime();
    private volatile @Nullable Future<?> end;

    private TaskLock(
            LockHandle handle,
            LockConfiguration configuration,
            LockTimer timer,
            Consumer<LockConfiguration> reserve,
            AtomicReference<@Nullable TaskLock> current) {
        super(configuration);
        this.handle = handle;
        this.timer = timer;
        this.reserve = reserve;
        this.current = current;
    }

    /**
     * Returns the first term of a lock that was granted just now.
     *
     * @param reserve has the lock stay taken for the shortest time of an extension
     */
    static SimpleLock begin(
            LockHandle handle, LockConfiguration configuration, LockTimer timer, Consumer<LockConfiguration> reserve) {
        AtomicReference<@Nullable TaskLock> current = new AtomicReference<>();
        TaskLock first = new TaskLock(handle, configuration, timer, reserve, current);
        current.set(first);
        first.startTime();
        handle.onLost((lost, why) -> {
            TaskLock last = current.getAndSet(null);
            if (last != null) {
                last.wasLost(why);
            }
            // A lost hold is remembered until it is closed, and not every task unlocks what it has lost.
            LockTimer.release(lost);
        });
        return first;
    }

    private void startTime() {
        Future<?> started = timer.start(left(lockConfiguration.getLockAtMostFor()), this::timeIsOver);
        end = started;
        if (current.get() != this) {
            started.cancel(false);
        }
    }

    private long left(Duration whole) {
        long elapsed = System.nanoTime() - since;
        return Math.max(0, TimeUnit.NANOSECONDS.convert(whole) - elapsed);
    }

    private boolean isOver() {
        return left(lockConfiguration.getLockAtMostFor()) == 0;
    }

    @Override
    protected void doUnlock() {
        if (end(null)) {
            LockTimer.release(handle);
        }
    }

    @Override
    protected Optional<SimpleLock> doExtend(LockConfiguration extended) {
        if (isOver() || !handle.isValid()) {
            return Optional.empty();
        }
        try {
            reserve.accept(extended);
        } catch (LockLostException | LockNotGrantedException e) {
            return Optional.empty();
        }
        TaskLock next = new TaskLock(handle, extended, timer, reserve, current);
        if (!end(next)) {
            return Optional.empty();
        }
        next.startTime();
        return Optional.of(next);
    }

    /** Ends this term, unless it has ended; returns whether the caller ended it. */
    private boolean end(@Nullable TaskLock next) {
        boolean ended = current.compareAndSet(this, next);
        if (ended) {
            stopTime();
        }
        return ended;
    }

    private void stopTime() {
        Future<?> started = end;
        if (started != null) {
            started.cancel(false);
        }
    }

    private void timeIsOver() {
        if (end(null)) {
            LOG.warn(
                    "Lock {} was not unlocked within its lockAtMostFor of {} and is released now. Its task may still run, and another"
                            + " instance may run it too.",
                    LockNames.quoted(lockConfiguration.getName()),
                    lockConfiguration.getLockAtMostFor());
            LockTimer.release(handle);
        }
    }

    private void wasLost(LockLostException why) {
        stopTime();
        LOG.warn(
                "Lock {} was lost while its task ran, so that another instance may run it too: {}",
                LockNames.quoted(lockConfiguration.getName()),
                why.getMessage());
    }
}
