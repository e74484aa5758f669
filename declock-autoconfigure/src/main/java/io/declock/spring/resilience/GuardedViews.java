// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.resilience;

import io.declock.LockRequest;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

/** The {@link ReadWriteLock} views of one name, behind their memory node's circuit breaker. Thread-safe. */
final class GuardedViews implements ReadWriteLock {
    private final Lock read;
    private final Lock write;

    GuardedViews(ReadWriteLock views, String name, MemoryNodeCircuits circuits) {
        this.read = new GuardedView(views.readLock(), LockRequest.read(name), circuits);
        this.write = new GuardedView(views.writeLock(), LockRequest.write(name), circuits);
    }

    @Override
    public Lock readLock() {
        return read;
    }

    @Override
    public Lock writeLock() {
        return write;
    }

    private record GuardedView(Lock view, LockRequest request, MemoryNodeCircuits circuits) implements Lock {
        @Override
        public void lock() {
            MemoryNodeCircuits.Permit permit = circuits.permit(request);
            try {
                view.lock();
            } catch (RuntimeException e) {
                permit.failed(e);
                throw e;
            }
            permit.answered();
        }

        @Override
        public void lockInterruptibly() throws InterruptedException {
            MemoryNodeCircuits.Permit permit = circuits.permit(request);
            try {
                view.lockInterruptibly();
            } catch (RuntimeException | InterruptedException e) {
                permit.failed(e);
                throw e;
            }
            permit.answered();
        }

        @Override
        public boolean tryLock() {
            MemoryNodeCircuits.Permit permit = circuits.permit(request);
            boolean locked;
            try {
                locked = view.tryLock();
            } catch (RuntimeException e) {
                permit.failed(e);
                throw e;
            }
            permit.answered();
            return locked;
        }

        @Override
        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
            MemoryNodeCircuits.Permit permit = circuits.permit(request);
            boolean locked;
            try {
                locked = view.tryLock(time, unit);
            } catch (RuntimeException | InterruptedException e) {
                permit.failed(e);
                throw e;
            }
            permit.answered();
            return locked;
        }

        @Override
        public void unlock() {
            view.unlock();
        }

        @Override
        public Condition newCondition() {
            return view.newCondition();
        }
    }
}
