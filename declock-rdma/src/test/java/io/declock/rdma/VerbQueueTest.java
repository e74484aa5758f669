// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.Purpose;
import io.declock.rdma.verbs.Constants;
import io.declock.spi.FabricException;
import io.declock.spi.TestChain;
import io.declock.spi.VerbChain;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is posted for a chain, and how chains end, without a device. */
@Timeout(60)
class VerbQueueTest {
    private static final int SLOTS = 4;
    private static final int SECONDS = 10;
    private static final int FENCE = Constants.IBV_SEND_FENCE;
    private static final int SIGNALED = Constants.IBV_SEND_SIGNALED;
    private static final int INLINE = Constants.IBV_SEND_INLINE;

    private final RecordingBackend backend = new RecordingBackend();
    private final RdmaCounters counters = new RdmaCounters();
    private final List<FabricException> broken = new ArrayList<>();
    private final ScriptedTaker taker = new ScriptedTaker();
    private VerbQueue queue;

    @BeforeEach
    void make() throws Exception {
        make(Duration.ofSeconds(20));
    }

    private void make(Duration pollTime) throws Exception {
        queue = new VerbQueue(
                backend,
                null,
                new ChainSlots(backend, null, new RegionGrant(0x10000, 4096, 0x42), SLOTS, 16),
                counters,
                broken::add,
                new Takers(taker, pollTime.toNanos()),
                new ReentrantLock(),
                new WaitingChains(none -> {}));
    }

    /** Completes what {@code sequences} say, one each time, when asked to take. */
    private static final class ScriptedTaker implements Takers.Source {
        final Queue<Runnable> completions = new ArrayDeque<>();
        boolean taking;
        int asked;
        int watched;

        @Override
        public boolean take() {
            asked++;
            Runnable next = completions.poll();
            if (next == null) {
                return false;
            }
            taking = true;
            next.run();
            taking = false;
            return true;
        }

        @Override
        public boolean isTaking() {
            return taking;
        }

        @Override
        public void watch() {
            watched++;
        }
    }

    @Test
    void aThreadThatWaitsForAnAcquisitionTakesCompletionsUntilItsOwn() {
        TestChain earlier = post(Purpose.RELEASE, c -> c.fetchAndAdd(0, 1));
        assertThat(taker.asked).as("nobody waits for a release").isEqualTo(1);
        assertThat(taker.watched).as("it is left to the completion thread").isEqualTo(1);
        taker.completions.add(() -> complete(0));
        taker.completions.add(() -> {
            assertThat(queue.isBusy()).as("the completion thread is not needed").isFalse();
            assertThat(queue.needsEvent()).as("nor an event").isFalse();
            complete(1);
        });
        taker.completions.add(() -> complete(2));

        TestChain own = post(Purpose.ACQUIRE, c -> c.fetchAndAdd(8, 1));

        assertThat(earlier.future()).isDone();
        assertThat(own.future()).isDone();
        assertThat(taker.completions).hasSize(1);
        assertThat(taker.watched).as("nothing is left").isEqualTo(1);
    }

    /** A taking thread takes care of one chain, its own, because it may be the next to lose its processor. */
    @Test
    void whatIsLeftIsWatchedThoughAnotherThreadTakes() throws Exception {
        make(Duration.ofSeconds(20));
        taker.completions.add(() -> {
            taker.watched = 0;
            Thread other = Thread.ofPlatform().start(() -> {
                taker.taking = false;
                post(Purpose.RELEASE, c -> c.fetchAndAdd(8, 1));
                taker.taking = true;
            });
            join(other);
            assertThat(taker.watched).isEqualTo(1);
            complete(0);
        });
        post(Purpose.ACQUIRE, c -> c.fetchAndAdd(0, 1));
        assertThat(taker.watched).as("again by the last").isEqualTo(2);
    }

