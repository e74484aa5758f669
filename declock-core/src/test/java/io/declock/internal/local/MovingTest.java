// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.LocalSettings;
import io.declock.LockLostException;
import io.declock.LockMode;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.protocol.ResetReason;
import io.declock.internal.protocol.StillNode;
import io.declock.internal.time.Clock;
import io.declock.spi.Member;
import io.declock.spi.PeerMessage;
import io.declock.spi.Resolution;
import io.declock.spi.VerbChain;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** On which lease a hold rests while it moves from one session to the next (rules H3 and M2). */
class MovingTest {
    private static final long EPOCH = 5;
    private static final LockLostException WHY = new LockLostException("lost on the way");

    private final Session former = new Session();
    private final Session next = new Session();
    private final LocalLock lock = new LocalLock(new Host(), "x");
    private final LocalWaiter waiter = new LocalWaiter("owner", LockMode.WRITE, false) {
        @Override
        public void run() {}
    };
    private Hold hold;

    /** A session whose lease lasts until the test says otherwise. */
    private static final class Session extends StillNode {
        final Deque<VerbChain> posted = new ArrayDeque<>();
        boolean leaseLasts = true;

        Session() {
            super(8, 2);
        }

        @Override
        public boolean leaseValid(long now) {
            return leaseLasts;
        }

        @Override
        public void sawEpoch(long epoch) {}

        @Override
        public void post(VerbChain chain) {
            posted.add(chain);
        }

        @Override
        public void send(Member to, PeerMessage message) {}

        @Override
        public void requestReset(long record, long epoch, ResetReason reason) {}
    }

    private final class Host implements LocalLock.Host {
        @Override
        public void bind(LocalLock asking) {
            asking.bound(former, new Resolution(0, EPOCH, false));
        }

        @Override
        public void forgotten(LocalLock forgotten) {}

        @Override
        public LocalSettings localSettings() {
            return LocalSettings.DEFAULTS;
        }

        @Override
        public Clock clock() {
            return former.clock();
        }

        @Override
        public void holdLost(String name, LockMode mode) {}

        @Override
        public void tellOfLoss(Runnable listener) {
            listener.run();
        }

        @Override
        public boolean isClosed() {
            return false;
        }

        @Override
        public void held(int change) {}
    }

    /** The lock is held by a writer, and its session breaks off. */
    @BeforeEach
    void breakOff() {
        assertThat(lock.acquire(waiter)).isTrue();
        former.posted.remove().completed((verb, word) -> LockHeader.pack(EPOCH, 7, 0, 0));
        hold = waiter.hold();
        assertThat(isTrusted()).isTrue();
        assertThat(lock.suspend(former, WHY)).isTrue();
    }

    private boolean isTrusted() {
        return HeldLock.mayTrustLease(hold);
    }

    private void restore() {
        assertThat(lock.toRestore(WHY)).isEqualTo(new Moving.Held(true, EPOCH));
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
