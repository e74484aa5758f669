// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.LockLostException;
import io.declock.LockMode;
import io.declock.LockNames;
import io.declock.UpgradeRefusedException;
import io.declock.internal.local.Hold;
import io.declock.internal.local.LocalWaiter;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import org.jspecify.annotations.Nullable;

/** A named lock as a {@code java.util.concurrent} lock; its holds belong to threads. Immutable, thread-safe. */
final class NamedLock implements ReadWriteLock {
    private final Acquirer acquirer;
    private final String name;
    private final Lock reader = new View(LockMode.READ);
    private final Lock writer = new View(LockMode.WRITE);

    NamedLock(Acquirer acquirer, String name) {
        this.acquirer = acquirer;
        this.name = name;
    }

    @Override
    public Lock readLock() {
        return reader;
    }

    @Override
    public Lock writeLock() {
        return writer;
    }

    @Override
    public String toString() {
        return "DecLock[" + name + "]";
    }

    private final class View implements Lock {
        private final LockMode mode;

        /**
         * The last hold that was granted through this view and not released, usually the one that {@link #unlock} is called for. Other
         * threads write this field too, so it is used only if it belongs to the caller, which has seen its own grant. It is cleared on
         * release: a view may outlive its name in the node's table.
         */
        private @Nullable Hold recent;

        View(LockMode mode) {
            this.mode = mode;
        }

        @Override
        public void lock() {
            try {
                acquire(Acquirer.FOR_EVER, false);
            } catch (InterruptedException e) {
                throw new AssertionError("an uninterruptible wait was interrupted", e);
            }
        }

        @Override
        public void lockInterruptibly() throws InterruptedException {
            acquire(Acquirer.FOR_EVER, true);
        }

        @Override
        public boolean tryLock() {
            try {
                return acquire(0, false) != null;
            } catch (InterruptedException e) {
                throw new AssertionError("an uninterruptible wait was interrupted", e);
            }
        }

        @Override
        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
            return acquire(Math.max(0, unit.toNanos(time)), true) != null;
        }

        private @Nullable Hold acquire(long waitNanos, boolean interruptible) throws InterruptedException {
            try {
                LocalWaiter granted =
                        acquirer.acquire(name, mode, Thread.currentThread(), waitNanos, interruptible, true);
                if (granted == null) {
                    return null;
                }
                recent = granted.hold();
                return granted.hold();
            } catch (UpgradeRefusedException e) {
                if (waitNanos == 0) {
                    return null;
                }
                IllegalMonitorStateException refused = new IllegalMonitorStateException(e.getMessage());
                refused.initCause(e);
                throw refused;
            }
        }

        @Override
        public void unlock() {
            Thread caller = Thread.currentThread();
            Hold hold = recent;
            if (hold == null || !hold.isStillHeldBy(caller, mode)) {
                hold = acquirer.findHold(name, caller);
            }
            if (hold == null) {
                throw new IllegalMonitorStateException("lock " + LockNames.quoted(name) + " is not held by " + caller);
            }
            if (recent == hold) {
                recent = null;
            }
            LockLostException lost = acquirer.release(hold, mode, true);
            if (lost != null) {
                throw new LockLostException(lost.getMessage(), lost);
            }
        }

        @Override
        public Condition newCondition() {
            throw new UnsupportedOperationException("a distributed lock has no conditions");
        }

        @Override
        public String toString() {
            return "DecLock[" + name + "]." + mode;
        }
    }
}
