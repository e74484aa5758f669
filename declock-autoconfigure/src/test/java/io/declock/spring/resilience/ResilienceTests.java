// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.resilience;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.declock.ComputeNodeMonitor;
import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockNotGrantedException;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.MemoryNodeUnavailableException;
import io.declock.MemoryNodeView;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.tcp.server.MemoryNodeServer;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.spring.AcquisitionInterceptor;
import io.declock.spring.Contexts;
import io.declock.spring.autoconfigure.DecLockResilienceAutoConfiguration;
import io.declock.testkit.Ports;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Circuit breakers and retry against real memory nodes that come and go. */
@Timeout(60)
class ResilienceTests {
    private static final LockOwner OTHER = LockOwner.named("other");

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

    @AfterEach
    void stopTimer() {
        timer.shutdownNow();
    }

    @Test
    void whileTheCircuitIsOpenAcquisitionsFailAtOnce() {
        runner("tcp://127.0.0.1:1")
                .withPropertyValues(
                        "declock.resilience.retry.enabled=false", "declock.resilience.circuit-breaker.open-after=1h")
                .run(context -> {
                    DistributedReadWriteLock lock = lock(context);
                    for (int i = 0; i < 5; i++) {
                        assertThatExceptionOfType(MemoryNodeUnavailableException.class)
                                .isThrownBy(() ->
                                        lock.acquire(LockRequest.write("x").waitTime(Duration.ofMillis(20))))
                                .isNotInstanceOf(CircuitOpenException.class);
                    }
                    assertThat(breaker(context, "declock").getState()).isEqualTo(CircuitBreaker.State.OPEN);
                    long before = System.nanoTime();
                    assertThatExceptionOfType(CircuitOpenException.class)
                            .isThrownBy(() -> lock.acquire(LockRequest.write("x")))
                            .withMessageContaining("'x'")
                            .withMessageContaining("circuit breaker 'declock' is OPEN")
                            .withMessageContaining("tcp://127.0.0.1:1");
                    assertThatExceptionOfType(CircuitOpenException.class)
                            .isThrownBy(() -> lock.tryAcquire(LockRequest.read("x")));
                    assertThatExceptionOfType(CircuitOpenException.class)
                            .isThrownBy(() -> lock.lock("x").readLock().lock());
                    assertThatExceptionOfType(CircuitOpenException.class)
                            .isThrownBy(() -> lock.lock("x").writeLock().tryLock());
                    assertThatExceptionOfType(CircuitOpenException.class)
                            .isThrownBy(() -> lock.lock("x").writeLock().lockInterruptibly());
                    assertThatExceptionOfType(CircuitOpenException.class)
                            .isThrownBy(() -> lock.lock("x").readLock().tryLock(1, TimeUnit.HOURS));
                    CompletableFuture<LockHandle> async =
                            lock.acquireAsync(LockRequest.write("x"), OTHER).toCompletableFuture();
                    assertThat(async).isCompletedExceptionally();
                    assertThat(System.nanoTime() - before).isLessThan(TimeUnit.SECONDS.toNanos(2));
                });
    }

    @Test
    void theCircuitOpensWithTheLossOfTheSessionAndNotWithCallersSuffering() throws IOException {
        int port = Ports.free();
        MemoryNode node = node("one");
        MemoryNodeServer server = serve(node, port);
        runner("tcp://127.0.0.1:" + port)
                .withPropertyValues(
                        "declock.startup.timeout=10s", "declock.resilience.circuit-breaker.open-after=200ms")
                .run(context -> {
                    DistributedReadWriteLock lock = lock(context);
                    lock.acquire(LockRequest.write("x")).close();
                    server.close();
                    node.close();
                    ComputeNodeMonitor monitor = context.getBean(ComputeNodeMonitor.class);
                    await().until(() -> monitor.memoryNodes().get(0).downFor().compareTo(Duration.ofMillis(200)) >= 0);
                    long before = System.nanoTime();
                    for (int i = 0; i < 3; i++) {
                        // No caller had to wait for 30 s.
                        assertThatExceptionOfType(CircuitOpenException.class)
                                .isThrownBy(() -> lock.acquire(LockRequest.write("x")))
                                .withMessageContaining("tcp://127.0.0.1:" + port);
                    }
                    assertThat(System.nanoTime() - before).isLessThan(TimeUnit.SECONDS.toNanos(2));
                    assertThat(breaker(context, "declock").getState()).isEqualTo(CircuitBreaker.State.OPEN);
                    assertThat(breaker(context, "declock").getMetrics().getNumberOfNotPermittedCalls())
                            .isEqualTo(3);
                });
    }

