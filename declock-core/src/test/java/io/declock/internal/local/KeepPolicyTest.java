// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When a position is kept (rule K5 of docs/protocol.md). */
class KeepPolicyTest {
    private static final int AFTER = 3;
    /** As many acquisitions in a row as are needed where keeping other locks has not paid. */
    private static final int CAUTIOUS = 16;

    private static final long EPOCH = 7;

    private final KeepPolicy policy = new KeepPolicy();
    private int index = 100;

    /** This compute node takes the lock so often with nobody between. */
    private void inARow(int times) {
        for (int i = 0; i < times; i++) {
            policy.acquired(EPOCH, ++index, false);
        }
    }

    /** Another compute node takes the lock, and then this one so often. */
    private void afterAnother(int times) {
        index++;
        inARow(times);
    }

    private boolean pays() {
        return policy.isWorthIt(AFTER, true);
    }

    private boolean isCautious() {
        return policy.isWorthIt(AFTER, false);
    }

    /** A position that was kept is given back because another compute node wants it, after so many callers. */
    private boolean givesBackAfter(int callers) {
        for (int i = 0; i < callers; i++) {
            policy.serves();
        }
        return policy.givesBack(EPOCH, index, true, AFTER);
    }

    /** Returns how many acquisitions in a row are needed now. */
    private int needed() {
        afterAnother(1);
        int needed = 1;
        while (!pays()) {
            inARow(1);
            needed++;
        }
        return needed;
    }

    @Test
    void keepsAfterAFewInARowWhereThatPays() {
        inARow(AFTER - 1);
        assertThat(pays()).isFalse();
        inARow(1);
        assertThat(pays()).isTrue();
        assertThat(isCautious()).isFalse();
    }

    @Test
    void keepsAfterMoreInARowWhereThatHasNotPaid() {
        inARow(CAUTIOUS - 1);
        assertThat(isCautious()).isFalse();
        inARow(1);
        assertThat(isCautious()).isTrue();
    }

    @Test
    void aRowEndsWhenAnotherTakesTheLock() {
        inARow(AFTER - 1);
        afterAnother(1);
        assertThat(pays()).isFalse();
        inARow(AFTER - 1);
        assertThat(pays()).isTrue();
    }

    @Test
    void aRowEndsWithTheQueue() {
        inARow(AFTER - 1);
        policy.acquired(EPOCH + 1, ++index, false);
        assertThat(pays()).isFalse();
    }

    @Test
    void otherReadersDoNotEndARow() {
        inARow(AFTER - 1);
        policy.acquired(EPOCH, index + 5, true);
        assertThat(pays()).isTrue();
    }

    @Test
    void aRowGoesOnFromTheIndexAtWhichThePositionIsLeft() {
        inARow(AFTER - 1);
        index += 4;
        policy.leaves(EPOCH, index);
        inARow(1);
        assertThat(pays()).isTrue();
    }

    @Test
    void aLockThatHasPaidIsKeptAsIfTheOthersHadToo() {
        inARow(CAUTIOUS);
        assertThat(givesBackAfter(2)).isTrue();
        afterAnother(AFTER);
        assertThat(isCautious()).isTrue();
    }

    @Test
    void aLockThatWasAskedForAtOnceHasNotPaid() {
        inARow(CAUTIOUS);
        assertThat(givesBackAfter(1)).isFalse();
        afterAnother(AFTER);
        assertThat(isCautious()).isFalse();
    }

    @Test
    void onlyTheCallersOfTheLastPositionCount() {
        inARow(CAUTIOUS);
        givesBackAfter(2);
        afterAnother(AFTER);
        assertThat(givesBackAfter(0)).isFalse();
    }

    @Test
    void aLockThatIsWantedBeginsANewRow() {
        inARow(CAUTIOUS);
        givesBackAfter(2);
        inARow(AFTER - 1);
        assertThat(pays()).isFalse();
    }

    @Test
    void aLockThatNobodyWantsGoesOnWithItsRow() {
        inARow(AFTER);
        policy.serves();
        policy.serves();
        policy.givesBack(EPOCH, index, false, AFTER);
        inARow(1);
        assertThat(pays()).isTrue();
    }

    @Test
    void badLuckDoublesWhatIsNeeded() {
        inARow(AFTER);
        int expected = AFTER;
        for (int i = 0; i < 8; i++) {
            givesBackAfter(0);
            expected *= 2;
            assertThat(needed()).isEqualTo(expected);
        }
        assertThat(expected).isBetween(513, 1023);
        givesBackAfter(0);
        assertThat(needed()).as("at most").isEqualTo(1024);
    }

    @Test
    void aFewCallersLeaveWhatIsNeeded() {
        inARow(AFTER);
        givesBackAfter(0);
        givesBackAfter(99);
        assertThat(needed()).isEqualTo(2 * AFTER);
    }

    @Test
    void manyCallersForgetTheBadLuck() {
        inARow(AFTER);
        givesBackAfter(0);
        givesBackAfter(100);
        assertThat(needed()).isEqualTo(AFTER);
    }

    /** Turns may be shorter than what bad luck has made necessary. */
    @Test
    void aLongRowThatWasNotEnoughHalvesWhatIsNeeded() {
        inARow(AFTER);
        for (int i = 0; i < 5; i++) {
            givesBackAfter(0);
        }
        afterAnother(CAUTIOUS);
        assertThat(needed()).isEqualTo(32 / 2 * AFTER);
    }

    @Test
    void aShortRowLeavesWhatIsNeeded() {
        inARow(AFTER);
        for (int i = 0; i < 5; i++) {
            givesBackAfter(0);
        }
        afterAnother(CAUTIOUS - 1);
        assertThat(needed()).isEqualTo(32 * AFTER);
    }

    @Test
    void aRowThatWasEnoughLeavesWhatIsNeeded() {
        inARow(AFTER);
        for (int i = 0; i < 3; i++) {
            givesBackAfter(0);
        }
        afterAnother(8 * AFTER);
        assertThat(pays()).isTrue();
        assertThat(needed()).isEqualTo(8 * AFTER);
    }

    @Test
    void knowsForHowLongItHasHadNoUser() {
        policy.isUnused(1000);
        assertThat(policy.unusedSince()).isEqualTo(1000);
        assertThat(policy.isUnusedFor(500, 1499)).isFalse();
        assertThat(policy.isUnusedFor(500, 1500)).isTrue();
    }
}
