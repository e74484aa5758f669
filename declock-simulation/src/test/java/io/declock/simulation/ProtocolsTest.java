// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.LockMode;
import io.declock.protocols.Backoff;
import io.declock.protocols.LockProtocol;
import io.declock.protocols.alock.ALock;
import io.declock.protocols.cas.CasLock;
import io.declock.protocols.dslr.Dslr;
import io.declock.protocols.mcs.McsLock;
import io.declock.protocols.shiftlock.ShiftLock;
import io.declock.protocols.soul.Region;
import io.declock.protocols.soul.Soul;
import io.declock.simulation.ProtocolSimulation.Result;
import io.declock.simulation.ProtocolSimulation.Setting;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Other locks of the literature: each excludes, lets everybody in, and keeps its own order, whatever overtakes whatever on the way. */
class ProtocolsTest {
    private static final int SEEDS = 300;
    private static final Backoff BACKOFF = Backoff.truncatedExponential(100, 3_200, 2_000);

    /** A lease is much longer than a message travels, which is at most twenty times as long as it is on average. */
    private static final Dslr.Settings SETTINGS = new Dslr.Settings(1_000_000, Dslr.TICKETS);

    /** So few that they run out again and again. */
    private static final Dslr SOON_SOLD_OUT = Dslr.plus(new Dslr.Settings(1_000_000, 11), BACKOFF);

    /** Leases of up to five slots, and counters that run out again and again. */
    private static final Dslr MULTI_SLOT = Dslr.polling(new Dslr.Settings(1_000_000, 40, 5, null), 5_000);

    /** Clients that find no ticket draw again after a back-off, as printed. */
    private static final Dslr DRAWS_AGAIN =
            Dslr.polling(new Dslr.Settings(1_000_000, 11, 1, Backoff.binaryExponential(10_000, 100_000)), 5_000);

    private static final List<LockProtocol> SELDOM_WITHOUT_RESET = List.of(SOON_SOLD_OUT, MULTI_SLOT, DRAWS_AGAIN);

    private static final ShiftLock SHIFT_LOCK =
            new ShiftLock(new ShiftLock.Settings(1_000_000, ShiftLock.WRITERS_IN_A_ROW, 1_000));

    /** Writers let readers in after two of them. */
    private static final ShiftLock SHIFTS_SOON = new ShiftLock(new ShiftLock.Settings(1_000_000, 2, 500));

    /** Writers let readers in each time. */
    private static final ShiftLock SHIFTS_ALWAYS = new ShiftLock(new ShiftLock.Settings(1_000_000, 1, 3_000));

    /** Locks are in several eras. */
    private static final ShiftLock SHIFTS_IN_ERAS = new ShiftLock(new ShiftLock.Settings(1_000_000, 3, 1_000, 3));

    private static final ALock ALOCK = new ALock(new ALock.Settings(3, 200, 1_000));

    static Stream<LockProtocol> protocols() {
        return Stream.of(
                CasLock.spinning(),
                CasLock.with(BACKOFF),
                CasLock.exclusive(Backoff.adaptive(500, 5)),
                new McsLock(),
                McsLock.exchanging(),
                McsLock.counting(),
                ALOCK,
                Dslr.polling(SETTINGS, 5_000),
                Dslr.plus(SETTINGS, BACKOFF),
                SOON_SOLD_OUT,
                MULTI_SLOT,
                DRAWS_AGAIN,
                SHIFT_LOCK,
                SHIFTS_SOON,
                SHIFTS_ALWAYS,
                SHIFTS_IN_ERAS,
                new Soul(List.of(new Region(0, 2), new Region(4, 3))));
    }

    static Stream<LockProtocol> protocolsThatOutliveClients() {
        return protocols().filter(LockProtocol::outlivesClients);
    }

    static Stream<LockProtocol> protocolsWithReaders() {
        return protocols().filter(protocol -> protocol.has(LockMode.READ) && !SELDOM_WITHOUT_RESET.contains(protocol));
    }

    private static Setting setting(LockProtocol protocol, int clients, double readShare, int inside) {
        return new Setting(protocol, clients, 2, 12, readShare, inside, 1_000, 3_000, 0);
    }

