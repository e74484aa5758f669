// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.ReleaseRead;
import io.declock.internal.layout.FencingToken;
import io.declock.internal.layout.QueueEntry;
import org.junit.jupiter.api.Test;

class TenureTest {
    private static final long MILLI = 1_000_000;

    private final Tenure tenure = new Tenure();

    @Test
    void localGrantsUseTheSequenceUpBeforeTheyStop() {
        tenure.begin(5, 7, 0);
        long last = tenure.token();
        int grants = 0;
        while (tenure.hasNextToken(true)) {
            tenure.nextToken();
            assertThat(tenure.token()).isGreaterThan(last);
            last = tenure.token();
            grants++;
        }
        assertThat(grants).isEqualTo(FencingToken.SEQUENCES - 1);
        assertThat(last).isLessThan(FencingToken.pack(5, 8, 0));
    }

    @Test
    void anUpgradeIsAboveEveryReaderOfTheLastIndexAndBelowTheNext() {
        tenure.begin(5, 7, 0);
        tenure.upgrade(9);
        Tenure reader = new Tenure();
        reader.begin(5, 9, 0);
        while (reader.hasNextToken(false)) {
            reader.nextToken();
        }
        assertThat(tenure.token()).isGreaterThan(reader.token());
        assertThat(tenure.token()).isLessThan(FencingToken.pack(5, 10, 0));
        assertThat(tenure.hasNextToken(true)).isFalse();
    }

    @Test
    void anUpgradeOfTheLastPositionMovesOnByOne() {
        tenure.begin(5, 7, 0);
        tenure.nextToken();
        assertThat(tenure.canUpgradeTo(7)).isTrue();
        tenure.upgrade(7);
        assertThat(tenure.token()).isEqualTo(FencingToken.pack(5, 7, 2));
    }

    @Test
    void theQueueIsReadWithTheReleaseWhereSomebodyProbablyWaits() {
        tenure.ask(1_000);
        tenure.begin(5, 7, 1_100);
        tenure.planRemote(true);
        assertThat(isReadWorthIt(ReleaseRead.ADAPTIVE, 1_299))
                .as("held for less than two round trips")
                .isFalse();
        assertThat(isReadWorthIt(ReleaseRead.ALWAYS, 1_299)).isTrue();
        assertThat(isReadWorthIt(ReleaseRead.ADAPTIVE, 1_300))
                .as("held for two round trips")
                .isTrue();
        assertThat(isReadWorthIt(ReleaseRead.KNOWN, 1_300)).isFalse();

        assertThat(tenure.isReadWorthIt(ReleaseRead.ADAPTIVE, true, new Effects(() -> 1_101)))
                .as("costs nothing")
                .isTrue();

        tenure.planRemote(false);
        assertThat(isReadWorthIt(ReleaseRead.ADAPTIVE, 1_101))
                .as("had to wait itself")
                .isTrue();

        tenure.planRemote(true);
        tenure.learnWaiter(new long[0], 100, 0);
        assertThat(isReadWorthIt(ReleaseRead.ADAPTIVE, 1_101))
                .as("somebody is known")
                .isTrue();
        assertThat(isReadWorthIt(ReleaseRead.KNOWN, 1_101)).isTrue();
    }

    private boolean isReadWorthIt(ReleaseRead setting, long now) {
        return tenure.isReadWorthIt(setting, false, new Effects(() -> now));
    }

    @Test
    void whatIsKnownOfOthersDiesWithTheTenure() {
        long writer = QueueEntry.pack(true, 2, 1, 0, 5, 100);
        tenure.begin(5, 7, 0);
        tenure.learn(new long[] {writer}, 100, 0);
        assertThat(tenure.knowsRemote()).isTrue();
        tenure.end();
        assertThat(tenure.knowsRemote()).isFalse();
        tenure.learn(new long[] {writer}, 100, 0);
        tenure.begin(5, 9, 0);
        assertThat(tenure.knowsRemote()).isFalse();
        tenure.learn(new long[] {writer}, 100, 0);
        tenure.survive(6);
        assertThat(tenure.knowsRemote()).isFalse();
        assertThat(tenure.ahead()).isEmpty();
    }

    @Test
    void noRemoteWaiterIsNotTimestampZero() {
        tenure.begin(5, 7, 0);
        tenure.learn(new long[0], -1, 0);
        assertThat(tenure.knowsRemote()).isFalse();
        assertThat(tenure.remoteIsEarlierThan(5, 0)).isFalse();
        tenure.learn(new long[0], 0, 0);
        assertThat(tenure.knowsRemote()).isTrue();
        assertThat(tenure.remoteIsEarlierThan(100, 0)).isTrue();
        assertThat(tenure.remoteIsEarlierThan(5, 0))
                .as("closer than clocks are known")
                .isFalse();
        tenure.learnWaiter(new long[0], -1, 0);
        assertThat(tenure.remoteIsEarlierThan(5, 0))
                .as("it waits, and nobody knows since when")
                .isTrue();
    }

