// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.declock.ComputeNodeSettings;
import io.declock.Counters.Event;
import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockMode;
import io.declock.LockNotGrantedException;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.MemoryNodeUnavailableException;
import io.declock.Purpose;
import io.declock.ShuttingDownException;
import io.declock.UpgradeRefusedException;
import io.declock.Verb;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a caller may rely on, whatever the fabric: every fabric inherits this suite. */
@Timeout(60)
public abstract class LockContract {
    private static final Duration SHORT = Duration.ofMillis(80);
    private static final Duration LONG = Duration.ofSeconds(20);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private List<ComputeNode> nodes = List.of();

    /** Starts that many compute nodes on one fresh memory node, joined and ready. */
    protected abstract List<ComputeNode> startNodes(int count) throws Exception;

    /** Ends the sessions as a memory node does that goes away. */
    protected abstract void stopMemoryNode() throws Exception;

    /** Releases everything that {@link #startNodes} made. */
    protected abstract void stopAll() throws Exception;

    @BeforeEach
    void start() throws Exception {
        nodes = startNodes(3);
    }

    @AfterEach
    void stop() throws Exception {
        threads.shutdownNow();
        stopAll();
    }

    private ComputeNode a() {
        return nodes.get(0);
    }

    private ComputeNode b() {
        return nodes.get(1);
    }

    private <T> Future<T> async(Callable<T> task) {
        return threads.submit(task);
    }

    private static <T> T get(Future<T> future) throws InterruptedException, ExecutionException, TimeoutException {
        return future.get(30, SECONDS);
    }

    // ---------------------------------------------------------------- kept locks

    private static long verbs(ComputeNode node) {
        long sum = 0;
        for (Purpose purpose : Purpose.values()) {
            for (Verb verb : Verb.values()) {
                sum += node.monitor().counters().verbs(purpose, verb);
            }
        }
        return sum;
    }

    private static void again(ComputeNode node, LockRequest request, int times) throws InterruptedException {
        for (int i = 0; i < times; i++) {
            node.acquire(request).close();
        }
    }

    @ParameterizedTest
    @EnumSource(LockMode.class)
    void theSameLockAgainCostsNoRemoteOperation(LockMode mode) throws Exception {
        LockRequest request = LockRequest.of("kept", mode);
        again(a(), request, 10);
        awaitTrue(() -> a().monitor().keptNow() == 1);
        long before = verbs(a());
        again(a(), request, 5_000);
        // The queue is looked at a hundred times a second, in case a message is lost.
        assertThat(verbs(a()) - before).isLessThan(1_000);
    }

    @Test
    void whatIsHeldKeptAndWaitedForIsCountedApart() throws Exception {
        LockRequest request = LockRequest.write("kept").waitTime(LONG);
        again(a(), request, 10);
        awaitTrue(() -> a().monitor().keptNow() == 1);
        assertThat(a().monitor().heldNow()).isZero();
        Future<Void> waiter;
        try (LockHandle handle = a().acquire(request)) {
            assertThat(handle.isValid()).isTrue();
            waiter = async(() -> {
                a().acquire(request).close();
                return null;
            });
            awaitTrue(() -> a().monitor().waitingNow() == 1);
            assertThat(a().monitor().heldNow()).isEqualTo(1);
            assertThat(a().monitor().keptNow()).as("kept while it is held").isZero();
        }
        get(waiter);
        assertThat(a().monitor().waitingNow()).isZero();
    }

    @ParameterizedTest
    @EnumSource(LockMode.class)
    void aKeptLockGoesToAnotherNodeThatAsks(LockMode mode) throws Exception {
        LockRequest kept = LockRequest.of("kept", mode);
        for (int i = 0; i < 20; i++) {
            again(a(), kept, 200);
            try (LockHandle handle = b().acquire(LockRequest.write("kept").waitTime(LONG))) {
                assertThat(handle.isValid()).isTrue();
                assertThat(a().monitor().keptNow()).isZero();
            }
        }
    }

    // ---------------------------------------------------------------- exclusion and tokens

    @Test
    void oneWriterAtATimeAcrossNodesAndTokensIncrease() throws Exception {
        int perThread = 300;
        int[] unprotected = {0};
        AtomicInteger inside = new AtomicInteger();
        AtomicLong lastToken = new AtomicLong();
        List<Future<Void>> workers = new ArrayList<>();
        for (ComputeNode node : nodes) {
            for (int t = 0; t < 3; t++) {
                workers.add(async(() -> {
                    for (int i = 0; i < perThread; i++) {
                        try (LockHandle handle = node.acquire(LockRequest.write("counter"))) {
                            assertThat(inside.incrementAndGet()).isEqualTo(1);
                            assertThat(handle.fencingToken()).isGreaterThan(lastToken.getAndSet(handle.fencingToken()));
                            unprotected[0]++;
                            inside.decrementAndGet();
                        }
                    }
                    return null;
                }));
            }
        }
        for (Future<Void> worker : workers) {
            get(worker);
        }
        assertThat(unprotected[0]).isEqualTo(nodes.size() * 3 * perThread);
    }

