// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.spring.DecLockedMisuseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.Advisor;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;

/**
 * Reports uses of {@link io.declock.spring.DecLocked} that cannot work: all of them together at the end of the application's
 * start, and those of beans that are created later when the bean is created.
 */
public final class DecLockedChecker implements BeanPostProcessor, SmartInitializingSingleton, PriorityOrdered {
    /** What to do about calls of locked methods on {@code this}. */
    public enum SelfInvocationPolicy {
        /** Refuse to start. */
        FAIL,
        /** Log a warning. */
        WARN,
        /** Do not check. */
        IGNORE
    }

    private static final Logger LOG = LoggerFactory.getLogger(DecLockedChecker.class);
    /** This bean exists in tests that replace beans by mocks or spies, which get no proxies. */
    private static final String BEAN_OVERRIDES =
            "org.springframework.test.context.bean.override.internalBeanOverridePostProcessor";

    private final ConfigurableListableBeanFactory beanFactory;
    private final Supplier<DecLockedAdvisor> advisor;
    private final Supplier<SelfInvocationPolicy> selfInvocations;
    private final Set<Class<?>> checked = ConcurrentHashMap.newKeySet();
    private final Map<Class<?>, Boolean> locked = new ConcurrentHashMap<>();
    private final ReentrantLock mutex = new ReentrantLock();

    @GuardedBy("mutex")
    private final List<String> problems = new ArrayList<>();

    private volatile boolean started;

    /** Makes the checker; it calls the suppliers when it sees the first bean with a locked method. */
    public DecLockedChecker(
            ConfigurableListableBeanFactory beanFactory,
            Supplier<DecLockedAdvisor> advisor,
            Supplier<SelfInvocationPolicy> selfInvocations) {
        this.beanFactory = beanFactory;
        this.advisor = advisor;
        this.selfInvocations = selfInvocations;
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String beanName) {
        report(check(bean.getClass()));
        return bean;
    }

    private void report(List<String> found) {
        if (found.isEmpty()) {
            return;
        }
        mutex.lock();
        try {
            if (started) {
                throw new DecLockedMisuseException(found);
            }
            problems.addAll(found);
        } finally {
            mutex.unlock();
        }
    }

    private List<String> check(Class<?> beanClass) {
        if (!DecLockedAnnotations.isCandidate(beanClass) || !checked.add(beanClass)) {
            return List.of();
        }
        LockedClass type = LockedClass.inspect(beanClass);
        locked.put(beanClass, type.isLocked());
        if (!type.isLocked() && type.structuralProblems().isEmpty()) {
            return List.of();
        }
        if (type.isFinalClass(beanFactory)) {
            // Thrown at once: creating the proxy would fail too, with a message that explains less.
            throw new DecLockedMisuseException(
                    "Class " + Names.of(beanClass)
                            + " has @DecLocked methods, but is final, so no proxy can lock them. Remove 'final'"
                            + " (a record is always final), or let callers use an interface and set spring.aop.proxy-target-class=false.",
                    null);
        }
        List<String> found = new ArrayList<>(type.structuralProblems());
        type.lockedMethods().forEach(method -> {
            try {
                advisor.get().operations().get(method, beanClass);
            } catch (DecLockedMisuseException e) {
                found.add(e.getMessage());
            }
        });
        found.addAll(selfInvocationProblems(type));
        return found;
    }

    private List<String> selfInvocationProblems(LockedClass type) {
        SelfInvocationPolicy policy = selfInvocations.get();
        if (policy == SelfInvocationPolicy.IGNORE) {
            return List.of();
        }
        List<String> found = new ArrayList<>();
        for (SelfInvocations.SelfInvocation call : SelfInvocations.find(type.type(), type.lockedMethods())) {
            String problem =
                    Names.of(type.type()) + "." + call.caller() + (call.line() > 0 ? " (line " + call.line() + ")" : "")
                            + " calls " + Names.of(call.locked())
                            + " on its own object, past the proxy, so the lock is not taken. Move one of the two to another bean, call it"
                            + " through the injected bean, or use DistributedReadWriteLock; if the call is intended, set"
                            + " declock.aop.self-invocation=warn.";
            if (policy == SelfInvocationPolicy.WARN || type.isLocked(call.callerSignature())) {
                LOG.warn("{}", problem);
            } else {
                found.add(problem);
            }
        }
        return found;
    }

    @Override
    public void afterSingletonsInstantiated() {
        Map<String, Object> unlocked = new LinkedHashMap<>();
        for (String name : beanFactory.getSingletonNames()) {
            Object bean = beanFactory.getSingleton(name);
            if (bean != null && !(bean instanceof AopInfrastructureBean) && needsProxy(bean)) {
                unlocked.put(name, bean);
            }
        }
        boolean overrides = beanFactory.containsSingleton(BEAN_OVERRIDES);
        mutex.lock();
        try {
            started = true;
            unlocked.forEach((name, bean) -> {
                String problem = "Bean '" + name + "' (" + Names.of(bean.getClass())
                        + ") has @DecLocked methods, but got no proxy, so they would run without the lock. The bean was created too"
                        + " early (it is a bean post-processor or used by one) or by hand; @DecLocked cannot work there.";
                if (overrides) {
                    LOG.warn("{}", problem);
                } else {
                    problems.add(problem);
                }
            });
            if (!problems.isEmpty()) {
                throw new DecLockedMisuseException(problems);
            }
        } finally {
            mutex.unlock();
        }
    }

    private boolean needsProxy(Object bean) {
        Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
        if (!locked.computeIfAbsent(type, DecLockedChecker::isLocked)) {
            return false;
        }
        if (bean instanceof Advised advised) {
            Advisor[] advisors = advised.getAdvisors();
            warnInsideTransaction(type, advisors);
            return indexOf(advisors, DecLockedAdvisor.class.getName()) < 0;
        }
        return !(bean instanceof SpringProxy);
    }

    private static boolean isLocked(Class<?> type) {
        return DecLockedAnnotations.isCandidate(type)
                && LockedClass.inspect(type).isLocked();
    }

    private static void warnInsideTransaction(Class<?> type, Advisor[] advisors) {
        int transaction = indexOf(
                advisors, "org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor");
        int lock = indexOf(advisors, DecLockedAdvisor.class.getName());
        if (transaction >= 0 && transaction < lock) {
            LOG.warn(
                    "In {} the lock is inside of the transaction (declock.aop.order): it is released before the commit, so the"
                            + " next holder may not see what was written.",
                    Names.of(type));
        }
    }

    private static int indexOf(@Nullable Advisor[] advisors, String className) {
        for (int i = 0; i < advisors.length; i++) {
            Advisor candidate = advisors[i];
            if (candidate != null && candidate.getClass().getName().equals(className)) {
                return i;
            }
        }
        return -1;
    }
}