    @Test
    void timestampsAloneHaveNoTolerance() {
        tenure.begin(5, 7, 0);
        assertThat(tenure.remoteStampIsBefore(5)).as("nobody is known").isFalse();
        tenure.learn(new long[0], 4, 0);
        assertThat(tenure.remoteStampIsBefore(5)).isTrue();
        assertThat(tenure.remoteStampIsBefore(4)).isFalse();
        tenure.learn(new long[0], 0, 0);
        assertThat(tenure.remoteStampIsBefore(1)).as("zero is a timestamp, too").isTrue();
        tenure.learnWaiter(new long[0], -1, 0);
        assertThat(tenure.remoteStampIsBefore(5))
                .as("its timestamp is not known")
                .isFalse();
    }

    @Test
    void tokensOfASurvivorsGrantsBelongToTheNewEpoch() {
        tenure.begin(5, 7, 0);
        tenure.nextToken();
        tenure.survive(6);
        tenure.nextToken();
        assertThat(tenure.token()).isEqualTo(FencingToken.pack(6, 0, 1));
    }

    @Test
    void theFirstLookIsAtOnceWhenTheGrantToldOfNobodyBehind() {
        tenure.begin(5, 7, 1_000);
        tenure.learn(new long[0], -1, 0);
        tenure.planRemote(false);
        assertThat(tenure.beginLook(1_000, 500)).isTrue();
        assertThat(tenure.beginLook(1_499, 500))
                .as("the second comes after the interval")
                .isFalse();
        assertThat(tenure.beginLook(1_500, 500)).isTrue();
    }

    @Test
    void theFirstLookIsLateWhenTheFaaFoundNobody() {
        tenure.begin(5, 7, 1_000);
        tenure.planRemote(true);
        assertThat(tenure.beginLook(1_500, 500)).isFalse();
        assertThat(tenure.beginLook(1_000 + 500 * Tenure.PATIENCE, 500)).isTrue();
    }

    // ---------------------------------------------------------------- known waiters that are passed

    /** Waits behind two positions for 20 ms in all, and then holds the lock, from 30 ms on, with a waiter behind that came before everybody. */
    private void holdsAfterTwoTurnsOfTenMillis() {
        tenure.ask(10 * MILLI);
        tenure.waitsBehind(2);
        tenure.begin(1, 7, 30 * MILLI);
        tenure.learn(new long[] {1}, 0, 30 * MILLI);
        tenure.planRemote(false);
    }

    @Test
    void aKnownWaiterIsPassedForHalfOfATurnElsewhere() {
        holdsAfterTwoTurnsOfTenMillis();
        assertThat(tenure.mayPassKnown(128, 100 * MILLI, 35 * MILLI - 1)).isTrue();
        assertThat(tenure.mayPassKnown(128, 100 * MILLI, 35 * MILLI)).isFalse();
    }

    @Test
    void aKnownWaiterIsPassedNoLongerThanAnUnknownOne() {
        holdsAfterTwoTurnsOfTenMillis();
        assertThat(tenure.mayPassKnown(128, MILLI, 31 * MILLI - 1)).isTrue();
        assertThat(tenure.mayPassKnown(128, MILLI, 31 * MILLI)).isFalse();
    }

    @Test
    void knownAndUnknownWaitersTogetherArePassedThatOften() {
        tenure.ask(10 * MILLI);
        tenure.waitsBehind(1);
        tenure.begin(1, 7, 30 * MILLI);
        tenure.planRemote(false);
        tenure.grantsLocally(31 * MILLI, 31 * MILLI);
        tenure.beginLookNow(32 * MILLI);
        tenure.learnWaiter(new long[] {1}, 0, 33 * MILLI);
        tenure.lookedAtAll();
        assertThat(tenure.mayPassKnown(2, 100 * MILLI, 33 * MILLI)).isTrue();
        tenure.grantsLocally(33 * MILLI, 33 * MILLI);
        assertThat(tenure.mayPassKnown(2, 100 * MILLI, 33 * MILLI)).isFalse();
    }

    @Test
    void aLimitOfZeroIsStrictOrder() {
        holdsAfterTwoTurnsOfTenMillis();
        assertThat(tenure.mayPassKnown(0, 100 * MILLI, 30 * MILLI)).isFalse();
    }

    @Test
    void afterADowngradeNoKnownWaiterIsPassed() {
        holdsAfterTwoTurnsOfTenMillis();
        tenure.forgetRemote();
        tenure.learn(new long[] {1}, 0, 31 * MILLI);
        assertThat(tenure.mayPassKnown(128, 100 * MILLI, 31 * MILLI)).isFalse();
    }

    @Test
    void whereNobodyWasAheadNoKnownWaiterIsPassed() {
        tenure.ask(10 * MILLI);
        tenure.begin(1, 7, 30 * MILLI);
        tenure.learn(new long[] {1}, 0, 30 * MILLI);
        assertThat(tenure.mayPassKnown(128, 100 * MILLI, 30 * MILLI)).isFalse();
    }
}
