// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring;

import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockScope;
import org.jspecify.annotations.Nullable;

/**
 * Gives a {@link DecLocked} method the lock it runs under, on the thread on which it was called. In a reactive pipeline use
 * {@link io.declock.spring.reactive.ReactiveDecLockContext}.
 *
 * <pre>{@code
 * @DecLocked(name = "order", key = "#id")
 * public void ship(long id) {
 *     orders.markShipped(id, DecLockContext.currentToken());
 * }
 * }</pre>
 *
 * <p>Where locked methods call each other, the current lock is that of the innermost one. Thread-safe.
 */
public final class DecLockContext {
    private static final ThreadLocal<@Nullable Scope> CURRENT = new ThreadLocal<>();

    private DecLockContext() {}

    /**
     * {@return the fencing token of the current lock}
     *
     * @throws IllegalStateException outside of a locked method
     */
    public static long currentToken() {
        return currentHandle().fencingToken();
    }

    /**
     * {@return the fencing token of one name of the current lock}
     *
     * @param name the lock's name
     * @throws IllegalStateException outside of a locked method
     * @throws IllegalArgumentException if the locked method did not ask for that name
     */
    public static long currentToken(String name) {
        return currentHandle().fencingToken(name);
    }

    /**
     * {@return the handle of the current lock} Do not close it: the advice closes it when the method ends.
     *
     * @throws IllegalStateException outside of a locked method
     */
    public static LockHandle currentHandle() {
        Scope scope = CURRENT.get();
        if (scope == null) {
            throw new IllegalStateException("No @DecLocked method is running on thread '"
                    + Thread.currentThread().getName()
                    + "'. Ask on the thread on which the locked method was called, and"
                    + " make sure that it was called through its Spring bean.");
        }
        return scope.locks.handle();
    }

    /** {@return whether a locked method is running on this thread} */
    public static boolean isLocked() {
        return CURRENT.get() != null;
    }

    /** {@return the current lock and those around it, for {@link LockScope#holding}; null if there is no current lock} */
    public static @Nullable LockScope currentScope() {
        Scope scope = CURRENT.get();
        return scope == null ? null : scope.locks;
    }

    /**
     * Makes the handle of {@code locks} the current one on this thread until the returned scope is closed. For code that acquires locks on
     * behalf of other code, as the advice does.
     *
     * @param locks the locks; the ones around them need not be those of this thread
     * @return the scope, to be closed on this thread
     */
    public static Scope enter(LockScope locks) {
        return enter(locks, false);
    }

    /**
     * As {@link #enter(LockScope)}; {@code guardsCommits} sets whether transactions of this thread are committed only
     * while the handle is valid.
     *
     * @param locks the locks
     * @param guardsCommits whether commits are refused once the lock is lost
     * @return the scope, to be closed on this thread
     */
    public static Scope enter(LockScope locks, boolean guardsCommits) {
        Scope scope = new Scope(locks, CURRENT.get(), guardsCommits);
        CURRENT.set(scope);
        return scope;
    }

    /**
     * Called when a transaction of this thread is about to be committed.
     *
     * @throws LockLostException if a lock of this thread has been lost and its locked method commits only while it is held
     */
    public static void checkCommit() {
        for (Scope scope = CURRENT.get(); scope != null; scope = scope.outer) {
            if (scope.guardsCommits && !scope.locks.handle().isValid()) {
                throw new LockLostException(
                        "The transaction is rolled back: it was about to be committed after its lock had been"
                                + " lost. Nothing was written; the call may be tried again. " + scope.locks.handle());
            }
        }
        for (Scope scope = CURRENT.get(); scope != null; scope = scope.outer) {
            scope.committed = true;
        }
    }

    /** The time during which a handle is the current one. Close it on the thread that entered it, the innermost scope first. */
    public static final class Scope implements AutoCloseable {
        private final LockScope locks;
        private final @Nullable Scope outer;
        private final boolean guardsCommits;
        private boolean committed;

        private Scope(LockScope locks, @Nullable Scope outer, boolean guardsCommits) {
            this.locks = locks;
            this.outer = outer;
            this.guardsCommits = guardsCommits;
        }

        /** {@return whether a transaction was committed in this scope; with {@code guardsCommits}, while the handle was valid} */
        public boolean hasCommitted() {
            return committed;
        }

        /** Ends it, and those that were entered inside of it. Does nothing on another thread, and nothing a second time. */
        @Override
        public void close() {
            Scope found = CURRENT.get();
            while (found != null && found != this) {
                found = found.outer;
            }
            if (found == null) {
                return;
            }
            if (outer == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(outer);
            }
        }
    }
}
