// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.declock.ComputeNodeMonitor;
import io.declock.DecLockException;
import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.MemoryNodeView;
import io.declock.spring.Contexts;
import io.declock.spring.DecLocked;
import jakarta.annotation.PostConstruct;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/** Locks are there before the web server is, and go after it has drained. */
@ExtendWith(OutputCaptureExtension.class)
class LifecycleTests {
    @Test
    void everythingStartsBeforeTheWebServerAndStopsAfterIt() {
        Contexts.locks().run(context -> {
            List<PhasedLifecycle> ours = new ArrayList<>(
                    context.getBeansOfType(PhasedLifecycle.class).values());
            assertThat(ours).hasSize(5).allSatisfy(lifecycle -> {
                assertThat(lifecycle.isRunning()).isTrue();
                assertThat(lifecycle.isAutoStartup()).isTrue();
                assertThat(lifecycle.isPauseable()).isFalse();
                assertThat(lifecycle.getPhase())
                        .isLessThan(WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE)
                        .isLessThan(WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE);
            });
            assertThat(ours)
                    .extracting(Object::toString)
                    .containsExactlyInAnyOrder("memory-node", "sessions", "reset-coordinator", "clock-sync", "gate");
            assertThat(context.getBean(ComputeNodeMonitor.class).memoryNodes())
                    .allSatisfy(view -> assertThat(view.state()).isEqualTo(MemoryNodeView.State.UP));
        });
    }

    @Test
    void aBeanMayUseALockWhileItIsInitialized() {
        Contexts.locks().withBean(Eager.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(Eager.class).token).isPositive();
        });
    }

    @Test
    void shutdownLetsHoldersFinishAndNobodyIn() throws Exception {
        AtomicReference<DistributedReadWriteLock> lock = new AtomicReference<>();
        AtomicReference<Throwable> late = new AtomicReference<>();
        List<String> events = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch held = new CountDownLatch(1);
        Contexts.locks().withPropertyValues("declock.shutdown.timeout=10s").run(context -> {
            lock.set(context.getBean(DistributedReadWriteLock.class));
            new Thread(() -> hold(lock.get(), held, events, late)).start();
            assertThat(held.await(5, TimeUnit.SECONDS)).isTrue();
            context.getSourceApplicationContext().close();
            events.add("closed");
            assertThat(events).containsExactly("reentrant", "released", "closed");
            assertThat(late.get()).isInstanceOf(DecLockException.class);
            assertThatExceptionOfType(DecLockException.class)
                    .isThrownBy(() -> lock.get().acquire(LockRequest.write("y")))
                    .withMessageContaining("shutting down");
        });
    }

    private static void hold(
            DistributedReadWriteLock lock, CountDownLatch held, List<String> events, AtomicReference<Throwable> late) {
        LockOwner owner = LockOwner.named("holder");
        try (LockHandle handle = lock.acquire(LockRequest.write("x"), owner)) {
            held.countDown();
            Thread.sleep(500);
            try {
                lock.acquire(LockRequest.write("other"), LockOwner.named("newcomer"))
                        .close();
            } catch (DecLockException e) {
                late.set(e);
            }
            lock.acquire(LockRequest.write("x"), owner).close();
            events.add("reentrant");
            assertThat(handle.isValid()).isTrue();
            events.add("released");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void shutdownWaitsForHoldersOnlySoLong(CapturedOutput output) {
        Contexts.locks().withPropertyValues("declock.shutdown.timeout=200ms").run(context -> {
            LockHandle handle = context.getBean(DistributedReadWriteLock.class)
                    .acquire(LockRequest.write("stuck\nfast"), LockOwner.named("stuck job"));
            long before = System.nanoTime();
            context.getSourceApplicationContext().close();
            assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - before))
                    .isBetween(150L, 5000L);
            assertThat(output).contains("'stuck\\u000afast' by stuck job");
            assertThat(handle.isValid()).isFalse();
        });
    }

    @Test
    void aStoppedApplicationCanBeStartedAgain() {
        Contexts.locks().run(context -> {
            GenericApplicationContext source = (GenericApplicationContext) context.getSourceApplicationContext();
            DistributedReadWriteLock lock = context.getBean(DistributedReadWriteLock.class);
            source.stop();
            assertThatExceptionOfType(DecLockException.class).isThrownBy(() -> lock.acquire(LockRequest.write("x")));
            assertThat(context.getBean(ComputeNodeMonitor.class).memoryNodes()).isEmpty();
            source.start();
            lock.acquire(LockRequest.write("x")).close();
        });
    }

    @Test
    void aFailedStartLeavesNothingRunning() {
        int before = threads();
        Contexts.locks()
                .withBean(Failing.class)
                .run(context -> assertThat(context).hasFailed());
        Awaitility.await().until(() -> threads() <= before);
    }

    private static int threads() {
        return (int) Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().contains("declock"))
                .count();
    }

    static class Eager {
        private final DistributedReadWriteLock lock;
        private long token;

        Eager(DistributedReadWriteLock lock) {
            this.lock = lock;
        }

        @PostConstruct
        void use() throws InterruptedException {
            try (LockHandle handle = lock.acquire(LockRequest.write("eager"))) {
                token = handle.fencingToken();
            }
        }
    }

    static class Failing {
        @DecLocked
        public void locked() {}

        Failing(DistributedReadWriteLock lock) throws InterruptedException {
            lock.acquire(LockRequest.write("x")).close();
        }
    }
}