    @ParameterizedTest
    @MethodSource("protocols")
    void everySeedHoldsEveryProperty(LockProtocol protocol) {
        for (long seed = 0; seed < SEEDS; seed++) {
            int clients = 2 + (int) (seed % 7);
            Result result =
                    ProtocolSimulation.run(seed, setting(protocol, clients, (seed % 4) / 4.0, (int) (seed % 3)));
            assertThat(result.acquisitions()).isEqualTo(clients * 12L);
        }
    }

    /** What is reset for the dead costs leases, so the living cause none of it. */
    @ParameterizedTest
    @MethodSource("protocolsThatOutliveClients")
    void nobodyWaitsForALeaseWhileAllClientsLive(LockProtocol protocol) {
        long longest = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            Result result = ProtocolSimulation.run(seed, setting(protocol, 6, 0.5, 0));
            longest = Math.max(longest, result.nanos());
            if (!SELDOM_WITHOUT_RESET.contains(protocol)) {
                assertThat(result.resetVerbs()).as("seed %d", seed).isZero();
            }
        }
        assertThat(longest).isLessThan(SETTINGS.leaseNanos());
    }

    /** Clients ask for leases of several lengths and use nearly all of them, or overrun them, or leave their locks behind; some die as well. */
    @ParameterizedTest
    @MethodSource("protocolsThatOutliveClients")
    void everySeedExcludesWhileLeasesLast(LockProtocol protocol) {
        int leases = protocol == MULTI_SLOT ? 5 : 1;
        for (long seed = 0; seed < SEEDS; seed++) {
            int clients = 3 + (int) (seed % 6);
            Setting setting =
                    new Setting(protocol, clients, 2, 6, (seed % 4) / 4.0, 1, 1_000, 3_000, (int) (seed % 3) / 2);
            Setting.Lapses lapses = new Setting.Lapses(seed % 2 * 0.1, seed % 5 * 0.05, leases, 1_000_000);
            ProtocolSimulation.run(seed, setting.withLapses(lapses));
        }
    }

    @ParameterizedTest
    @MethodSource("protocolsThatOutliveClients")
    void everySeedHoldsEveryPropertyWhenClientsDie(LockProtocol protocol) {
        for (long seed = 0; seed < SEEDS; seed++) {
            int clients = 3 + (int) (seed % 6);
            ProtocolSimulation.run(
                    seed,
                    new Setting(protocol, clients, 2, 12, (seed % 4) / 4.0, 1, 1_000, 3_000, 1 + (int) (seed % 2)));
        }
    }

    /** A hold lasts for nearly a lease: that is no reason to take the lock from its holder. */
    @ParameterizedTest
    @MethodSource("protocolsThatOutliveClients")
    void aHolderWithinItsLeaseIsLeftAlone(LockProtocol protocol) {
        for (long seed = 0; seed < SEEDS; seed++) {
            Result result = ProtocolSimulation.run(seed, setting(protocol, 5, (seed % 4) / 4.0, 400));
            if (!SELDOM_WITHOUT_RESET.contains(protocol)) {
                assertThat(result.resetVerbs()).as("seed %d", seed).isZero();
            }
        }
    }

    /** Many clients come while a lock is being recovered, because a lease is not much longer here than verbs and messages travel at most. */
    @Test
    void everySeedHoldsEveryPropertyWhenClientsComeDuringARecovery() {
        for (long seed = 0; seed < 5 * SEEDS; seed++) {
            ShiftLock protocol = new ShiftLock(new ShiftLock.Settings(200_000, 1 + (int) (seed % 3), 1_000));
            int inside = (int) (seed % 5) * 20;
            ProtocolSimulation.run(seed, new Setting(protocol, 9, 2, 20, (seed % 4) / 4.0, inside, 1_000, 1_000, 4));
        }
    }

    @ParameterizedTest
    @MethodSource("protocols")
    void aSeedReplaysExactly(LockProtocol protocol) {
        Setting setting = setting(protocol, 6, 0.5, 1);
        assertThat(ProtocolSimulation.run(7, setting)).isEqualTo(ProtocolSimulation.run(7, setting));
    }

    /** With long holds a run takes as long as the holds that follow each other. Those of readers do not. */
    @ParameterizedTest
    @MethodSource("protocolsWithReaders")
    void readersHoldTheLockTogether(LockProtocol protocol) {
        long writers = ProtocolSimulation.run(1, setting(protocol, 8, 0, 50)).nanos();
        long readers = ProtocolSimulation.run(1, setting(protocol, 8, 1, 50)).nanos();
        assertThat(readers).isLessThan(writers / 2);
    }

    /** ALock's remote client alone needs two more: a WRITE and a READ for Peterson's lock. Soul keeps what it has acquired once ({@link SoulTest}). */
    @Test
    void anUncontendedAcquisitionIsOneVerb() {
        protocols().filter(protocol -> !(protocol instanceof Soul)).forEach(protocol -> {
            Result alone = ProtocolSimulation.run(1, setting(protocol, 1, 0, 1));
            assertThat(alone.acquireVerbsEach()).as(protocol.name()).isEqualTo(protocol == ALOCK ? 3 : 1);
            assertThat(alone.messages()).isZero();
        });
    }

    /** MCS hands the lock over with a message, and touches the memory node only if it knows no successor. */
    @Test
    void aKnownSuccessorIsHandedTheLockWithoutAVerb() {
        Result contended = ProtocolSimulation.run(1, new Setting(new McsLock(), 8, 1, 20, 0, 4, 1_000, 0, 0));
        assertThat(contended.releaseVerbs()).isLessThan(contended.acquisitions() / 4);
        assertThat(contended.messages()).isGreaterThan(contended.acquisitions());
    }

    /** Each release that does not empty the queue is counted by one verb, after which the message is sent. */
    @Test
    void aKnownSuccessorOfALockThatCountsIsHandedItAfterAVerb() {
        Setting setting = new Setting(McsLock.counting(), 8, 1, 20, 0, 4, 1_000, 0, 0);
        Result counting = ProtocolSimulation.run(1, setting);
        Result plain = ProtocolSimulation.run(1, new Setting(McsLock.exchanging(), 8, 1, 20, 0, 4, 1_000, 0, 0));
        assertThat(counting.releaseVerbs()).isGreaterThanOrEqualTo(counting.acquisitions());
        assertThat(counting.nanos() - plain.nanos())
                .as("a round trip for each hand-over")
                .isGreaterThan(counting.acquisitions() * 3 / 2 * 1_000L);
    }

    /** With ShiftLock one verb changes {@code RelCnt}, and a message passes the lock on: nobody reads. */
    @Test
    void aKnownSuccessorIsHandedAShiftLockWithOneVerb() {
        ShiftLock never = new ShiftLock(new ShiftLock.Settings(1_000_000, 1_000, 1_000));
        Result contended = ProtocolSimulation.run(1, new Setting(never, 8, 1, 20, 0, 4, 1_000, 0, 0));
        assertThat(contended.acquireVerbsEach()).isEqualTo(1);
        assertThat(contended.releaseVerbs()).isLessThan(contended.acquisitions() * 5 / 4);
        assertThat(contended.messages()).isGreaterThan(contended.acquisitions());
    }

    /** What the paper measured as retries (DecLock, section 2.2): a spinlock's verbs per acquisition grow with its clients. */
    @Test
    void aSpinlockRetriesMoreTheMoreClientsItHasAndLessWithABackoff() {
        double few = verbsEach(CasLock.spinning(), 8);
        double many = verbsEach(CasLock.spinning(), 64);
        double paused = verbsEach(CasLock.with(BACKOFF), 64);
        System.out.printf("CASLock: %.1f and %.1f verbs to acquire, with back-off %.1f%n", few, many, paused);
        assertThat(many).isGreaterThan(4 * few);
        assertThat(paused).isLessThan(many);
    }

    /** As DecLock's paper says of all its locks (section 6.2). */
    @Test
    void readersOfASpinlockAloneDoNotRetry() {
        assertThat(verbsEach(CasLock.spinning(), 64, 1)).isEqualTo(1);
    }

    private static double verbsEach(LockProtocol protocol, int clients) {
        return verbsEach(protocol, clients, 0.5);
    }

    private static double verbsEach(LockProtocol protocol, int clients, double readShare) {
        return ProtocolSimulation.onPapersAdapter(1, new Setting(protocol, clients, 1, 20, readShare, 1, 1_050, 20, 0))
                .acquireVerbsEach();
    }
}
