// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import io.declock.LockRequest;
import io.declock.spring.DecLockContext;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Warns, once per method, when a lock is taken inside a transaction of the caller: the lock is released before that transaction commits,
 * so the next holder does not see what was written. No annotation reveals this, because the transaction begins in another bean.
 * Thread-safe.
 */
final class CallersTransaction {
    private static final Logger LOG = LoggerFactory.getLogger(CallersTransaction.class);
    private static final Set<Propagation> APART =
            Set.of(Propagation.REQUIRES_NEW, Propagation.NOT_SUPPORTED, Propagation.NEVER);

    private final Map<Method, Boolean> toldOrSafe = new ConcurrentHashMap<>();

    /** Checks a call that is about to take its lock. */
    void check(LockedOperation operation, LockRequest request) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()
                || TransactionSynchronizationManager.isCurrentTransactionReadOnly()
                || toldOrSafe.containsKey(operation.method())
                || isHeldFurtherOut(request)) {
            return;
        }
        if (toldOrSafe.put(operation.method(), Boolean.TRUE) == null && !isApart(operation)) {
            LOG.warn(
                    "{} takes its lock inside a transaction that its caller has begun{}: the lock is released before that transaction"
                            + " commits, and the next holder does not see what was written. Lock where the transaction begins, or give the"
                            + " method a transaction of its own (@Transactional(propagation = REQUIRES_NEW)). This warning appears once"
                            + " per method.",
                    Names.of(operation.method()),
                    name());
        }
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
