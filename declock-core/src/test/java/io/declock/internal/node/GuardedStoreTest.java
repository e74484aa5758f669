// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.DecLockException;
import io.declock.KeepSettings;
import io.declock.LockMode;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.local.HeldLock;
import io.declock.internal.local.Hold;
import io.declock.internal.local.KeptLocks;
import io.declock.internal.local.LocalLock;
import io.declock.internal.local.LocalWaiter;
import io.declock.internal.local.OneSession;
import io.declock.internal.local.SteppedSession;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.GrantedValue;
import io.declock.spi.ManualTime;
import io.declock.spi.PeerMessage;
import io.declock.spi.PeerMessage.Kind;
import io.declock.spi.StoredValue;
import io.declock.spi.ValueReading;
import io.declock.spi.ValueWriting;
import io.declock.spi.VerbChain;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A holder's stores, and what it tells of the value, step by step (rules V1 to V5). */
class GuardedStoreTest {
    private static final int INDEX = 7;
    private static final byte[] ONE = {1};

    private final ManualTime time = new ManualTime();
    private final Session session = new Session(time);
    private final KeptLocks kept = new KeptLocks(KeepSettings.builder().after(1).build(), time, time);
    private final LocalLock lock = new LocalLock(
            new OneSession(session) {
                @Override
                public KeptLocks kept() {
                    return kept;
                }
            },
            "x");
    private final GuardedStore store = new GuardedStore(time, "self");
    private Hold hold;

    /** A session with a memory node that answers when the test says so. */
    private static final class Session extends SteppedSession {
        final Deque<ValueWriting> stores = new ArrayDeque<>();
        final Deque<CompletableFuture<Void>> unanswered = new ArrayDeque<>();
        int reads;

        Session(ManualTime time) {
            super(time);
        }

        @Override
        public CompletionStage<ValueReading> readValue(long record) {
            reads++;
            return new CompletableFuture<>();
        }

        @Override
        public CompletionStage<Void> writeValue(ValueWriting writing) {
            CompletableFuture<Void> answer = new CompletableFuture<>();
            stores.add(writing);
            unanswered.add(answer);
            return answer;
        }
    }

    private LocalWaiter waiter(String owner) {
        LocalWaiter waiter = new LocalWaiter(owner, LockMode.WRITE, false) {
            @Override
            public void run() {}
        };
        assertThat(lock.acquire(waiter)).isTrue();
        return waiter;
    }

    @BeforeEach
    void acquire() {
        LocalWaiter waiter = waiter("owner");
        session.posted.remove().completed((verb, word) -> LockHeader.pack(OneSession.EPOCH, INDEX, 0, 0));
        hold = waiter.hold();
        session.posted.clear();
    }

    @SuppressWarnings("NullAway") // The one value of Void.
    private void answer() {
        session.unanswered.remove().complete(null);
    }

    private void fail(FabricException why) {
        session.unanswered.remove().completeExceptionally(why);
    }

    private static FabricException.Refused refusal(Reason reason) {
        return new FabricException.Refused(reason, "a test");
    }

    private GrantedValue stored() {
        return new GrantedValue(new StoredValue(hold.token(), "self", ONE));
    }

    private void assertTells(@Nullable GrantedValue value) {
        assertThat(lock.valueToTell()).isEqualTo(value);
    }

    private void deliver(Kind kind, long epoch) {
        lock.remote().deliver(new PeerMessage(kind, 99, 2, 7, 1, 7, 0, epoch, 2, 0));
    }

    @Test
    void aValueIsToldWhenTheMemoryNodeHasIt() {
        assertTells(null);
        CompletableFuture<Boolean> stored = store.write(hold, ONE);
        assertTells(null);
        assertThat(lock.mayStoreYet()).isTrue();
        answer();
        assertThat(stored).isCompletedWithValue(true);
        assertTells(stored());
        assertThat(lock.mayStoreYet()).isFalse();
    }

    @Test
    void aStoreWithoutAnAnswerMayBeExecutedYet() {
        lock.told(new GrantedValue(null));
        store.write(hold, ONE);
        fail(new FabricException("no answer"));
        assertTells(null);
        store.read(hold, null);
        assertThat(session.reads).as("what was known before does not count").isEqualTo(1);
        assertThat(lock.mayStoreYet()).isTrue();
        time.advance(Duration.ofMillis(10));
        assertThat(session.stores).as("tried again").hasSize(2);
        answer();
        assertTells(stored());
        assertThat(lock.mayStoreYet()).isFalse();
    }

    @Test
    void whatWasToldIsReadWithoutARequest() {
        lock.told(stored());
        assertThat(store.read(hold, null))
                .isCompletedWithValueMatching(
                        value -> value.equals(Optional.of(new StoredValue(hold.token(), "self", ONE))));
        assertThat(session.reads).isZero();
        assertTells(stored());
    }

    private GuardedStore.Ahead ahead(long epoch, int head, int size) {
        return ahead(epoch, LockHeader.pack(epoch, head, size, 1));
    }

