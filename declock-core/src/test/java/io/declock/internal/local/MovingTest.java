// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.LockLostException;
import io.declock.LockMode;
import io.declock.internal.layout.LockHeader;
import io.declock.spi.ManualTime;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** On which lease a hold rests while it moves from one session to the next (rules H3 and M2). */
class MovingTest {
    private static final LockLostException WHY = new LockLostException("lost on the way");

    private final ManualTime time = new ManualTime();
    private final SteppedSession former = new SteppedSession(time);
    private final SteppedSession next = new SteppedSession(time);
    private final LocalLock lock = new LocalLock(new OneSession(former), "x");
    private final LocalWaiter waiter = new LocalWaiter("owner", LockMode.WRITE, false) {
        @Override
        public void run() {}
    };
    private Hold hold;

    /** The lock is held by a writer, and its session breaks off. */
    @BeforeEach
    void breakOff() {
        assertThat(lock.acquire(waiter)).isTrue();
        former.posted.remove().completed((verb, word) -> LockHeader.pack(OneSession.EPOCH, 7, 0, 0));
        hold = waiter.hold();
        assertThat(isTrusted()).isTrue();
        assertThat(lock.suspend(former, WHY)).isTrue();
    }

    private boolean isTrusted() {
        return HeldLock.mayTrustLease(hold);
    }

    private void restore() {
        assertThat(lock.toRestore(WHY)).isEqualTo(new Moving.Held(true, OneSession.EPOCH));
        lock.restored(next, 0, true);
    }

    @Test
    void aSuspendedHoldRestsOnTheFormerLeaseAlone() {
        next.leaseLasts = false;
        assertThat(isTrusted()).isTrue();
        former.leaseLasts = false;
        assertThat(isTrusted()).isFalse();
        assertThat(lock.toRestore(WHY)).as("what is to be restored").isNull();
        assertThat(hold.lost()).isSameAs(WHY);
    }

    @Test
    void aRestoredHoldThatDoesNotCountYetNeedsBothLeases() {
        restore();
        assertThat(isTrusted()).isTrue();
        next.leaseLasts = false;
        assertThat(isTrusted()).as("without the next lease").isFalse();
        next.leaseLasts = true;
        former.leaseLasts = false;
        assertThat(isTrusted()).as("without the former lease").isFalse();
    }

    @Test
    void aHoldThatCountsRestsOnTheNextLeaseAlone() {
        restore();
        lock.moved(next, WHY);
        former.leaseLasts = false;
        assertThat(isTrusted()).isTrue();
        next.leaseLasts = false;
        assertThat(isTrusted()).isFalse();
    }

    @Test
    void aHoldIsLostIfEitherLeaseRunsOutBeforeItCounts() {
        restore();
        next.leaseLasts = false;
        lock.moved(next, WHY);
        assertThat(hold.lost()).isSameAs(WHY);
    }
}