    @Test
    void anOpenCircuitLetsNobodyTryWhileThereIsNoSession() {
        runner("tcp://127.0.0.1:1")
                .withPropertyValues(
                        "declock.resilience.circuit-breaker.open-after=0s",
                        "declock.resilience.circuit-breaker.wait-duration-in-open-state=10ms")
                .run(context -> {
                    DistributedReadWriteLock lock = lock(context);
                    for (int i = 0; i < 10; i++) {
                        assertThatExceptionOfType(CircuitOpenException.class)
                                .isThrownBy(() -> lock.acquire(LockRequest.write("x")));
                        TimeUnit.MILLISECONDS.sleep(15);
                    }
                });
    }

    @Test
    void theMessageOfAnOpenCircuitHasNoLineBreakOfAName() {
        runner("tcp://127.0.0.1:1")
                .withPropertyValues("declock.resilience.circuit-breaker.open-after=0s")
                .run(context -> assertThatExceptionOfType(CircuitOpenException.class)
                        .isThrownBy(() -> lock(context).acquire(LockRequest.write("line\nbreak")))
                        .withMessageContaining("'line\\u000abreak'"));
    }

    @Test
    void anOpenCircuitIsAnUnavailableMemoryNodeAsWithoutCircuits() {
        runner("tcp://127.0.0.1:1")
                .withPropertyValues("declock.resilience.circuit-breaker.open-after=0s")
                .run(context -> assertThatExceptionOfType(MemoryNodeUnavailableException.class)
                        .isThrownBy(() -> lock(context).acquire(LockRequest.write("x"))));
    }

    @Test
    void theCircuitClosesAsSoonAsTheMemoryNodeIsJoined() throws IOException {
        int port = Ports.free();
        runner("tcp://127.0.0.1:" + port)
                .withPropertyValues(
                        "declock.resilience.retry.enabled=false",
                        "declock.resilience.circuit-breaker.open-after=1h",
                        "declock.resilience.circuit-breaker.wait-duration-in-open-state=1h")
                .run(context -> {
                    DistributedReadWriteLock lock = lock(context);
                    for (int i = 0; i < 5; i++) {
                        assertThatExceptionOfType(MemoryNodeUnavailableException.class)
                                .isThrownBy(() ->
                                        lock.acquire(LockRequest.write("x").waitTime(Duration.ofMillis(10))));
                    }
                    assertThat(breaker(context, "declock").getState()).isEqualTo(CircuitBreaker.State.OPEN);
                    try (MemoryNode node = node("one");
                            MemoryNodeServer server = serve(node, port)) {
                        assertThat(server.port()).isEqualTo(port);
                        await().atMost(10, TimeUnit.SECONDS).until(() -> isUp(context, 0));
                        lock.acquire(LockRequest.write("x")).close();
                        assertThat(breaker(context, "declock").getState()).isEqualTo(CircuitBreaker.State.CLOSED);
                    }
                });
    }

