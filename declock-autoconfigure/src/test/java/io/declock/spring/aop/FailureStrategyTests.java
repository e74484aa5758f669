// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.declock.DecLockException;
import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockNotGrantedException;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.MemoryNodeUnavailableException;
import io.declock.spring.Contexts;
import io.declock.spring.DecLocked;
import io.declock.spring.OnFailure;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** A locked method never runs while another owner has the lock; its failure strategy says what happens instead. */
class FailureStrategyTests {
    @Test
    void throwing() {
        busy(bean -> {
            assertThatExceptionOfType(LockNotGrantedException.class).isThrownBy(bean::throwing);
            assertThat(bean.throwingStage())
                    .failsWithin(java.time.Duration.ofSeconds(5))
                    .withThrowableThat()
                    .withCauseInstanceOf(LockNotGrantedException.class);
            StepVerifier.create(bean.throwingMono()).verifyError(LockNotGrantedException.class);
        });
    }

    @Test
    void returningTheDefault() {
        busy(bean -> {
            assertThat(bean.text()).isNull();
            assertThat(bean.number()).isZero();
            assertThat(bean.flag()).isFalse();
            assertThat(bean.letter()).isEqualTo((char) 0);
            assertThat(bean.optional()).isEmpty();
            assertThat(bean.list()).isEmpty();
            assertThat(bean.collection()).isEmpty();
            assertThat(bean.set()).isEmpty();
            assertThat(bean.map()).isEmpty();
            assertThat(bean.array()).isEmpty();
            assertThat(bean.stream()).isEmpty();
            bean.nothing();
            assertThat(bean.stage().join()).isEmpty();
            StepVerifier.create(bean.mono()).verifyComplete();
            StepVerifier.create(bean.flux()).verifyComplete();
        });
    }

    @Test
    void skipping() {
        busy(bean -> {
            bean.skip();
            bean.skipStage().join();
            StepVerifier.create(bean.skipMono()).verifyComplete();
        });
    }

    @Test
    void fallingBack() {
        busy(bean -> {
            assertThat(bean.withFallback(3, "x")).isEqualTo("instead of 3x");
            assertThat(bean.withExceptionFallback(4)).isEqualTo("4 LockNotGrantedException");
            assertThat(bean.stageFallback().join()).isEqualTo("stage instead");
            StepVerifier.create(bean.monoFallback()).expectNext("mono instead").verifyComplete();
            StepVerifier.create(bean.fluxFallback()).expectNext("a", "b").verifyComplete();
            assertThatExceptionOfType(IllegalCallerException.class).isThrownBy(bean::failingFallback);
        });
    }

    @Test
    void aFreeLockMeansThatTheMethodRuns() {
        Contexts.locks().withBean(Busy.class).run(context -> {
            Busy bean = context.getBean(Busy.class);
            assertThatExceptionOfType(Ran.class).isThrownBy(bean::throwing);
            assertThatExceptionOfType(Ran.class).isThrownBy(bean::text);
            assertThatExceptionOfType(Ran.class).isThrownBy(bean::skip);
            assertThatExceptionOfType(Ran.class).isThrownBy(() -> bean.withFallback(1, "x"));
        });
    }

    @Test
    void anUnavailableMemoryNodeIsNotABusyLock() {
        Contexts.locks()
                .withBean(Busy.class)
                .withPropertyValues(
                        "declock.memory-nodes=tcp://127.0.0.1:1",
                        "declock.startup.timeout=0s",
                        "declock.fail-fast=true")
                .run(context -> {
                    Busy bean = context.getBean(Busy.class);
                    assertThatExceptionOfType(MemoryNodeUnavailableException.class)
                            .isThrownBy(bean::text);
                    assertThatExceptionOfType(MemoryNodeUnavailableException.class)
                            .isThrownBy(bean::skip);
                    assertThatExceptionOfType(MemoryNodeUnavailableException.class)
                            .isThrownBy(() -> bean.withFallback(1, "x"));
                    assertThat(bean.withExceptionFallback(4)).isEqualTo("4 MemoryNodeUnavailableException");
                });
    }

    @Test
    void anInterruptedWaiterIsNotRun() {
        busy(bean -> {
            AtomicReference<Throwable> thrown = new AtomicReference<>();
            AtomicReference<Boolean> flag = new AtomicReference<>();
            Thread thread = new Thread(() -> {
                try {
                    bean.patient();
                } catch (Throwable e) {
                    thrown.set(e);
                    flag.set(Thread.currentThread().isInterrupted());
                }
            });
            thread.start();
            Thread.sleep(100);
            thread.interrupt();
            thread.join(5000);
            assertThat(thrown.get())
                    .isInstanceOf(DecLockException.class)
                    .hasCauseInstanceOf(InterruptedException.class);
            assertThat(flag.get()).isTrue();
        });
    }

    @Test
    void aMethodThatDeclaresInterruptedExceptionThrowsIt() {
        busy(bean -> {
            Thread.currentThread().interrupt();
            assertThatExceptionOfType(InterruptedException.class).isThrownBy(bean::interruptible);
            assertThat(Thread.interrupted()).isFalse();
        });
    }

    private static void busy(Use use) {
        Contexts.locks().withBean(Busy.class).run(context -> {
            DistributedReadWriteLock lock = context.getBean(DistributedReadWriteLock.class);
            try (LockHandle other = lock.acquire(LockRequest.write("busy"), LockOwner.named("other"))) {
                use.use(context.getBean(Busy.class));
                assertThat(other.isValid()).isTrue();
            }
        });
    }

    private interface Use {
        void use(Busy bean) throws Exception;
    }

