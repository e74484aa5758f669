// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import io.declock.LockHandle;
import io.declock.LockRequest;
import io.declock.spring.DecLockContext;
import io.declock.spring.DecLockedMisuseException;
import io.declock.spring.Release;
import io.declock.spring.transaction.KeptLock;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.function.SingletonSupplier;

/**
 * Looks after locks that are taken inside a transaction of the caller. Such a lock is given back before that transaction is committed, so that the
 * next holder does not see what was written: the call is warned about or refused, unless the lock stays held until the transaction has ended ({@link
 * Release#AFTER_COMPLETION}). No annotation reveals this, because the transaction begins in another bean. Thread-safe.
 */
final class CallersTransaction {
    private static final Logger LOG = LoggerFactory.getLogger(CallersTransaction.class);
    private static final Set<Propagation> APART =
            Set.of(Propagation.REQUIRES_NEW, Propagation.NOT_SUPPORTED, Propagation.NEVER);

    private final Map<Method, Boolean> toldOrSafe = new ConcurrentHashMap<>();
    private final Supplier<CallersTransactionPolicy> policy;

    CallersTransaction(Supplier<CallersTransactionPolicy> policy) {
        this.policy = SingletonSupplier.of(policy);
    }

    /** Returns whether the lock of a call that begins now stays held until the caller's transaction has ended. */
    boolean keepsLock(LockedOperation operation) {
        return operation.release() == Release.AFTER_COMPLETION && KeptLock.isPossible() && !isApart(operation);
    }

    /** Keeps the lock of a call that has ended until the caller's transaction has ended. */
    void keep(LockedOperation operation, LockHandle handle) {
        KeptLock.keep(handle, operation.guardsCommits(), Names.of(operation.method()));
    }

    /** Checks a call that is about to take its lock, and gives it back before the transaction of its caller has ended. */
    void check(LockedOperation operation, LockRequest request) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()
                || TransactionSynchronizationManager.isCurrentTransactionReadOnly()
                || toldOrSafe.containsKey(operation.method())
                || isHeldFurtherOut(request)) {
            return;
        }
        boolean safe = isApart(operation) || policy.get() == CallersTransactionPolicy.IGNORE;
        if (!safe && policy.get() == CallersTransactionPolicy.FAIL) {
            throw new DecLockedMisuseException(problem(operation), null);
        }
        if (toldOrSafe.put(operation.method(), Boolean.TRUE) == null && !safe) {
            LOG.warn("{} This warning appears once per method.", problem(operation));
        }
    }

    private static String problem(LockedOperation operation) {
        return Names.of(operation.method()) + " takes its lock inside a transaction that its caller has begun" + name()
                + ": the lock is released before that transaction commits, and the next holder does not see what was written. Lock"
                + " where the transaction begins, keep the lock until the transaction has ended (release = AFTER_COMPLETION), or give"
                + " the method a transaction of its own (@Transactional(propagation = REQUIRES_NEW)).";
    }

    private static String name() {
        String name = TransactionSynchronizationManager.getCurrentTransactionName();
        return name == null ? "" : " ('" + name + "')";
    }

    /** Returns whether an outer locked method holds the same locks: then the end of the inner method releases nothing. */
    private static boolean isHeldFurtherOut(LockRequest request) {
        return DecLockContext.isLocked()
                && request.names().keySet().stream().allMatch(CallersTransaction::isOfCurrentHandle);
    }

    private static boolean isOfCurrentHandle(String name) {
        try {
            DecLockContext.currentToken(name);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static boolean isApart(LockedOperation operation) {
        Transactional own = AnnotatedElementUtils.findMergedAnnotation(operation.method(), Transactional.class);
        Transactional decisive = own != null
                ? own
                : AnnotatedElementUtils.findMergedAnnotation(operation.targetClass(), Transactional.class);
        return decisive != null && APART.contains(decisive.propagation());
    }
}