    @Test
    void aBusyLockIsNotAFailure() {
        Contexts.locks()
                .withConfiguration(AutoConfigurations.of(DecLockResilienceAutoConfiguration.class))
                .run(context -> {
                    DistributedReadWriteLock lock = lock(context);
                    try (LockHandle other = lock.acquire(LockRequest.write("x"), OTHER)) {
                        for (int i = 0; i < 30; i++) {
                            assertThat(lock.tryAcquire(LockRequest.write("x").waitTime(Duration.ZERO)))
                                    .isEmpty();
                        }
                        assertThatExceptionOfType(LockNotGrantedException.class)
                                .isThrownBy(() ->
                                        lock.acquire(LockRequest.write("x").waitTime(Duration.ofMillis(10))));
                        assertThat(other.isValid()).isTrue();
                    }
                    CircuitBreaker breaker = breaker(context, "declock");
                    assertThat(breaker.getState()).isEqualTo(CircuitBreaker.State.CLOSED);
                    assertThat(breaker.getMetrics().getNumberOfFailedCalls()).isZero();
                    assertThat(retry(context).getMetrics().getNumberOfFailedCallsWithRetryAttempt())
                            .isZero();
                });
    }

    @Test
    void oneMemoryNodeThatIsDownLeavesTheOthersLocksAlone() throws IOException {
        int first = Ports.free();
        int second = Ports.free();
        try (MemoryNode one = node("one");
                MemoryNode two = node("two");
                MemoryNodeServer serverOne = serve(one, first)) {
            MemoryNodeServer serverTwo = serve(two, second);
            runner("tcp://127.0.0.1:" + first + ",tcp://127.0.0.1:" + second)
                    .withPropertyValues(
                            "declock.resilience.retry.enabled=false",
                            "declock.fail-fast=true",
                            "declock.startup.timeout=10s")
                    .run(context -> {
                        DistributedReadWriteLock lock = lock(context);
                        String onOne = nameOn(context, "one");
                        String onTwo = nameOn(context, "two");
                        lock.acquire(LockRequest.write(onTwo)).close();
                        serverTwo.close();
                        await().atMost(10, TimeUnit.SECONDS).until(() -> !isUp(context, 1));
                        for (int i = 0; i < 8; i++) {
                            assertThatExceptionOfType(MemoryNodeUnavailableException.class)
                                    .isThrownBy(() -> lock.acquire(
                                            LockRequest.write(onTwo).waitTime(Duration.ofMillis(10))));
                            lock.acquire(LockRequest.write(onOne)).close();
                        }
                        assertThatExceptionOfType(CircuitOpenException.class)
                                .isThrownBy(() ->
                                        lock.acquire(LockRequest.write(onOne).andWrite(onTwo)));
                        assertThat(breaker(context, "declock-127.0.0.1:" + second)
                                        .getState())
                                .isEqualTo(CircuitBreaker.State.OPEN);
                        assertThat(breaker(context, "declock-127.0.0.1:" + first)
                                        .getState())
                                .isEqualTo(CircuitBreaker.State.CLOSED);
                        assertThat(serverOne.port()).isEqualTo(first);
                    });
        }
    }

    @Test
    void anUnavailableMemoryNodeIsTriedAgainWithinTheWaitTime() {
        runner("tcp://127.0.0.1:1")
                .withPropertyValues(
                        "declock.fail-fast=true",
                        "declock.resilience.circuit-breaker.enabled=false",
                        "declock.resilience.retry.max-attempts=3",
                        "declock.resilience.retry.wait-duration=20ms")
                .run(context -> {
                    await().until(() -> !context.getBean(ComputeNodeMonitor.class)
                            .memoryNodes()
                            .get(0)
                            .problem()
                            .isEmpty());
                    DistributedReadWriteLock lock = lock(context);
                    assertThatExceptionOfType(MemoryNodeUnavailableException.class)
                            .isThrownBy(() -> lock.acquire(LockRequest.write("x")));
                    assertThat(retry(context).getMetrics().getNumberOfTotalCalls())
                            .isEqualTo(3);
                    assertThat(lock.acquireAsync(LockRequest.write("x"), OTHER).toCompletableFuture())
                            .failsWithin(Duration.ofSeconds(5))
                            .withThrowableThat()
                            .withCauseInstanceOf(MemoryNodeUnavailableException.class);
                    assertThat(retry(context).getMetrics().getNumberOfFailedCallsWithRetryAttempt())
                            .isEqualTo(2);
                    assertThatExceptionOfType(MemoryNodeUnavailableException.class)
                            .isThrownBy(
                                    () -> lock.tryAcquire(LockRequest.write("x").waitTime(Duration.ZERO)));
                    assertThat(retry(context).getMetrics().getNumberOfFailedCallsWithRetryAttempt())
                            .isEqualTo(2);
                });
    }

