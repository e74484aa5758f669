// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import io.declock.DistributedReadWriteLock;
import java.lang.reflect.Method;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.BeanFactory;

/** Puts the lock around every {@link io.declock.spring.DecLocked} method of every bean. Needs no AspectJ. Thread-safe. */
public final class DecLockedAdvisor extends AbstractPointcutAdvisor {
    private static final long serialVersionUID = 1L;

    /**
     * The lock's default order: outside of transactions and caches, inside of Spring's {@code @Async} and {@code @Retryable} and of
     * Resilience4j's annotations, so that a retry waits without the lock.
     */
    public static final int DEFAULT_ORDER = LOWEST_PRECEDENCE - 1;

    private final transient LockedOperations operations;
    private final transient Pointcut pointcut = new DecLockedPointcut();
    private final transient Advice advice;

    /**
     * Makes the advisor; it does not call the suppliers before the first call of a locked method.
     *
     * @param beanFactory resolves placeholders and beans in keys
     * @param lock the locks
     * @param executor runs methods that return a stage when their lock was not granted at once
     * @param callersTransactions what to do about locks inside of a caller's transaction
     * @param order the advisor's order among other advisors
     */
    public DecLockedAdvisor(
            BeanFactory beanFactory,
            Supplier<DistributedReadWriteLock> lock,
            Supplier<Executor> executor,
            Supplier<CallersTransactionPolicy> callersTransactions,
            int order) {
        this.operations = new LockedOperations(beanFactory);
        this.advice = new DecLockedInterceptor(operations, lock, executor, callersTransactions);
        setOrder(order);
    }

    @Override
    public Pointcut getPointcut() {
        return pointcut;
    }

    @Override
    public Advice getAdvice() {
        return advice;
    }

    LockedOperations operations() {
        return operations;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }

    private static final class DecLockedPointcut extends StaticMethodMatcherPointcut {
        DecLockedPointcut() {
            setClassFilter(DecLockedAnnotations::isCandidate);
        }

        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            return !DecLockedAnnotations.find(method, targetClass).isEmpty();
        }
    }
}