    @Test
    void readersAndWritersExcludeEachOther() throws Exception {
        AtomicInteger readers = new AtomicInteger();
        AtomicInteger writers = new AtomicInteger();
        AtomicInteger mostReaders = new AtomicInteger();
        List<Future<Void>> workers = new ArrayList<>();
        for (ComputeNode node : nodes) {
            for (int t = 0; t < 4; t++) {
                workers.add(async(() -> {
                    for (int i = 0; i < 200; i++) {
                        boolean write = ThreadLocalRandom.current().nextInt(4) == 0;
                        try (LockHandle handle =
                                node.acquire(write ? LockRequest.write("shared") : LockRequest.read("shared"))) {
                            if (write) {
                                assertThat(writers.incrementAndGet()).isEqualTo(1);
                                assertThat(readers.get()).isZero();
                                writers.decrementAndGet();
                            } else {
                                mostReaders.accumulateAndGet(readers.incrementAndGet(), Math::max);
                                assertThat(writers.get()).isZero();
                                Thread.onSpinWait();
                                readers.decrementAndGet();
                            }
                            assertThat(handle.isValid()).isTrue();
                        }
                    }
                    return null;
                }));
            }
        }
        for (Future<Void> worker : workers) {
            get(worker);
        }
        assertThat(mostReaders.get()).isPositive();
    }

    @Test
    void readersOfDifferentNodesShare() throws Exception {
        try (LockHandle first = a().acquire(LockRequest.read("r"));
                LockHandle second = b().acquire(LockRequest.read("r").waitTime(SHORT))) {
            assertThat(first.mode()).isEqualTo(LockMode.READ);
            assertThat(second.isValid()).isTrue();
        }
    }

    @Test
    void aTimedOutWaiterLeavesNothingBehind() throws Exception {
        LockHandle held = a().acquire(LockRequest.write("t"));
        assertThatThrownBy(() -> b().acquire(LockRequest.write("t").waitTime(SHORT)))
                .isInstanceOf(LockNotGrantedException.class)
                .hasMessageContaining("'t'")
                .hasMessageContaining("WRITE");
        assertThat(b().tryAcquire(LockRequest.read("t").waitTime(SHORT))).isEmpty();
        held.close();
        try (LockHandle next = nodes.get(2).acquire(LockRequest.write("t").waitTime(LONG))) {
            assertThat(next.isValid()).isTrue();
        }
        try (LockHandle again = b().acquire(LockRequest.write("t").waitTime(LONG))) {
            assertThat(again.isValid()).isTrue();
        }
    }

    // ---------------------------------------------------------------- java.util.concurrent views

