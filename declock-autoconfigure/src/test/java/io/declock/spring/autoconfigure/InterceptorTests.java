// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import static java.util.concurrent.TimeUnit.HOURS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.management.ThreadMXBean;
import io.declock.ComputeNodeMonitor;
import io.declock.DecLockException;
import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockNotGrantedException;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.spring.AcquisitionInterceptor;
import io.declock.spring.Contexts;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Lock;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.Ordered;

/** What the interceptors of an application see, and that their failures are their own. */
@Timeout(60)
class InterceptorTests {
    private static final LockOwner OTHER = LockOwner.named("other");
    private static final int CYCLES = 100;

    private final List<String> seen = new CopyOnWriteArrayList<>();

    /** The ways to acquire; each releases what it was granted. */
    enum Way {
        ACQUIRE {
            @Override
            boolean go(DistributedReadWriteLock lock) throws InterruptedException {
                lock.acquire(LockRequest.write("x")).close();
                return true;
            }
        },
        ACQUIRE_FOR_OWNER {
            @Override
            boolean go(DistributedReadWriteLock lock) throws InterruptedException {
                lock.acquire(LockRequest.write("x"), LockOwner.named("me")).close();
                return true;
            }
        },
        TRY_ACQUIRE {
            @Override
            boolean go(DistributedReadWriteLock lock) throws InterruptedException {
                return lock.tryAcquire(LockRequest.write("x"))
                        .map(handle -> {
                            handle.close();
                            return true;
                        })
                        .orElse(false);
            }
        },
        ACQUIRE_ASYNC {
            @Override
            boolean go(DistributedReadWriteLock lock) {
                try {
                    lock.acquireAsync(LockRequest.write("x"), LockOwner.named("me"))
                            .toCompletableFuture()
                            .join()
                            .close();
                } catch (CompletionException e) {
                    throw e.getCause() instanceof RuntimeException cause ? cause : e;
                }
                return true;
            }
        },
        LOCK {
            @Override
            boolean go(DistributedReadWriteLock lock) {
                Lock view = lock.lock("x").writeLock();
                view.lock();
                view.unlock();
                return true;
            }
        },
        LOCK_INTERRUPTIBLY {
            @Override
            boolean go(DistributedReadWriteLock lock) throws InterruptedException {
                Lock view = lock.lock("x").writeLock();
                view.lockInterruptibly();
                view.unlock();
                return true;
            }
        },
        TRY_LOCK {
            @Override
            boolean go(DistributedReadWriteLock lock) {
                Lock view = lock.lock("x").writeLock();
                boolean locked = view.tryLock();
                if (locked) {
                    view.unlock();
                }
                return locked;
            }
        },
        TIMED_TRY_LOCK {
            @Override
            boolean go(DistributedReadWriteLock lock) throws InterruptedException {
                Lock view = lock.lock("x").writeLock();
                boolean locked = view.tryLock(1, HOURS);
                if (locked) {
                    view.unlock();
                }
                return locked;
            }
        };

        abstract boolean go(DistributedReadWriteLock lock) throws InterruptedException;

        boolean answersWhetherGranted() {
            return this == TRY_ACQUIRE || this == TRY_LOCK || this == TIMED_TRY_LOCK;
        }
    }

    @ParameterizedTest
    @EnumSource
    void theFirstInOrderIsTheOutermost(Way way) {
        Contexts.locks()
                .withBean("b", AcquisitionInterceptor.class, () -> new Recording("inner", 2))
                .withBean("a", AcquisitionInterceptor.class, () -> new Recording("outer", 1))
                .run(context -> {
                    assertThat(way.go(context.getBean(DistributedReadWriteLock.class)))
                            .isTrue();
                    assertThat(seen).containsExactly("outer x", "inner x", "inner granted", "outer granted");
                });
    }