    @Test
    void aViewIsTriedAgainAsARequestIsAndCountsInTheCircuit() {
        AtomicInteger attempts = new AtomicInteger();
        runner("tcp://127.0.0.1:1")
                .withBean(AcquisitionInterceptor.class, () -> new CountingInterceptor(attempts))
                .withPropertyValues(
                        "declock.fail-fast=true",
                        "declock.resilience.circuit-breaker.open-after=1h",
                        "declock.resilience.retry.max-attempts=3",
                        "declock.resilience.retry.wait-duration=20ms")
                .run(context -> {
                    await().until(() -> !context.getBean(ComputeNodeMonitor.class)
                            .memoryNodes()
                            .get(0)
                            .problem()
                            .isEmpty());
                    assertThatExceptionOfType(MemoryNodeUnavailableException.class)
                            .isThrownBy(
                                    () -> lock(context).lock("x").writeLock().lock());
                    // An interceptor without an order is the innermost.
                    assertThat(attempts).hasValue(3);
                    assertThat(retry(context).getMetrics().getNumberOfTotalCalls())
                            .isEqualTo(3);
                    assertThat(breaker(context, "declock").getMetrics().getNumberOfFailedCalls())
                            .isEqualTo(3);
                });
    }

    private static ApplicationContextRunner runner(String memoryNodes) {
        return Contexts.locks()
                .withConfiguration(AutoConfigurations.of(DecLockResilienceAutoConfiguration.class))
                .withPropertyValues(
                        "declock.memory-nodes=" + memoryNodes,
                        "declock.startup.timeout=0s",
                        "declock.tcp.connect-timeout=500ms");
    }

    private static DistributedReadWriteLock lock(ApplicationContext context) {
        return context.getBean(DistributedReadWriteLock.class);
    }

    private static CircuitBreaker breaker(ApplicationContext context, String name) {
        return context.getBean(CircuitBreakerRegistry.class).find(name).orElseThrow();
    }

    private static Retry retry(ApplicationContext context) {
        return context.getBean(RetryRegistry.class).find("declock").orElseThrow();
    }

    private static boolean isUp(ApplicationContext context, int index) {
        return context.getBean(ComputeNodeMonitor.class)
                        .memoryNodes()
                        .get(index)
                        .state()
                == MemoryNodeView.State.UP;
    }

    private static String nameOn(ApplicationContext context, String memoryNode) {
        ComputeNodeMonitor monitor = context.getBean(ComputeNodeMonitor.class);
        for (int i = 0; ; i++) {
            if (monitor.homeOf("name" + i).view().id().equals(memoryNode)) {
                return "name" + i;
            }
        }
    }

    private MemoryNode node(String id) {
        return MemoryNode.create(
                MemoryNodeSettings.builder(id).waitOutOldSessions(false).build(),
                System::nanoTime,
                (delay, task) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong());
    }

    private static MemoryNodeServer serve(MemoryNode node, int port) throws IOException {
        return MemoryNodeServer.start(
                node,
                MemoryNodeServerSettings.builder().host("127.0.0.1").port(port).build());
    }

    private record CountingInterceptor(AtomicInteger acquisitions) implements AcquisitionInterceptor {
        @Override
        public boolean acquire(LockRequest request, Acquisition next) throws InterruptedException {
            acquisitions.incrementAndGet();
            return next.acquire(request);
        }

        @Override
        public CompletionStage<LockHandle> acquireAsync(LockRequest request, AsyncAcquisition next) {
            acquisitions.incrementAndGet();
            return next.acquire(request);
        }
    }
}