    private GuardedStore.Ahead ahead(long epoch, long header) {
        return ahead(session, epoch, header);
    }

    private static GuardedStore.Ahead ahead(Session asked, long epoch, long header) {
        ValueReading reading = new ValueReading(header, epoch, new StoredValue(3, "other", ONE));
        return new GuardedStore.Ahead(asked, 0, CompletableFuture.completedFuture(reading));
    }

    private void isReadAgain(GuardedStore.Ahead early) {
        int before = session.reads;
        assertThat(store.read(hold, early)).isNotDone();
        assertThat(session.reads).isEqualTo(before + 1);
    }

    /** Rule V3: a reading from before the grant. */
    @Test
    void aReadingAheadCountsIfItShowsThatThisPositionHadTheLock() {
        isReadAgain(ahead(OneSession.EPOCH, INDEX - 1, 2));
        isReadAgain(ahead(OneSession.EPOCH, INDEX, 0));
        isReadAgain(ahead(OneSession.EPOCH + 1, INDEX, 1));
        isReadAgain(ahead(OneSession.EPOCH, LockHeader.inReset(LockHeader.pack(OneSession.EPOCH, INDEX, 1, 1))));
        isReadAgain(ahead(new Session(time), OneSession.EPOCH, LockHeader.pack(OneSession.EPOCH, INDEX, 1, 1)));
        int before = session.reads;
        assertThat(store.read(hold, ahead(OneSession.EPOCH, INDEX, 1))).isCompleted();
        assertThat(session.reads).isEqualTo(before);
        assertTells(new GrantedValue(new StoredValue(3, "other", ONE)));
    }

    /** Rule V4: a holder that is storing a value shows nobody the former one. */
    @Test
    void nobodyReadsTheFormerValueWhileAnotherOneIsBeingStored() {
        lock.told(new GrantedValue(null));
        store.write(hold, ONE);
        CompletableFuture<?> read = store.read(hold, null);
        assertThat(read).isNotDone();
        answer();
        assertThat(read)
                .isCompletedWithValueMatching(
                        value -> value.equals(Optional.of(new StoredValue(hold.token(), "self", ONE))));
    }

    /** The position of a holder that survives a reset is another one: what it knew is not told in the new epoch. */
    @Test
    void aResetEndsWhatWasKnown() {
        store.write(hold, ONE);
        answer();
        deliver(Kind.RESET_SIGNAL, OneSession.EPOCH);
        deliver(Kind.RESET_DONE, OneSession.EPOCH + 1);
        assertTells(null);
        store.read(hold, null);
        assertThat(session.reads).isEqualTo(1);
        // After a reset the index is 0, and after the next one again.
        lock.told(stored());
        assertTells(stored());
        deliver(Kind.RESET_SIGNAL, OneSession.EPOCH + 1);
        deliver(Kind.RESET_DONE, OneSession.EPOCH + 2);
        assertTells(null);
    }

    /** The end of the reset is awaited, and no time. */
    @Test
    void aStoreThatMetAResetIsTriedAgainWhenTheResetIsOver() {
        CompletableFuture<Boolean> stored = store.write(hold, ONE);
        deliver(Kind.RESET_SIGNAL, OneSession.EPOCH);
        fail(refusal(Reason.NOT_YET));
        assertThat(session.stores).hasSize(1);
        deliver(Kind.RESET_DONE, OneSession.EPOCH + 1);
        assertThat(session.stores).hasSize(2);
        assertThat(session.stores.getLast().epoch()).isEqualTo(OneSession.EPOCH + 1);
        answer();
        assertThat(stored).isCompletedWithValue(true);
    }

    @Test
    void aRefusalEndsAStore() {
        CompletableFuture<Boolean> stored = store.write(hold, ONE);
        fail(refusal(Reason.BAD_REQUEST));
        assertThat(stored).isCompletedExceptionally();
        assertThat(stored.handle((done, failure) -> failure).join()).isInstanceOf(DecLockException.class);
        assertThat(session.stores).hasSize(1);
        assertThat(lock.mayStoreYet()).as("it is not executed later").isFalse();
    }

    /** The memory node has executed the step that moves a kept position to another index, and the holder does not know it yet (rule K6). */
    @Test
    void aStoreIsTriedAgainIfThePositionHasMovedMeanwhile() {
        HeldLock.release(hold, LockMode.WRITE);
        VerbChain mark = session.posted.remove();
        hold = waiter("next").hold();
        CompletableFuture<Boolean> stored = store.write(hold, ONE);
        assertThat(session.stores.getLast().index()).isEqualTo(INDEX);
        fail(refusal(Reason.BAD_REQUEST));
        assertThat(stored).isNotDone();
        mark.completed((verb, word) -> LockHeader.pack(OneSession.EPOCH, INDEX, 1, 1));
        assertThat(session.stores.getLast().index()).isEqualTo(INDEX + 8);
        answer();
        assertThat(stored).isCompletedWithValue(true);
    }
}