    @ParameterizedTest
    @EnumSource
    void whatAnInterceptorBreaksIsOnlyItsOwnAcquisition(Way way) {
        for (When when : When.values()) {
            withInner(new Breaking(when), lock -> {
                assertThatThrownBy(() -> way.go(lock))
                        .as(when.name())
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage("broken");
                assertFree(lock);
                assertThat(way.go(lock)).isTrue();
                assertFree(lock);
            });
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ACQUIRE_ASYNC")
    void whoeverIsRefusedAfterTheGrantHoldsNothing(Way way) {
        AcquisitionInterceptor refusing = blocking((request, next) -> !next.acquire(request));
        withInner(refusing, lock -> {
            if (way.answersWhetherGranted()) {
                assertThat(way.go(lock)).isFalse();
            } else {
                assertThatExceptionOfType(LockNotGrantedException.class)
                        .isThrownBy(() -> way.go(lock))
                        .withMessageContaining("'x'")
                        .withMessageContaining("interceptor");
            }
            assertFree(lock);
        });
    }

    @ParameterizedTest
    @EnumSource
    void anInterceptorThatAsksTwiceHoldsOnce(Way way) {
        AcquisitionInterceptor twice = new AcquisitionInterceptor() {
            @Override
            public boolean acquire(LockRequest request, Acquisition next) throws InterruptedException {
                boolean first = next.acquire(request);
                return next.acquire(request) && first;
            }

            @Override
            public CompletionStage<LockHandle> acquireAsync(LockRequest request, AsyncAcquisition next) {
                return next.acquire(request).thenCompose(handle -> next.acquire(request));
            }
        };
        withInner(twice, lock -> {
            assertThat(way.go(lock)).isTrue();
            assertFree(lock);
        });
    }

    @Test
    void anInterceptorThatClaimsAGrantGivesNobodyALock() {
        withInner(blocking((request, next) -> true), lock -> {
            for (Way way : Way.values()) {
                if (way.answersWhetherGranted()) {
                    assertThat(way.go(lock)).isFalse();
                } else if (way != Way.ACQUIRE_ASYNC) {
                    assertThatExceptionOfType(LockNotGrantedException.class).isThrownBy(() -> way.go(lock));
                }
            }
        });
    }

    @Test
    void theWaitTimeThatAnInterceptorPassesOnCounts() {
        AcquisitionInterceptor impatient =
                blocking((request, next) -> next.acquire(request.waitTime(Duration.ofMillis(10))));
        withInner(impatient, lock -> {
            try (LockHandle other = held(lock)) {
                assertThat(Way.TIMED_TRY_LOCK.go(lock)).isFalse();
                assertThat(Way.TRY_ACQUIRE.go(lock)).isFalse();
                assertThat(other.isValid()).isTrue();
            }
        });
    }

    @Test
    void cancellingWithdrawsTheRequestBehindTheInterceptors() {
        Contexts.locks()
                .withBean(AcquisitionInterceptor.class, () -> new Recording("it", 1))
                .run(context -> {
                    DistributedReadWriteLock lock = context.getBean(DistributedReadWriteLock.class);
                    ComputeNodeMonitor monitor = context.getBean(ComputeNodeMonitor.class);
                    try (LockHandle other = held(lock)) {
                        CompletableFuture<LockHandle> waiting = lock.acquireAsync(
                                        LockRequest.write("x"), LockOwner.named("me"))
                                .toCompletableFuture();
                        assertThat(monitor.waitingNow()).isEqualTo(1);
                        assertThat(waiting.cancel(false)).isTrue();
                        await().until(() -> monitor.waitingNow() == 0);
                        assertThat(other.isValid()).isTrue();
                    }
                    assertFree(lock);
                    assertThat(seen.subList(0, 4)).containsExactly("it x", "it granted", "it x", "it failed");
                });
    }

    @Test
    void aViewThatIsNotInterruptibleKeepsAnInterrupt() {
        withInner(
                blocking((request, next) -> {
                    throw new InterruptedException("here");
                }),
                lock -> {
                    for (ThrowingCallable taking : List.<ThrowingCallable>of(
                            () -> lock.lock("x").readLock().lock(),
                            () -> lock.lock("x").readLock().tryLock())) {
                        assertThatExceptionOfType(DecLockException.class).isThrownBy(taking);
                        assertThat(Thread.interrupted()).isTrue();
                    }
                    assertThatExceptionOfType(InterruptedException.class)
                            .isThrownBy(() -> lock.lock("x").readLock().lockInterruptibly());
                });
    }

    /** So few cycles that the compiler removes no allocation from one of the two and not from the other. */
    @Test
    void withoutInterceptorsAnAcquisitionAllocatesWhatTheComputeNodeDoes() {
        Contexts.locks().run(context -> {
            DistributedReadWriteLock lock = context.getBean(DistributedReadWriteLock.class);
            DistributedReadWriteLock core = context.getBean(DecLockNode.class).running();
            assertThat(lock.lock("x")).hasSameClassAs(core.lock("x"));
            double lockBytes = Double.MAX_VALUE;
            double coreBytes = Double.MAX_VALUE;
            for (int round = 0; round < 6; round++) {
                coreBytes = Math.min(coreBytes, bytesPerCycle(core));
                lockBytes = Math.min(lockBytes, bytesPerCycle(lock));
            }
            assertThat(lockBytes).isBetween(coreBytes - 8, coreBytes + 8);
        });
    }

    private static double bytesPerCycle(DistributedReadWriteLock lock) throws InterruptedException {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        LockRequest request = LockRequest.write("x");
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < CYCLES; i++) {
            lock.acquire(request).close();
        }
        return (threads.getCurrentThreadAllocatedBytes() - before) / (double) CYCLES;
    }

    private static LockHandle held(DistributedReadWriteLock lock) throws InterruptedException {
        return lock.acquireAsync(LockRequest.write("x"), OTHER)
                .toCompletableFuture()
                .join();
    }

    private static void assertFree(DistributedReadWriteLock lock) throws InterruptedException {
        lock.acquire(LockRequest.write("x").waitTime(Duration.ofSeconds(5)), LockOwner.named("next"))
                .close();
    }

    private void withInner(AcquisitionInterceptor interceptor, Checks checks) {
        ApplicationContextRunner runner =
                Contexts.locks().withBean("inner", AcquisitionInterceptor.class, () -> interceptor);
        runner.run(context -> checks.on(context.getBean(DistributedReadWriteLock.class)));
    }

    @FunctionalInterface
    private interface Checks {
        void on(DistributedReadWriteLock lock) throws Exception;
    }

    @FunctionalInterface
    private interface Blocking {
        boolean acquire(LockRequest request, AcquisitionInterceptor.Acquisition next) throws InterruptedException;
    }

    /** Returns an interceptor of acquisitions by this thread; it lets those of other owners pass. */
    private static AcquisitionInterceptor blocking(Blocking acquisition) {
        return new AcquisitionInterceptor() {
            private final Thread test = Thread.currentThread();

            @Override
            public boolean acquire(LockRequest request, Acquisition next) throws InterruptedException {
                assertThat(Thread.currentThread()).isSameAs(test);
                return Objects.equals(request.waitTime(), Duration.ofSeconds(5))
                        ? next.acquire(request)
                        : acquisition.acquire(request, next);
            }

            @Override
            public CompletionStage<LockHandle> acquireAsync(LockRequest request, AsyncAcquisition next) {
                return next.acquire(request);
            }
        };
    }

    /** When an interceptor throws. */
    private enum When {
        BEFORE,
        AFTER,
        IN_THE_STAGE
    }

    /** Throws at the first acquisition. */
    private static final class Breaking implements AcquisitionInterceptor {
        private final When when;
        private boolean broken;

        Breaking(When when) {
            this.when = when;
        }

        private void breakOnce(When now) {
            if (when == now && !broken) {
                broken = true;
                throw new IllegalStateException("broken");
            }
        }

        @Override
        public boolean acquire(LockRequest request, Acquisition next) throws InterruptedException {
            breakOnce(When.BEFORE);
            boolean granted = next.acquire(request);
            breakOnce(When.AFTER);
            breakOnce(When.IN_THE_STAGE);
            return granted;
        }

        @Override
        public CompletionStage<LockHandle> acquireAsync(LockRequest request, AsyncAcquisition next) {
            breakOnce(When.BEFORE);
            CompletionStage<LockHandle> stage = next.acquire(request);
            breakOnce(When.AFTER);
            return stage.whenComplete((handle, failure) -> breakOnce(When.IN_THE_STAGE));
        }
    }

    private final class Recording implements AcquisitionInterceptor, Ordered {
        private final String name;
        private final int order;

        Recording(String name, int order) {
            this.name = name;
            this.order = order;
        }

        @Override
        public boolean acquire(LockRequest request, Acquisition next) throws InterruptedException {
            seen.add(name + " " + request.name());
            boolean granted = next.acquire(request);
            seen.add(name + (granted ? " granted" : " not granted"));
            return granted;
        }

        @Override
        public CompletionStage<LockHandle> acquireAsync(LockRequest request, AsyncAcquisition next) {
            seen.add(name + " " + request.name());
            return next.acquire(request)
                    .whenComplete((handle, failure) -> seen.add(name + (failure == null ? " granted" : " failed")));
        }

        @Override
        public int getOrder() {
            return order;
        }
    }
}