    /** The method ran. */
    static class Ran extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    static class Busy {
        @DecLocked(name = "busy", waitTime = "0")
        public String throwing() {
            throw new Ran();
        }

        @DecLocked(name = "busy", waitTime = "20ms")
        public CompletableFuture<String> throwingStage() {
            throw new Ran();
        }

        @DecLocked(name = "busy", waitTime = "20ms")
        public Mono<String> throwingMono() {
            throw new Ran();
        }

        @DecLocked(name = "busy", waitTime = "10s")
        public void patient() {
            throw new Ran();
        }

        @DecLocked(name = "busy", waitTime = "10s")
        public void interruptible() throws InterruptedException {
            throw new Ran();
        }

        @DecLocked(name = "busy", waitTime = "0", onFailure = OnFailure.RETURN_DEFAULT)
        public String text() {
            throw new Ran();
        }

        @DecLocked(name = "busy", waitTime = "0", onFailure = OnFailure.RETURN_DEFAULT)
        public long number() {
            throw new Ran();
        }

        @DecLocked(name = "busy", waitTime = "0", onFailure = OnFailure.RETURN_DEFAULT)
        public boolean flag() {
            throw new Ran();
        }

        @DecLocked(name = "busy", waitTime = "0", onFailure = OnFailure.RETURN_DEFAULT)
        public char letter() {
            throw new Ran();
        }

        @DecLocked(name = "busy", waitTime = "0", onFailure = OnFailure.RETURN_DEFAULT)
        public Optional<String> optional() {
            throw new Ran();
        }

        @DecLocked(name = "busy", waitTime = "0", onFailure = OnFailure.RETURN_DEFAULT)
        public List<String> list() {
            throw new Ran();
        }

        @DecLocked(name = "busy", waitTime = "0", onFailure = OnFailure.RETURN_DEFAULT)
        public Collection<String> collection() {
            throw new Ran();
        }

        @DecLocked(name = "busy", waitTime = "0", onFailure = OnFailure.RETURN_DEFAULT)
        public Set<String> set() {
            throw new Ran();
        }

        @DecLocked(name = "busy", waitTime = "0", onFailure = OnFailure.RETURN_DEFAULT)
        public Map<String, String> map() {
            throw new Ran();
        }

        @DecLocked(name = "busy", waitTime = "0", onFailure = OnFailure.RETURN_DEFAULT)
        public int[] array() {
            throw new Ran();
        }

        @DecLocked(name = "busy", waitTime = "0", onFailure = OnFailure.RETURN_DEFAULT)
        public Stream<String> stream() {
            throw new Ran();
        }

        @DecLocked(name = "busy", waitTime = "0", onFailure = OnFailure.RETURN_DEFAULT)
        public void nothing() {
            throw new Ran();
        }

        @DecLocked(name = "busy", waitTime = "20ms", onFailure = OnFailure.RETURN_DEFAULT)
        public CompletableFuture<ArrayList<String>> stage() {
            throw new Ran();
        }

        @DecLocked(name = "busy", waitTime = "20ms", onFailure = OnFailure.RETURN_DEFAULT)
        public Mono<String> mono() {
            throw new Ran();
        }

        @DecLocked(name = "busy", waitTime = "20ms", onFailure = OnFailure.RETURN_DEFAULT)
        public Flux<String> flux() {
            throw new Ran();
        }

        @DecLocked(name = "busy", waitTime = "0", onFailure = OnFailure.SKIP)
        public void skip() {
            throw new Ran();
        }

        @DecLocked(name = "busy", waitTime = "20ms", onFailure = OnFailure.SKIP)
        public CompletableFuture<Void> skipStage() {
            throw new Ran();
        }

        @DecLocked(name = "busy", waitTime = "20ms", onFailure = OnFailure.SKIP)
        public Mono<Void> skipMono() {
            throw new Ran();
        }

        @DecLocked(name = "busy", waitTime = "0", onFailure = OnFailure.FALLBACK, fallback = "instead")
        public String withFallback(int id, String text) {
            throw new Ran();
        }

        private String instead(int id, String text) {
            return "instead of " + id + text;
        }

        @DecLocked(name = "busy", waitTime = "0", onFailure = OnFailure.FALLBACK, fallback = "because")
        public String withExceptionFallback(int id) {
            throw new Ran();
        }

        static String because(int id, DecLockException why) {
            return id + " " + why.getClass().getSimpleName();
        }

        @DecLocked(name = "busy", waitTime = "20ms", onFailure = OnFailure.FALLBACK, fallback = "stageInstead")
        public CompletableFuture<String> stageFallback() {
            throw new Ran();
        }

        CompletableFuture<String> stageInstead() {
            return CompletableFuture.supplyAsync(() -> "stage instead");
        }

        @DecLocked(name = "busy", waitTime = "20ms", onFailure = OnFailure.FALLBACK, fallback = "monoInstead")
        public Mono<String> monoFallback() {
            throw new Ran();
        }

        Mono<String> monoInstead() {
            return Mono.just("mono instead");
        }

        @DecLocked(name = "busy", waitTime = "20ms", onFailure = OnFailure.FALLBACK, fallback = "fluxInstead")
        public Flux<String> fluxFallback() {
            throw new Ran();
        }

        Flux<String> fluxInstead(RuntimeException why) {
            return Flux.just("a", "b");
        }

        @DecLocked(name = "busy", waitTime = "0", onFailure = OnFailure.FALLBACK, fallback = "refuse")
        public void failingFallback() {
            throw new Ran();
        }

        void refuse() {
            throw new IllegalCallerException();
        }
    }
}