    @Test
    void viewsAreReentrantAndDowngrade() throws Exception {
        ReadWriteLock lock = a().lock("v");
        lock.writeLock().lock();
        lock.writeLock().lock();
        lock.readLock().lock();
        lock.writeLock().unlock();
        lock.writeLock().unlock();
        Lock otherReader = b().lock("v").readLock();
        Lock otherWriter = b().lock("v").writeLock();
        assertThat(get(async(() -> {
                    boolean got = otherReader.tryLock(10, SECONDS);
                    otherReader.unlock();
                    return got;
                })))
                .isTrue();
        assertThat(get(async(() -> otherWriter.tryLock()))).isFalse();
        lock.readLock().unlock();
        assertThatThrownBy(() -> lock.readLock().unlock()).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void viewsOfOneNameAreInterchangeableAndBelongToTheirThread() throws Exception {
        Lock one = a().lock("x").writeLock();
        Lock other = a().lock("x").writeLock();
        one.lock();
        other.unlock();
        other.lock();
        one.unlock();
        one.lock();
        get(async(() -> {
            assertThatThrownBy(one::unlock).isInstanceOf(IllegalMonitorStateException.class);
            return null;
        }));
        boolean grantedToAnother = get(async(one::tryLock));
        assertThat(grantedToAnother).isFalse();
        one.unlock();
        assertThatThrownBy(one::unlock).isInstanceOf(IllegalMonitorStateException.class);
        boolean granted = get(async(() -> {
            boolean got = other.tryLock();
            other.unlock();
            return got;
        }));
        assertThat(granted).isTrue();
    }

    @Test
    void anUpgradeByWaitingIsRefusedAtOnce() {
        ReadWriteLock lock = a().lock("u");
        lock.readLock().lock();
        try {
            assertThatThrownBy(() -> lock.writeLock().lock())
                    .isInstanceOf(IllegalMonitorStateException.class)
                    .hasMessageContaining("tryUpgrade");
            assertThat(lock.writeLock().tryLock()).isFalse();
        } finally {
            lock.readLock().unlock();
        }
    }

    @Test
    void aReaderReentersWhileAWriterWaits() throws Exception {
        ReadWriteLock lock = a().lock("re");
        lock.readLock().lock();
        Future<Boolean> writer = async(() -> {
            boolean got = a().lock("re").writeLock().tryLock(20, SECONDS);
            a().lock("re").writeLock().unlock();
            return got;
        });
        awaitWaiting(a(), 1);
        assertThat(lock.readLock().tryLock(5, SECONDS)).isTrue();
        lock.readLock().unlock();
        lock.readLock().unlock();
        assertThat(get(writer)).isTrue();
    }

    @Test
    void tryLockNeverQueues() throws Exception {
        Lock mine = a().lock("n").writeLock();
        Lock theirs = b().lock("n").writeLock();
        assertThat(mine.tryLock()).isTrue();
        assertThat(get(async(() -> theirs.tryLock()))).isFalse();
        assertThat(get(async(() -> a().lock("n").readLock().tryLock()))).isFalse();
        mine.unlock();
        assertThat(get(async(() -> {
                    boolean got = theirs.tryLock(10, SECONDS);
                    theirs.unlock();
                    return got;
                })))
                .isTrue();
    }

    @Test
    void anInterruptedWaiterHoldsNothing() throws Exception {
        LockHandle held = a().acquire(LockRequest.write("i"));
        CountDownLatch started = new CountDownLatch(1);
        AtomicInteger outcome = new AtomicInteger();
        Thread waiter = new Thread(() -> {
            started.countDown();
            try {
                b().lock("i").writeLock().lockInterruptibly();
            } catch (InterruptedException e) {
                outcome.set(1);
            }
        });
        waiter.start();
        assertThat(started.await(10, SECONDS)).isTrue();
        awaitWaiting(b(), 1);
        waiter.interrupt();
        waiter.join(10_000);
        assertThat(outcome.get()).isEqualTo(1);
        held.close();
        try (LockHandle next = b().acquire(LockRequest.write("i").waitTime(LONG))) {
            assertThat(next.isValid()).isTrue();
        }
    }

    @Test
    void conditionsAreNotSupported() {
        assertThatThrownBy(() -> a().lock("c").writeLock().newCondition())
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void badNamesAreRefused() {
        assertThatThrownBy(() -> a().lock("")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> a().acquire(LockRequest.write("x".repeat(600))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("512");
        for (String bad : List.of("half \ud83d", "\ude00 half", "two\ud83d\ud83d\ude00", "zero\0")) {
            assertThatThrownBy(() -> a().lock(bad)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> a().acquire(LockRequest.write("fine").andWrite(bad)))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(
                            () -> ComputeNodeSettings.builder().namespace(bad).build())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("namespace");
        }
        assertThatThrownBy(() -> a().lock("line\nbreak").writeLock().unlock())
                .hasMessageContaining("'line\\u000abreak'");
    }

    // ---------------------------------------------------------------- handles

    @Test
    void aCeilingOnTheHoldEndsIt() throws Exception {
        LockHandle handle = a().acquire(LockRequest.write("ceiling").leaseTime(Duration.ofMillis(100)));
        CompletableFuture<LockLostException> lost = new CompletableFuture<>();
        handle.onLost((which, why) -> lost.complete(why));
        assertThat(lost.get(10, SECONDS)).hasMessageContaining("ceiling");
        assertThat(handle.isValid()).isFalse();
        try (LockHandle next = b().acquire(LockRequest.write("ceiling").waitTime(LONG))) {
            assertThat(next.fencingToken()).isGreaterThan(handle.fencingToken());
        }
        assertThatThrownBy(handle::close).isInstanceOf(LockLostException.class);
        handle.close();
    }

    @Test
    void aReentrantCeilingEndsItsAcquisitionOnly() throws Exception {
        Lock outer = a().lock("inner ceiling").writeLock();
        outer.lock();
        LockHandle inner = a().acquire(LockRequest.write("inner ceiling").leaseTime(Duration.ofMillis(100)));
        CompletableFuture<LockLostException> lost = new CompletableFuture<>();
        inner.onLost((which, why) -> lost.complete(why));
        lost.get(10, SECONDS);
        assertThat(inner.isValid()).isFalse();
        assertThat(b().tryAcquire(LockRequest.read("inner ceiling").waitTime(SHORT)))
                .isEmpty();
        assertThatThrownBy(inner::close).isInstanceOf(LockLostException.class);
        outer.unlock();
        try (LockHandle next = b().acquire(LockRequest.write("inner ceiling").waitTime(LONG))) {
            assertThat(next.isValid()).isTrue();
        }
    }

    @Test
    void theCeilingOfTheFirstAcquisitionEndsAllOfThem() throws Exception {
        LockHandle outer = a().acquire(LockRequest.write("outer ceiling").leaseTime(Duration.ofMillis(100)));
        LockHandle inner = a().acquire(LockRequest.write("outer ceiling"));
        try (LockHandle next = b().acquire(LockRequest.write("outer ceiling").waitTime(LONG))) {
            assertThat(next.isValid()).isTrue();
        }
        assertThat(inner.isValid()).isFalse();
        assertThatThrownBy(inner::close).isInstanceOf(LockLostException.class);
        assertThatThrownBy(outer::close).isInstanceOf(LockLostException.class);
    }

    @Test
    void anOwnerThatLostTheLockGetsItAgainOnlyWhenItHasReleasedIt() throws Exception {
        Lock view = a().lock("lost, again").writeLock();
        LockHandle lost = a().acquire(LockRequest.write("lost, again").leaseTime(Duration.ofMillis(100)));
        view.lock();
        b().acquire(LockRequest.write("lost, again").waitTime(LONG)).close();
        assertThatThrownBy(view::lock).isInstanceOf(LockLostException.class).hasMessageContaining("'lost, again'");
        assertThatThrownBy(view::tryLock).isInstanceOf(LockLostException.class);
        assertThatThrownBy(() -> a().acquire(LockRequest.read("lost, again"))).isInstanceOf(LockLostException.class);
        assertThatThrownBy(view::unlock).isInstanceOf(LockLostException.class);
        assertThatThrownBy(() -> a().tryAcquire(LockRequest.read("lost, again")))
                .isInstanceOf(LockLostException.class);
        assertThatThrownBy(lost::close).isInstanceOf(LockLostException.class);
        a().acquire(LockRequest.write("lost, again").waitTime(LONG)).close();
    }

    @Test
    void anOwnerHasOneHoldHoweverOftenItAsksAtOnce() throws Exception {
        LockOwner owner = LockOwner.named("twice");
        for (LockMode mode : LockMode.values()) {
            String name = "concurrently " + mode;
            LockHandle guard = b().acquire(LockRequest.write(name));
            CompletableFuture<LockHandle> one = acquireAsync(a(), LockRequest.of(name, mode), owner);
            CompletableFuture<LockHandle> two = acquireAsync(a(), LockRequest.of(name, mode), owner);
            guard.close();
            LockHandle first = one.get(20, SECONDS);
            LockHandle second = two.get(20, SECONDS);
            assertThat(second.fencingToken()).isEqualTo(first.fencingToken());
            first.close();
            assertThat(second.isValid()).isTrue();
            assertThat(b().tryAcquire(LockRequest.write(name).waitTime(SHORT))).isEmpty();
            second.close();
            b().acquire(LockRequest.write(name).waitTime(LONG)).close();
        }
    }

    @Test
    void anOwnerThatGetsTheReadLockIsRefusedTheWriteLockThatItWaitsFor() throws Exception {
        LockOwner owner = LockOwner.named("both");
        LockHandle guard = b().acquire(LockRequest.write("both"));
        CompletableFuture<LockHandle> read = acquireAsync(a(), LockRequest.read("both"), owner);
        CompletableFuture<LockHandle> write = acquireAsync(a(), LockRequest.write("both"), owner);
        guard.close();
        try (LockHandle reader = read.get(20, SECONDS)) {
            assertThatThrownBy(() -> write.get(20, SECONDS)).hasCauseInstanceOf(UpgradeRefusedException.class);
            assertThat(reader.isValid()).isTrue();
        }
    }

    private static CompletableFuture<LockHandle> acquireAsync(ComputeNode node, LockRequest request, LockOwner owner) {
        return node.acquireAsync(request.waitTime(LONG), owner).toCompletableFuture();
    }

    @Test
    void aConversionMovesItsOwnAcquisitionOnly() throws Exception {
        LockOwner owner = LockOwner.named("converts");
        LockHandle first = a().acquire(LockRequest.read("conversions"), owner);
        LockHandle second = a().acquire(LockRequest.read("conversions"), owner);
        awaitTrue(second::tryUpgrade);
        assertThat(first.mode()).isEqualTo(LockMode.READ);
        first.close();
        assertThat(b().tryAcquire(LockRequest.read("conversions").waitTime(SHORT)))
                .isEmpty();
        second.close();
        LockHandle outer = b().acquire(LockRequest.write("conversions").waitTime(LONG));
        LockHandle inner = b().acquire(LockRequest.write("conversions"));
        inner.downgrade();
        assertThat(outer.mode()).isEqualTo(LockMode.WRITE);
        assertThat(a().tryAcquire(LockRequest.read("conversions").waitTime(SHORT)))
                .isEmpty();
        outer.close();
        try (LockHandle reader = a().acquire(LockRequest.read("conversions").waitTime(LONG))) {
            assertThat(reader.isValid()).isTrue();
        }
        inner.close();
        a().acquire(LockRequest.write("conversions").waitTime(LONG)).close();
    }

    @Test
    void aLostHandleIsNotConverted() throws Exception {
        LockHandle handle = a().acquire(LockRequest.write("lost").leaseTime(Duration.ofMillis(50)));
        awaitTrue(() -> !handle.isValid());
        assertThatThrownBy(handle::downgrade).isInstanceOf(LockLostException.class);
        assertThatThrownBy(handle::tryUpgrade).isInstanceOf(LockLostException.class);
        assertThat(handle.mode()).isEqualTo(LockMode.WRITE);
        assertThatThrownBy(handle::close).isInstanceOf(LockLostException.class);
    }

    @Test
    void slowListenersDoNotDelayTheInterrupt() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        List<LockHandle> others = new ArrayList<>();
        try {
            for (int i = 0; i < 16; i++) {
                LockHandle other = a().acquire(LockRequest.write("slow " + i).leaseTime(Duration.ofMillis(20)));
                other.onLost((lost, why) -> awaitQuietly(end));
                others.add(other);
            }
            LockHandle handle = a().acquire(LockRequest.write("quick").leaseTime(Duration.ofMillis(200)));
            handle.interruptOnLost();
            awaitInterrupt();
            assertThatThrownBy(handle::close).isInstanceOf(LockLostException.class);
        } finally {
            end.countDown();
        }
        for (LockHandle other : others) {
            assertThatThrownBy(other::close).isInstanceOf(LockLostException.class);
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void readersThatMustNotWaitAreNotRefusedForEachOther() throws Exception {
        AtomicInteger refused = new AtomicInteger();
        List<Future<?>> readers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            readers.add(threads.submit(() -> {
                Lock reader = a().lock("readers try").readLock();
                for (int round = 0; round < 500; round++) {
                    if (reader.tryLock()) {
                        reader.unlock();
                    } else {
                        refused.incrementAndGet();
                    }
                }
            }));
        }
        for (Future<?> reader : readers) {
            reader.get(30, SECONDS);
        }
        assertThat(refused).hasValue(0);
    }

    @Test
    void aReaderThatMustNotWaitIsRefusedBehindAWriter() throws Exception {
        try (LockHandle writer = b().acquire(LockRequest.write("busy"))) {
            List<Future<Boolean>> tries = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                tries.add(threads.submit(() -> a().lock("busy").readLock().tryLock()));
            }
            for (Future<Boolean> one : tries) {
                assertThat(one.get(10, SECONDS)).isFalse();
            }
            assertThat(writer.isValid()).isTrue();
        }
        a().acquire(LockRequest.write("busy").waitTime(LONG)).close();
    }

    // ---------------------------------------------------------------- shutting down

    @Test
    void closingEndsEveryWaitAtOnce() throws Exception {
        LockHandle held = b().acquire(LockRequest.write("closing"));
        List<Future<?>> waits = waitInEveryWay("closing");
        awaitTrue(() -> a().monitor().waitingNow() == waits.size());
        Future<?> closing = threads.submit(a()::close);
        assertAllShutDown(waits);
        closing.get(10, SECONDS);
        held.close();
    }

    @Test
    void closingEndsEveryWaitWithoutAMemoryNodeToo() throws Exception {
        LockHandle held = b().acquire(LockRequest.write("closing"));
        stopMemoryNode();
        List<Future<?>> waits = waitInEveryWay("closing");
        awaitTrue(() -> a().monitor().waitingNow() == waits.size());
        Future<?> closing = threads.submit(a()::close);
        assertAllShutDown(waits);
        closing.get(10, SECONDS);
        // At the latest with the lease.
        awaitTrue(() -> !held.isValid());
        assertThatThrownBy(held::close).isInstanceOf(LockLostException.class);
    }

    @Test
    void nobodyBeginsToWaitWhileItCloses() throws Exception {
        LockHandle held = b().acquire(LockRequest.write("racing"));
        List<Future<?>> callers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            LockOwner owner = LockOwner.named("racer " + i);
            callers.add(threads.submit(() -> {
                while (true) {
                    // Ends by an exception, at the latest when the node is closed.
                    a().acquireAsync(LockRequest.write("racing").waitTime(Duration.ofMillis(1)), owner)
                            .handle((handle, failure) -> failure)
                            .thenAccept(failure -> {
                                if (failure instanceof ShuttingDownException down) {
                                    throw down;
                                }
                            })
                            .toCompletableFuture()
                            .get(20, SECONDS);
                }
            }));
        }
        MILLISECONDS.sleep(20);
        a().close();
        assertAllShutDown(callers);
        held.close();
    }

    private List<Future<?>> waitInEveryWay(String name) {
        List<Future<?>> waits = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Lock lock = a().lock(name).writeLock();
            LockRequest request = LockRequest.read(name).waitTime(Duration.ofHours(1));
            waits.add(threads.submit(lock::lock));
            waits.add(threads.submit(() -> {
                lock.lockInterruptibly();
                return null;
            }));
            waits.add(threads.submit(() -> lock.tryLock(1, HOURS)));
            waits.add(threads.submit(() -> a().acquire(request)));
            for (int j = 0; j < 5; j++) {
                waits.add(a().acquireAsync(request, LockOwner.named("waits")).toCompletableFuture());
            }
        }
        return waits;
    }

    private static void assertAllShutDown(List<Future<?>> waits) {
        for (Future<?> wait : waits) {
            assertThatThrownBy(() -> wait.get(10, SECONDS)).hasRootCauseInstanceOf(ShuttingDownException.class);
        }
    }

    @Test
    void anUpgradeByAskingIsNotGranted() throws Exception {
        try (LockHandle reader = a().acquire(LockRequest.read("upgrade"))) {
            assertThat(a().tryAcquire(LockRequest.write("upgrade").waitTime(Duration.ZERO)))
                    .isEmpty();
            assertThat(a().tryAcquire(LockRequest.write("upgrade").waitTime(LONG)))
                    .isEmpty();
            assertThatThrownBy(() -> a().acquire(LockRequest.write("upgrade").waitTime(LONG)))
                    .isInstanceOf(UpgradeRefusedException.class)
                    .isInstanceOf(LockNotGrantedException.class);
            assertThat(reader.isValid()).isTrue();
        }
    }

    @Test
    void theHolderIsInterruptedWhenItsLockIsLostIfItAskedForThat() throws Exception {
        LockHandle handle = a().acquire(LockRequest.write("interrupted").leaseTime(Duration.ofMillis(100)));
        handle.interruptOnLost();
        assertThatThrownBy(() -> SECONDS.sleep(60)).isInstanceOf(InterruptedException.class);
        assertThat(handle.isValid()).isFalse();
        assertThatThrownBy(handle::close).isInstanceOf(LockLostException.class);
    }

    @Test
    void anInterruptThatNobodyNoticedGoesWithTheHandle() throws Exception {
        LockHandle handle = a().acquire(LockRequest.write("unnoticed").leaseTime(Duration.ofMillis(100)));
        handle.interruptOnLost();
        awaitInterrupt();
        assertThatThrownBy(handle::close).isInstanceOf(LockLostException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void noInterruptComesAfterTheHandleWasClosed() throws Exception {
        for (int i = 0; i < 30; i++) {
            LockHandle handle = a().acquire(LockRequest.write("late").leaseTime(Duration.ofMillis(10)));
            handle.interruptOnLost();
            long until = System.nanoTime() + MILLISECONDS.toNanos(9) + i * 100_000L;
            while (System.nanoTime() - until < 0) {
                Thread.onSpinWait();
            }
            try {
                handle.close();
            } catch (LockLostException e) {
                // As it may be.
            }
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            MILLISECONDS.sleep(5);
        }
    }

    private static void awaitInterrupt() {
        long deadline = System.nanoTime() + SECONDS.toNanos(20);
        while (!Thread.currentThread().isInterrupted()) {
            assertThat(System.nanoTime()).as("waited 20 s").isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    @Test
    void reentrantHandlesShareTheToken() throws Exception {
        try (LockHandle outer = a().acquire(LockRequest.write("h"));
                LockHandle inner = a().acquire(LockRequest.write("h"))) {
            assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
        }
    }

    @Test
    void upgradeSucceedsAloneOnly() throws Exception {
        try (LockHandle mine = a().acquire(LockRequest.read("up"))) {
            try (LockHandle theirs = b().acquire(LockRequest.read("up"))) {
                assertThat(mine.tryUpgrade()).isFalse();
                assertThat(theirs.mode()).isEqualTo(LockMode.READ);
            }
            long before = mine.fencingToken();
            awaitTrue(mine::tryUpgrade);
            assertThat(mine.mode()).isEqualTo(LockMode.WRITE);
            assertThat(mine.fencingToken()).isGreaterThan(before);
            assertThat(b().tryAcquire(LockRequest.read("up").waitTime(SHORT))).isEmpty();
            mine.downgrade();
            try (LockHandle reader = b().acquire(LockRequest.read("up").waitTime(LONG))) {
                assertThat(reader.isValid()).isTrue();
            }
        }
        try (LockHandle writer = b().acquire(LockRequest.write("up").waitTime(LONG))) {
            assertThat(writer.isValid()).isTrue();
        }
    }

    @Test
    void severalNamesInAnyOrderNeverDeadlock() throws Exception {
        List<Future<Void>> workers = new ArrayList<>();
        for (int t = 0; t < 6; t++) {
            ComputeNode node = nodes.get(t % nodes.size());
            boolean forward = t % 2 == 0;
            workers.add(async(() -> {
                for (int i = 0; i < 60; i++) {
                    LockRequest request = forward
                            ? LockRequest.write("m1").andWrite("m2").andRead("m3")
                            : LockRequest.write("m3").andRead("m2").andWrite("m1");
                    try (LockHandle handle = node.acquire(request.waitTime(LONG))) {
                        assertThat(handle.grants())
                                .extracting(LockHandle.Grant::name)
                                .containsExactly("m1", "m2", "m3");
                    }
                }
                return null;
            }));
        }
        for (Future<Void> worker : workers) {
            get(worker);
        }
    }

    @Test
    void aRequestThatFailsOnALaterNameKeepsNone() throws Exception {
        LockRequest both = LockRequest.write("all1").andRead("all2").waitTime(Duration.ofMillis(50));
        try (LockHandle last = b().acquire(LockRequest.write("all2").waitTime(LONG))) {
            assertThatThrownBy(() -> a().acquire(both)).isInstanceOf(LockNotGrantedException.class);
            try (LockHandle first = b().acquire(LockRequest.write("all1").waitTime(LONG))) {
                assertThat(first.isValid()).isTrue();
            }
            assertThat(last.isValid()).isTrue();
        }
    }

    @Test
    void aHandleOfSeveralNamesIsOne() throws Exception {
        LockHandle handle =
                a().acquire(LockRequest.write("h2").andRead("h1").andWrite("h3").waitTime(LONG));
        assertThat(handle.grants())
                .extracting(LockHandle.Grant::name, LockHandle.Grant::mode)
                .containsExactly(tuple("h1", LockMode.READ), tuple("h2", LockMode.WRITE), tuple("h3", LockMode.WRITE));
        assertThat(handle.mode()).isEqualTo(LockMode.READ);
        assertThat(handle.fencingToken()).isEqualTo(handle.fencingToken("h1"));
        for (LockHandle.Grant grant : handle.grants()) {
            assertThat(handle.fencingToken(grant.name())).isEqualTo(grant.fencingToken());
        }
        assertThatThrownBy(() -> handle.fencingToken("h4")).hasMessageContaining("h4");
        assertThatThrownBy(handle::tryUpgrade).hasMessageContaining("this one has 3");
        handle.close();
        for (String name : List.of("h1", "h2", "h3")) {
            b().acquire(LockRequest.write(name).waitTime(LONG)).close();
        }
    }

    @Test
    void aHandleOfSeveralNamesIsLostOnce() throws Exception {
        LockHandle handle = a().acquire(
                        LockRequest.write("l1").andWrite("l2").waitTime(LONG).leaseTime(Duration.ofSeconds(1)));
        AtomicInteger told = new AtomicInteger();
        handle.onLost((lost, why) -> told.incrementAndGet());
        for (String name : List.of("l2", "l1")) {
            b().acquire(LockRequest.write(name).waitTime(LONG)).close();
        }
        awaitTrue(() -> told.get() > 0);
        assertThat(handle.isValid()).isFalse();
        assertThatThrownBy(handle::close).isInstanceOf(LockLostException.class);
        assertThat(told).hasValue(1);
    }

    // ---------------------------------------------------------------- asynchronous

    @Test
    void asynchronousAcquisitionsBelongToTheirOwner() throws Exception {
        LockOwner owner = LockOwner.named("request-1");
        LockHandle held = a().acquireAsync(LockRequest.write("as"), owner)
                .toCompletableFuture()
                .get(20, SECONDS);
        LockHandle again = a().acquireAsync(LockRequest.write("as"), owner)
                .toCompletableFuture()
                .get(20, SECONDS);
        CompletableFuture<LockHandle> other = b().acquireAsync(
                        LockRequest.write("as").waitTime(LONG), LockOwner.named("request-2"))
                .toCompletableFuture();
        assertThat(other.isDone()).isFalse();
        again.close();
        held.close();
        other.get(20, SECONDS).close();
    }

    @Test
    void aCancelledAsynchronousRequestIsWithdrawn() throws Exception {
        LockHandle held = a().acquire(LockRequest.write("ac"));
        CompletableFuture<LockHandle> cancelled = b().acquireAsync(
                        LockRequest.write("ac").waitTime(LONG), LockOwner.named("gone"))
                .toCompletableFuture();
        awaitWaiting(b(), 1);
        cancelled.cancel(false);
        awaitWaiting(b(), 0);
        held.close();
        try (LockHandle next = b().acquire(LockRequest.write("ac").waitTime(LONG))) {
            assertThat(next.isValid()).isTrue();
        }
    }

    @Test
    void anAsynchronousRequestTimesOut() throws Exception {
        try (LockHandle held = a().acquire(LockRequest.write("at"))) {
            CompletableFuture<LockHandle> late = b().acquireAsync(
                            LockRequest.write("at").waitTime(SHORT), LockOwner.named("late"))
                    .toCompletableFuture();
            assertThatThrownBy(() -> late.get(20, SECONDS)).hasCauseInstanceOf(LockNotGrantedException.class);
            assertThat(held.isValid()).isTrue();
        }
    }

    @Test
    void whoWaitsIsCountedUntilItIsDecided() throws Exception {
        LockHandle held = a().acquire(LockRequest.write("aw"));
        LockRequest brief = LockRequest.write("aw").waitTime(SHORT);
        assertThat(b().tryAcquire(brief)).isEmpty();
        assertThat(b().monitor().waitingNow()).as("a thread gave up").isZero();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> b().acquire(brief)).isInstanceOf(InterruptedException.class);
        assertThat(b().monitor().waitingNow()).as("a thread was interrupted").isZero();
        CompletableFuture<LockHandle> late =
                b().acquireAsync(brief, LockOwner.named("late")).toCompletableFuture();
        assertThat(b().monitor().waitingNow()).as("a future waits").isEqualTo(1);
        assertThatThrownBy(() -> late.get(20, SECONDS)).hasCauseInstanceOf(LockNotGrantedException.class);
        assertThat(b().monitor().waitingNow()).as("a future gave up").isZero();
        CompletableFuture<LockHandle> granted = b().acquireAsync(
                        LockRequest.write("aw").waitTime(LONG), LockOwner.named("granted"))
                .toCompletableFuture();
        held.close();
        granted.get(20, SECONDS).close();
        assertThat(b().monitor().waitingNow()).as("a future was granted").isZero();
        b().stopAccepting();
        assertThatThrownBy(() -> b().acquireAsync(brief, LockOwner.named("refused"))
                        .toCompletableFuture()
                        .get(20, SECONDS))
                .hasStackTraceContaining("shutting down");
        assertThat(b().monitor().waitingNow()).as("a future was refused").isZero();
    }

    // ---------------------------------------------------------------- what it costs

    @Test
    void anUncontendedCycleIsOneFaaEachWay() throws Exception {
        a().acquire(LockRequest.write("cost")).close();
        awaitTrue(() -> verbs(a(), Purpose.RELEASE, Verb.FETCH_AND_ADD) == 1);
        for (int i = 0; i < 10; i++) {
            a().acquire(LockRequest.write("cost")).close();
            long done = i + 2;
            awaitTrue(() -> verbs(a(), Purpose.RELEASE, Verb.FETCH_AND_ADD) == done);
        }
        assertThat(verbs(a(), Purpose.ACQUIRE, Verb.FETCH_AND_ADD)).isEqualTo(11);
        assertThat(verbs(a(), Purpose.RELEASE, Verb.FETCH_AND_ADD)).isEqualTo(11);
        assertThat(verbs(a(), Purpose.ENTRY, Verb.WRITE)).isZero();
    }

    @Test
    void localHandOverCostsOneRenewalPer128Grants() throws Exception {
        int rounds = 512;
        List<Future<Void>> workers = new ArrayList<>();
        CountDownLatch go = new CountDownLatch(1);
        for (int t = 0; t < 2; t++) {
            workers.add(async(() -> {
                go.await();
                for (int i = 0; i < rounds; i++) {
                    a().acquire(LockRequest.write("local")).close();
                }
                return null;
            }));
        }
        go.countDown();
        for (Future<Void> worker : workers) {
            get(worker);
        }
        long local = a().monitor().counters().get(Event.GRANT_LOCAL);
        long remote = a().monitor().counters().get(Event.REMOTE_ACQUISITION);
        assertThat(local + a().monitor().counters().get(Event.GRANT_UNCONTENDED))
                .isEqualTo(2L * rounds);
        assertThat(remote).isLessThanOrEqualTo(2L * rounds - local);
        assertThat(a().monitor().counters().get(Event.HAND_OVER)).isZero();
    }

    // ---------------------------------------------------------------- losing the memory node

    @Test
    void aHoldIsLostWithItsMemoryNode() throws Exception {
        LockHandle handle = a().acquire(LockRequest.write("lost"));
        CompletableFuture<LockLostException> lost = new CompletableFuture<>();
        handle.onLost((which, why) -> lost.complete(why));
        stopMemoryNode();
        assertThat(lost.get(20, SECONDS)).hasMessageContaining("'lost'");
        assertThat(a().monitor().counters().get(Event.HOLD_LOST)).isEqualTo(1);
        assertThat(handle.isValid()).isFalse();
        assertThatThrownBy(handle::close).isInstanceOf(LockLostException.class);
        // Nobody else has it: that a memory node is not there is told in the same way, however it was asked for.
        LockRequest again = LockRequest.write("lost").waitTime(SHORT);
        assertThatThrownBy(() -> a().tryAcquire(again))
                .isInstanceOf(MemoryNodeUnavailableException.class)
                .hasMessageContaining("'lost'");
        assertThatThrownBy(() -> a().acquire(again)).isInstanceOf(MemoryNodeUnavailableException.class);
        assertThatThrownBy(() -> a().acquireAsync(again, LockOwner.named("other"))
                        .toCompletableFuture()
                        .get(20, SECONDS))
                .hasCauseInstanceOf(MemoryNodeUnavailableException.class);
    }

    // ---------------------------------------------------------------- helpers

    private static long verbs(ComputeNode node, Purpose purpose, Verb verb) {
        return node.monitor().counters().verbs(purpose, verb);
    }

    private static void awaitWaiting(ComputeNode node, long count) throws Exception {
        awaitTrue(() -> node.monitor().waitingNow() == count);
    }

    private static void awaitTrue(Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + SECONDS.toNanos(20);
        while (!condition.call()) {
            assertThat(System.nanoTime()).as("waited 20 s").isLessThan(deadline);
            MILLISECONDS.sleep(1);
        }
    }
}
