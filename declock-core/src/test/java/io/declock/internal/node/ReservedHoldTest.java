// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.LockLostException;
import io.declock.LockMode;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.local.HeldLock;
import io.declock.internal.local.Hold;
import io.declock.internal.local.LocalLock;
import io.declock.internal.local.LocalWaiter;
import io.declock.internal.local.OneSession;
import io.declock.internal.local.SteppedSession;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.ManualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A reservation and the position that it is about, step by step (rule R1): the position is never given back before the reservation has ended. */
class ReservedHoldTest {
    private static final long LEAST = Duration.ofMinutes(1).toNanos();

    private final ManualTime time = new ManualTime();
    private final Session session = new Session(time);
    private final LocalLock lock = new LocalLock(new OneSession(session), "x");
    private final LocalWaiter waiter = new LocalWaiter("owner", LockMode.WRITE, false) {
        @Override
        public void run() {}
    };
    private Hold hold;

    /** A session with a memory node that answers when the test says so. */
    private static final class Session extends SteppedSession {
        final List<Long> asked = new ArrayList<>();
        final Deque<CompletableFuture<Void>> unanswered = new ArrayDeque<>();

        Session(ManualTime time) {
            super(time);
        }

        @Override
        public CompletionStage<Void> reserve(long record, long nanos) {
            CompletableFuture<Void> answer = new CompletableFuture<>();
            asked.add(nanos);
            unanswered.add(answer);
            return answer;
        }
    }

    @BeforeEach
    void acquire() {
        assertThat(lock.acquire(waiter)).isTrue();
        session.posted.remove().completed((verb, word) -> LockHeader.pack(OneSession.EPOCH, 7, 0, 0));
        hold = waiter.hold();
        session.posted.clear();
    }

    private MinimumHold.Lasting last(long nanos) {
        return MinimumHold.last(hold, nanos, time, time);
    }

    @SuppressWarnings("NullAway") // The one value of Void.
    private void answer() {
        session.unanswered.remove().complete(null);
    }

    private void fail(FabricException why) {
        session.unanswered.remove().completeExceptionally(why);
    }

    private void release() {
        HeldLock.release(hold, LockMode.WRITE);
    }

    private void pass(long nanos) {
        time.advance(Duration.ofNanos(nanos));
    }

    private void assertKept() {
        assertThat(session.posted).as("verbs that give the position back").isEmpty();
    }

    private void assertGivenBack() {
        assertThat(session.posted).as("verbs that give the position back").hasSize(1);
    }

    @Test
    void thePositionIsGivenBackWhenTheReservationHasEnded() {
        last(LEAST);
        answer();
        release();
        pass(LEAST - 1);
        assertThat(session.asked).containsExactly(LEAST);
        pass(1);
        assertThat(session.asked).containsExactly(LEAST, 0L);
        assertKept();
        answer();
        assertGivenBack();
    }

    @Test
    void anEndWithoutAnAnswerIsAskedForAgain() {
        last(LEAST);
        answer();
        release();
        pass(LEAST);
        fail(new FabricException("no answer in time"));
        assertKept();
        pass(LEAST);
        assertThat(session.asked).containsExactly(LEAST, 0L, 0L);
        assertKept();
        answer();
        assertGivenBack();
    }

    @Test
    void aRefusalIsAnAnswer() {
        last(LEAST);
        answer();
        release();
        pass(LEAST);
        fail(new FabricException.Refused(Reason.SESSION_OVER, "it is over"));
        assertGivenBack();
    }

    @Test
    void oneThatIsWantedAgainWhileItEndsGoesOn() {
        last(LEAST);
        answer();
        pass(LEAST);
        last(2 * LEAST);
        release();
        answer();
        assertThat(session.asked).containsExactly(LEAST, 0L, 2 * LEAST);
        answer();
        pass(2 * LEAST - 1);
        assertKept();
        assertThat(session.asked).hasSize(3);
        pass(1);
        assertThat(session.asked).containsExactly(LEAST, 0L, 2 * LEAST, 0L);
        answer();
        assertGivenBack();
    }

    @Test
    void oneThatIsOverIsFollowedByAnother() {
        last(LEAST);
        answer();
        pass(LEAST);
        answer();
        last(LEAST);
        answer();
        release();
        assertKept();
        pass(LEAST);
        answer();
        assertGivenBack();
    }

    @Test
    void anAcquisitionThatFailsEndsOnlyWhatItWanted() {
        last(LEAST);
        answer();
        MinimumHold.Lasting inner = last(2 * LEAST);
        inner.abandon();
        answer();
        release();
        assertThat(session.asked).containsExactly(LEAST, 2 * LEAST);
        assertKept();
        pass(LEAST);
        assertThat(session.asked).containsExactly(LEAST, 2 * LEAST, 0L);
        answer();
        assertGivenBack();
    }

    @Test
    void oneThatIsRefusedEndsAtOnce() {
        MinimumHold.Lasting lasting = last(LEAST);
        fail(new FabricException.Refused(Reason.BAD_VERSION, "it knows no reservations"));
        assertThat(lasting.noted()).isCompletedExceptionally();
        release();
        fail(new FabricException.Refused(Reason.BAD_VERSION, "it knows no reservations"));
        assertGivenBack();
    }

    @Test
    void aHoldThatWasGivenBackCannotBeReserved() {
        release();
        assertThatThrownBy(() -> last(LEAST)).isInstanceOf(LockLostException.class);
        assertThat(session.asked).isEmpty();
    }

    /** As after a pause of the process, before its session has ended, or with a heartbeat that was answered in time after all. */
    @Test
    void aLeaseThatLapsesTakesTheLockFromItsOwnerAndLeavesThePosition() {
        last(LEAST);
        answer();
        session.leaseLasts = false;
        release();
        assertThat(hold.lost()).isNotNull();
        assertKept();
        session.leaseLasts = true;
        pass(LEAST);
        assertThat(session.asked).containsExactly(LEAST, 0L);
        assertKept();
        answer();
        assertGivenBack();
    }
}
