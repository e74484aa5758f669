// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The locked methods of a bean's class.
 *
 * @param type the class
 * @param lockedMethods the methods that a proxy locks
 * @param structuralProblems annotated methods that no proxy can lock, each in a sentence
 */
record LockedClass(Class<?> type, List<Method> lockedMethods, List<String> structuralProblems) {

    /** Inspects every method of a class, inherited ones included. */
    static LockedClass inspect(Class<?> beanClass) {
        Class<?> type = ClassUtils.getUserClass(beanClass);
        List<Method> lockedMethods = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (Method method : ReflectionUtils.getUniqueDeclaredMethods(type)) {
            if (method.isSynthetic() || DecLockedAnnotations.find(method, type).isEmpty()) {
                continue;
            }
            String hidden = hiddenFromProxy(method, type);
            if (hidden == null) {
                lockedMethods.add(method);
            } else {
                problems.add(Names.of(method) + " is @DecLocked, but " + hidden
                        + ", so it would run without the lock. Make it "
                        + (Modifier.isFinal(method.getModifiers())
                                ? "non-final"
                                : "an instance method that is not private")
                        + ", or use DistributedReadWriteLock in it.");
            }
        }
        return new LockedClass(type, List.copyOf(lockedMethods), List.copyOf(problems));
    }

    private static @org.jspecify.annotations.Nullable String hiddenFromProxy(Method method, Class<?> type) {
        int modifiers = method.getModifiers();
        if (Modifier.isPrivate(modifiers)) {
            return "private";
        }
        if (Modifier.isStatic(modifiers)) {
            return "static";
        }
        if (Modifier.isFinal(modifiers) && !Modifier.isFinal(type.getModifiers()) && !Proxy.isProxyClass(type)) {
            return "final";
        }
        return null;
    }

    boolean isLocked() {
        return !lockedMethods.isEmpty();
    }

    /** Returns whether the method with that name and descriptor is locked. */
    boolean isLocked(String signature) {
        return signatures().contains(signature);
    }

    private Set<String> signatures() {
        return lockedMethods.stream().map(SelfInvocations::signature).collect(Collectors.toSet());
    }

    /** Returns whether no proxy can be made because the class is final. */
    boolean isFinalClass(ConfigurableListableBeanFactory beanFactory) {
        if (!Modifier.isFinal(type.getModifiers()) || Proxy.isProxyClass(type) || ClassUtils.isLambdaClass(type)) {
            return false;
        }
        boolean interfaces = ClassUtils.getAllInterfacesForClass(type).length > 0;
        boolean classProxies = beanFactory.containsSingleton(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME)
                && beanFactory.getSingleton(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME) instanceof ProxyConfig config
                && config.isProxyTargetClass();
        return classProxies || !interfaces;
    }
}
