// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.stress;

import static net.bytebuddy.matcher.ElementMatchers.any;
import static net.bytebuddy.matcher.ElementMatchers.is;
import static net.bytebuddy.matcher.ElementMatchers.isDeclaredBy;
import static net.bytebuddy.matcher.ElementMatchers.named;

import java.lang.reflect.Method;
import java.util.concurrent.locks.LockSupport;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.AsmVisitorWrapper;
import net.bytebuddy.asm.MemberSubstitution;

/**
 * Parking from which only an unpark wakes. Lincheck lets parked threads continue whenever it likes, as {@link LockSupport} allows, and so
 * does not see a missing wake-up. It does not wake threads that wait for a monitor; so the permits of {@link Sleeper}s are kept under a
 * monitor, and a class that parks is made to ask for them.
 */
public final class StrictParking {
    private StrictParking() {}

    /**
     * Sends every call of {@link LockSupport} in a class to {@link Sleeper}; threads of other kinds
     * park as ever. Must be
     * called before Lincheck transforms the class, because Lincheck transforms the class as it finds it.
     */
    public static void substituteIn(Class<?> type) throws NoSuchMethodException {
        AsmVisitorWrapper park = substitution("park", Object.class);
        AsmVisitorWrapper parkNanos = substitution("parkNanos", Object.class, long.class);
        AsmVisitorWrapper unpark = substitution("unpark", Thread.class);
        ByteBuddyAgent.install();
        new AgentBuilder.Default()
                .disableClassFormatChanges()
                .with(AgentBuilder.RedefinitionStrategy.RETRANSFORMATION)
                .type(is(type))
                .transform((builder, description, loader, module, domain) ->
                        builder.visit(park).visit(parkNanos).visit(unpark))
                .installOnByteBuddyAgent();
    }

    private static AsmVisitorWrapper substitution(String name, Class<?>... parameters) throws NoSuchMethodException {
        Method instead = StrictParking.class.getMethod(name, parameters);
        return MemberSubstitution.strict()
                .method(named(name).and(isDeclaredBy(LockSupport.class)))
                .replaceWith(instead)
                .on(any());
    }

    /** In place of {@link LockSupport#park(Object)}. */
    public static void park(Object blocker) {
        if (Thread.currentThread() instanceof Sleeper sleeper) {
            sleeper.sleep();
        } else {
            LockSupport.park(blocker);
        }
    }

    /** In place of {@link LockSupport#parkNanos(Object, long)}: time stands still. */
    public static void parkNanos(Object blocker, long nanos) {
        throw new IllegalStateException(blocker + " is not to wait for a time");
    }

    /** In place of {@link LockSupport#unpark(Thread)}. */
    public static void unpark(Thread thread) {
        if (thread instanceof Sleeper sleeper) {
            sleeper.wake();
        } else {
            LockSupport.unpark(thread);
        }
    }

    /** A thread with a permit. */
    public static final class Sleeper extends Thread {
        // A monitor, not a lock with a condition: those park, and Lincheck would wake them.
        private final Object monitor = new Object();
        private boolean permit;

        /** Makes a thread that is not started. */
        public Sleeper(Runnable task) {
            super(task);
        }

        private void sleep() {
            synchronized (monitor) {
                while (!permit) {
                    try {
                        monitor.wait();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                }
                permit = false;
            }
        }

        private void wake() {
            synchronized (monitor) {
                permit = true;
                monitor.notify();
            }
        }
    }
}