    @Test
    void anExtendedAtomicIsRefusedByNameAndHarmsNothing() {
        assertThatThrownBy(() -> post(c -> c.fetchAndAdd(0, 1).maskedCompareAndSwap(0, new long[8])))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("MASKED_COMPARE_AND_SWAP")
                .hasMessageContaining("not supported");
        assertThatThrownBy(() -> post(c -> c.maskedFetchAndAdd(0, new long[4])))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThat(backend.posts).isEmpty();
        TestChain next = post(c -> c.fetchAndAdd(0, 1));
        complete(0);
        assertThat(next.future()).isCompleted();
    }

    private static void join(Thread thread) {
        try {
            thread.join(Duration.ofSeconds(SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whatIsLeftWhenTheTimeIsUpIsTheCompletionThreads() throws Exception {
        make(Duration.ofMillis(1));
        post(Purpose.ACQUIRE, c -> c.fetchAndAdd(0, 1));
        assertThat(taker.asked).isPositive();
        assertThat(taker.watched).isEqualTo(1);
        assertThat(queue.isBusy()).isTrue();
        assertThat(queue.needsEvent()).isTrue();
    }

    @Test
    void whatACompletionPostsIsNotWaitedForInside() {
        TestChain[] inner = new TestChain[1];
        taker.completions.add(() -> {
            inner[0] = post(Purpose.ACQUIRE, c -> c.fetchAndAdd(8, 1));
            complete(0);
        });
        post(Purpose.ACQUIRE, c -> c.fetchAndAdd(0, 1));
        assertThat(taker.asked).isEqualTo(1);
        assertThat(inner[0].future()).isNotDone();
    }

    private TestChain post(Purpose purpose, java.util.function.Consumer<TestChain> verbs) {
        TestChain chain = TestChain.forPurpose(purpose);
        verbs.accept(chain);
        queue.post(chain);
        return chain;
    }

    private TestChain post(java.util.function.Consumer<TestChain> verbs) {
        return post(Purpose.RELEASE, verbs);
    }

    /** Completes what was posted as the {@code n}th. */
    private void complete(int n) {
        long id = backend.posts.get(n).getLast().id();
        queue.completed(backend.completion(id, Constants.IBV_WC_SUCCESS), 0);
    }

    @Test
    void aChainIsPostedOnceWithOneCompletion() throws Exception {
        TestChain chain = post(c -> c.fetchAndAdd(64, 5).read(64, 3));

        assertThat(backend.posts).hasSize(1);
        List<RecordingBackend.Request> requests = backend.posts.get(0);
        assertThat(requests).extracting(RecordingBackend.Request::flags).containsExactly(0, SIGNALED);
        assertThat(requests.get(0).remote()).isEqualTo(0x10000 + 64);
        assertThat(requests.get(0).operand()).isEqualTo(5);
        assertThat(requests.get(1).length()).isEqualTo(24);
        assertThat(requests).extracting(RecordingBackend.Request::id).containsOnly(0L);

        backend.fill(requests.get(0), 41);
        backend.fill(requests.get(1), 46, 7, 8);
        complete(0);
        assertThat(chain.future().get()).isEqualTo(new long[][] {{41}, {46, 7, 8}});
    }

    @Test
    void aSlotServesEveryKindOfChain() throws Exception {
        for (int i = 0; i < 3 * SLOTS; i++) {
            TestChain alone = post(c -> c.fetchAndAdd(64, 5));
            RecordingBackend.Request addition = backend.posts.getLast().getFirst();
            assertThat(backend.posts.getLast()).hasSize(1);
            assertThat(addition.opcode()).isEqualTo(Constants.IBV_WR_ATOMIC_FETCH_AND_ADD);
            assertThat(addition.flags()).isEqualTo(SIGNALED);
            assertThat(addition.remote()).isEqualTo(0x10000 + 64);
            assertThat(addition.operand()).isEqualTo(5);
            assertThat(addition.swap()).isZero();
            assertThat(addition.key()).isEqualTo(0x42);
            assertThat(addition.length()).isEqualTo(8);
            backend.fill(addition, 41 + i);
            complete(2 * i);
            assertThat(alone.future().get()).isEqualTo(new long[][] {{41 + i}});
            TestChain other = post(
                    i % 2 == 0
                            ? c -> c.compareAndSwap(72, 7, 8)
                            : c -> c.read(8, 4).write(8, 1));
            RecordingBackend.Request first = backend.posts.getLast().getFirst();
            assertThat(first.opcode())
                    .isEqualTo(i % 2 == 0 ? Constants.IBV_WR_ATOMIC_CMP_AND_SWP : Constants.IBV_WR_RDMA_READ);
            backend.fill(first, 6);
            complete(2 * i + 1);
            assertThat(other.future().get()[0][0]).isEqualTo(6);
        }
    }

    /** Requests of a queue pair complete in order, so this would be a device's error; the chain stays the oldest. */
    @Test
    void aCompletionThatIsNotTheOldestsEndsNothing() {
        TestChain first = post(c -> c.fetchAndAdd(0, 1));
        TestChain second = post(c -> c.fetchAndAdd(0, 1));
        complete(1);
        assertThat(first.future()).isNotDone();
        assertThat(second.future()).isNotDone();
        complete(0);
        complete(1);
        assertThat(second.ends).hasValue(1);
    }

    @Test
    void aFenceStandsOnlyAtAWriteBehindAReadOfItsChain() {
        post(c -> c.fetchAndAdd(0, 1));
        assertThat(flags(post(c -> c.write(0, 1)))).containsExactly(INLINE | SIGNALED);
        assertThat(flags(post(c -> c.read(0, 1)))).containsExactly(SIGNALED);
        assertThat(flags(post(c -> c.write(0, 1)))).containsExactly(INLINE | SIGNALED);
        complete(0);
        complete(1);
        assertThat(flags(post(c -> c.read(0, 1).write(0, 1)))).containsExactly(0, FENCE | INLINE | SIGNALED);
    }

    private List<Integer> flags(TestChain ignored) {
        return backend.posts.getLast().stream()
                .map(RecordingBackend.Request::flags)
                .toList();
    }

    @Test
    void aWriteTooLongToGoInlineDoesNot() {
        post(c -> c.write(0, new long[] {1, 2, 3}));
        assertThat(backend.posts.getLast().getLast().flags()).isEqualTo(SIGNALED);
        assertThat(backend.words(backend.posts.getLast().getLast(), 3)).containsExactly(1, 2, 3);
    }

    @Test
    void whatHasNoRoomWaitsAndKeepsItsOrder() {
        List<TestChain> chains = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            int addend = i;
            chains.add(post(c -> c.fetchAndAdd(0, addend)));
        }
        assertThat(backend.posts).hasSize(SLOTS);
        assertThat(counters.waits.sum()).isEqualTo(6);
        for (int i = 0; i < 10; i++) {
            complete(i);
            assertThat(chains.get(i).ends).hasValue(1);
        }
        assertThat(backend.posts)
                .extracting(requests -> requests.get(0).operand())
                .containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
        post(c -> c.fetchAndAdd(0, 10));
        assertThat(counters.waits.sum())
                .as("nothing waits any more, so nothing need be queued")
                .isEqualTo(6);
    }

    @Test
    void aFailureEndsEverythingOnceAndNothingIsPostedAnyMore() {
        List<TestChain> chains = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            chains.add(post(c -> c.fetchAndAdd(0, 1)));
        }
        complete(0);
        queue.completed(backend.completion(1, 10), 0);
        assertThat(broken).singleElement().satisfies(e -> assertThat(e).hasMessageContaining("REM_ACCESS_ERR"));
        assertThat(counters.errors()).containsEntry("REM_ACCESS_ERR", 1L);
        int posts = backend.posts.size();

        queue.fail(broken.get(0));
        queue.fail(new FabricException("again"));
        complete(1);
        chains.add(post(c -> c.fetchAndAdd(0, 1)));

        assertThat(chains).allSatisfy(chain -> assertThat(chain.ends).hasValue(1));
        assertThat(chains.get(0).future()).isCompleted();
        assertThatThrownBy(() -> chains.get(6).future().get()).hasCause(broken.get(0));
        assertThat(backend.posts).hasSize(posts);
        assertThat(queue.isBusy()).isFalse();
    }

    @Test
    void anInterruptedQueueLeavesWhatItDidNotPostToTheNextOne() throws Exception {
        WaitingChains waiting = new WaitingChains(this::handOn);
        queue = queueWith(waiting);
        List<TestChain> chains = new ArrayList<>();
        for (int i = 0; i < SLOTS + 2; i++) {
            chains.add(post(c -> c.fetchAndAdd(0, 1)));
        }
        complete(0);
        VerbQueue interrupted = queue;

        List<VerbChain> unknown = interrupted.interrupt(new FabricException("the connection broke"));
        assertThat(unknown).isEqualTo(chains.subList(1, SLOTS + 1));
        assertThat(interrupted.interrupt(new FabricException("again"))).isEmpty();
        int posts = backend.posts.size();
        chains.add(post(c -> c.fetchAndAdd(8, 1)));
        assertThat(backend.posts).hasSize(posts);
        assertThat(waiting.noneWaits()).isFalse();

        queue = queueWith(waiting);
        queue.postWhatWasLeft();
        assertThat(backend.posts).hasSize(posts + 2);
        TestChain late = TestChain.forPurpose(Purpose.RELEASE);
        late.fetchAndAdd(16, 1);
        interrupted.post(late);
        assertThat(backend.posts).as("of a thread that came late").hasSize(posts + 3);
        assertThat(chains.subList(1, chains.size()))
                .allSatisfy(chain -> assertThat(chain.ends).hasValue(0));
    }

    @Test
    void anInterruptedQueueWithoutASuccessorFailsWhatWaits() throws Exception {
        queue = queueWith(new WaitingChains(this::handOn));
        queue.interrupt(new FabricException("the connection broke"));
        TestChain waits = post(c -> c.fetchAndAdd(0, 1));
        TestChain waitsToo = post(c -> c.fetchAndAdd(0, 1));
        assertThat(waits.ends).hasValue(0);
        FabricException over = new FabricException("the session is over");
        queue.fail(over);
        assertThatThrownBy(() -> waits.future().get()).hasCause(over);
        assertThatThrownBy(() -> waitsToo.future().get(1, TimeUnit.SECONDS)).hasCause(over);
        TestChain late = post(c -> c.fetchAndAdd(0, 1));
        assertThatThrownBy(() -> late.future().get()).hasCause(over);
    }

    private void handOn(VerbQueue from) {
        if (queue != from) {
            queue.postWhatWasLeft();
        }
    }

    private VerbQueue queueWith(WaitingChains waiting) throws Exception {
        return new VerbQueue(
                backend,
                null,
                new ChainSlots(backend, null, new RegionGrant(0x10000, 4096, 0x42), SLOTS, 16),
                counters,
                broken::add,
                new Takers(taker, 0),
                new ReentrantLock(),
                waiting);
    }

    @Test
    void whatIsOutsideTheGrantNeverReachesTheAdapter() {
        for (long address : new long[] {-8, 4, 4096, 4096 - 8, Long.MAX_VALUE - 7}) {
            assertThat(post(c -> c.write(0, 1).read(address, 2)).future()).isCompletedExceptionally();
            assertThat(post(c -> c.read(address, 2).write(0, 1)).future()).isCompletedExceptionally();
            assertThat(post(c -> c.read(address, 2)).future()).isCompletedExceptionally();
        }
        assertThat(backend.posts).isEmpty();
        assertThat(broken).hasSize(15);
    }

    @Test
    void aRequestThatTheAdapterDoesNotTakeIsAFailure() {
        backend.errno = 12;
        TestChain chain = post(c -> c.fetchAndAdd(0, 1));
        assertThat(broken).singleElement().satisfies(e -> assertThat(e).hasMessageContaining("ENOMEM"));
        queue.fail(broken.get(0));
        assertThat(chain.ends).hasValue(1);
    }

    @Test
    void theOldestChainTellsWhetherItIsStuck() {
        assertThat(queue.isStuck(0, 1000)).isFalse();
        post(c -> c.fetchAndAdd(0, 1));
        post(c -> c.fetchAndAdd(0, 1));
        assertThat(queue.isStuck(2000, 1000)).as("seen for the first time").isFalse();
        assertThat(queue.isStuck(2999, 1000)).isFalse();
        assertThat(queue.isStuck(3000, 1000)).isTrue();
        complete(0);
        assertThat(queue.isStuck(3001, 1000)).as("another one").isFalse();
        assertThat(queue.isStuck(4000, 1000)).isFalse();
        assertThat(queue.isStuck(4001, 1000)).isTrue();
        complete(1);
        assertThat(queue.isStuck(9000, 1000)).as("none").isFalse();
        post(c -> c.fetchAndAdd(0, 1));
        assertThat(queue.isStuck(20_000, 1000)).isFalse();
    }

    @Test
    void aChainThatFailedIsNotCompletedAsWell() {
        TestChain chain = post(c -> c.fetchAndAdd(0, 1));
        queue.fail(new FabricException("the queue pair failed"));
        complete(0);
        assertThat(chain.ends).hasValue(1);
        assertThat(chain.future()).isCompletedExceptionally();
    }

    @Test
    void aChainThatIsJustCompletedDoesNotFailAsWell() {
        TestChain chain = TestChain.forPurpose(Purpose.RELEASE);
        chain.fetchAndAdd(0, 1);
        chain.future().thenRun(() -> queue.fail(new FabricException("the queue pair failed meanwhile")));
        queue.post(chain);
        complete(0);
        assertThat(chain.ends).hasValue(1);
        assertThat(chain.future()).isCompletedWithValueMatching(results -> true);
    }

    @Test
    void aCompletionMayPostIntoTheRingItCompletes() throws Exception {
        TestChain next = TestChain.forPurpose(Purpose.RELEASE);
        next.fetchAndAdd(0, 9);
        post(c -> c.fetchAndAdd(0, 1)).future().thenRun(() -> queue.post(next));
        complete(0);
        assertThat(backend.posts).hasSize(2);
        complete(1);
        assertThat(next.ends).hasValue(1);
    }

    /** Does something once, when it is about to be let go for the {@code n}th time by the thread that made it. */
    private static final class SlowLock extends ReentrantLock {
        private final Thread owner = Thread.currentThread();
        private final Runnable before;
        private int left;

        SlowLock(int n, Runnable before) {
            this.left = n;
            this.before = before;
        }

        @Override
        public void unlock() {
            if (Thread.currentThread() == owner && --left == 0) {
                before.run();
            }
            super.unlock();
        }
    }

    /**
     * The only chain in flight gives its place back just after the posting thread has seen that no place is free, while that thread still
     * has the lock. No later completion would find the waiting chain.
     */
    @Test
    void aPlaceThatBecomesFreeWhileSomebodyLooksForOneIsFound() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch gone = new CountDownLatch(1);
        // The third time: after the first chain, after the look whether the second can go at once, and now.
        SlowLock slow = new SlowLock(3, () -> {
            goOn.countDown();
            await(gone);
        });
        ChainSlots one = new ChainSlots(backend, null, new RegionGrant(0, 1024, 0x42), 1, 16);
        queue = new VerbQueue(
                backend, null, one, counters, broken::add, new Takers(taker, 0), slow, new WaitingChains(none -> {}));
        CountDownLatch taking = new CountDownLatch(1);
        TestChain first = TestChain.forPurpose(Purpose.RELEASE);
        first.fetchAndAdd(0, 1);
        first.future().thenRun(() -> {
            taking.countDown();
            await(goOn);
        });
        queue.post(first);
        Thread completing = Thread.ofPlatform().start(() -> {
            complete(0);
            gone.countDown();
        });
        await(taking);

        post(c -> c.fetchAndAdd(8, 1));
        goOn.countDown();
        completing.join();

        assertThat(backend.posts).hasSize(2);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
