// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static net.bytebuddy.matcher.ElementMatchers.named;

import java.util.ArrayList;
import java.util.List;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.loading.ClassReloadingStrategy;

/**
 * A rule of docs/protocol.md, broken on purpose in the bytecode of the running classes, so that the shipped code needs no switch for it.
 * While the mutation is on, each method that decides the rule is replaced, or its result is changed.
 *
 * @param rule the rule's name
 * @param what description of the wrong behaviour
 * @param scenario the scenario in which it must be seen
 * @param changes the changed methods
 */
record Mutation(String rule, String what, Scenario scenario, List<Change> changes) {
    /** One changed method; {@code advice} is woven into it. */
    record Change(String className, String method, Class<?> advice) {}

    static Mutation of(String rule, String what, Scenario scenario, String className, String method, Class<?> advice) {
        return new Mutation(rule, what, scenario, List.of(new Change(className, method, advice)));
    }

    Mutation and(String className, String method, Class<?> advice) {
        List<Change> more = new ArrayList<>(changes);
        more.add(new Change(className, method, advice));
        return new Mutation(rule, what, scenario, more);
    }

    /** Turns the mutation on until the result is closed. */
    Applied apply() {
        ByteBuddyAgent.install();
        ClassReloadingStrategy strategy =
                ClassReloadingStrategy.fromInstalledAgent(ClassReloadingStrategy.Strategy.REDEFINITION);
        List<Class<?>> changed = new ArrayList<>();
        for (String className :
                changes.stream().map(Change::className).distinct().toList()) {
            Class<?> type = load(className);
            var builder = new ByteBuddy().redefine(type);
            for (Change change : changes) {
                if (change.className().equals(className)) {
                    requireMethod(type, change.method());
                    builder = builder.visit(Advice.to(change.advice()).on(named(change.method())));
                }
            }
            builder.make().load(type.getClassLoader(), strategy);
            changed.add(type);
        }
        return () -> {
            for (Class<?> type : changed) {
                try {
                    strategy.reset(ClassFileLocator.ForClassLoader.of(type.getClassLoader()), type);
                } catch (java.io.IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            }
        };
    }

    private static void requireMethod(Class<?> type, String method) {
        for (var declared : type.getDeclaredMethods()) {
            if (declared.getName().equals(method)) {
                return;
            }
        }
        throw new IllegalStateException(type + " no longer has a method " + method + ": correct the mutation");
    }

    private static Class<?> load(String className) {
        try {
            return Class.forName(className);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("the class " + className + " does not exist: correct the mutation", e);
        }
    }

    /** A mutation that is on. */
    interface Applied extends AutoCloseable {
        @Override
        void close();
    }

    @Override
    public String toString() {
        return rule + ": " + what;
    }
}
