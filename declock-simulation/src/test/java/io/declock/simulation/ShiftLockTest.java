// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.LockMode;
import io.declock.Verb;
import io.declock.protocols.LockClient;
import io.declock.protocols.LockMessage;
import io.declock.protocols.LockProtocol;
import io.declock.protocols.LockServer;
import io.declock.protocols.shiftlock.ShiftLock;
import io.declock.spi.VerbChain;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** ShiftLock step by step, where moments matter that hardly any seed of {@link ProtocolsTest} meets. The lock is at address 0, the era in the third word. */
class ShiftLockTest {
    private static final long LEASE = 1_000;
    private static final long PAUSE = 10;
    private static final long ERA = 16;
    private static final long RELEASES = 8;
    private static final long EPOCH = 1L << 63;
    private static final long LEAP = 1L << 63;
    private static final long ONE_READER = 1L << 40;
    private static final int SELF = 4;
    private static final int OTHER = 7;

    private final ShiftLock protocol = new ShiftLock(new ShiftLock.Settings(LEASE, 2, PAUSE));
    private final ScriptedWorld world = new ScriptedWorld(3, ERA);
    private final LockClient client = protocol.client(SELF, world);
    private final List<String> events = new ArrayList<>();

    private void acquire(LockMode mode) {
        client.acquire(0, mode, () -> events.add("granted"));
        world.execute();
    }

    private void release() {
        client.release(0, () -> events.add("released"));
    }

    private void recover() {
        world.memory()[0] = 0;
        world.memory()[1] += LEAP;
    }

    private void successor(long releases) {
        client.received(new LockMessage(OTHER, SELF, 0, ShiftLock.SUCCESSOR, releases));
    }

    @Test
    void aReleaseIsCountedAndChangesTheEpoch() {
        acquire(LockMode.WRITE);
        assertThat(world.memory()).containsExactly(SELF + 1, 0, 0);
        release();
        world.execute();
        assertThat(events).containsExactly("granted", "released");
        assertThat(world.memory()).containsExactly(EPOCH, 1, 0);
        acquire(LockMode.READ);
        assertThat(world.memory()).containsExactly(EPOCH | ONE_READER, 1, 0);
        release();
        world.execute();
        assertThat(world.memory()).containsExactly(EPOCH, 2, 0);
    }

    /** A verb that is under way when the lease ends may arrive after a recovery, so none is posted then. */
    @Test
    void aHoldWhoseLeaseIsOverIsNotReleased() {
        for (LockMode mode : LockMode.values()) {
            world.memory()[0] = 0;
            acquire(mode);
            world.pass(LEASE);
            release();
            assertThat(world.posted()).isEmpty();
        }
        assertThat(events).containsExactly("granted", "released", "granted", "released");
    }

    /** Others may have seen the hold begin as soon as the verb was executed. */
    @Test
    void aLeaseBeginsWhenTheVerbThatGrantsTheLockIsPosted() {
        for (LockMode mode : LockMode.values()) {
            world.memory()[0] = 0;
            client.acquire(0, mode, () -> events.add("granted"));
            world.pass(LEASE / 2);
            world.execute();
            world.pass(LEASE / 2);
            release();
            assertThat(world.posted()).isEmpty();
        }
        assertThat(events).containsExactly("granted", "released", "granted", "released");
    }

    @Test
    void aWriterThatWasHandedTheLockCountsItsReleaseAfterThoseBefore() {
        world.memory()[0] = OTHER + 1;
        world.memory()[1] = 4;
        acquire(LockMode.WRITE);
        world.memory()[1] = 6;
        client.received(new LockMessage(OTHER, SELF, 0, ShiftLock.HANDOVER, 6, List.of(1L)));
        release();
        world.execute();
        assertThat(events).containsExactly("granted", "released");
        assertThat(world.memory()).containsExactly(EPOCH, 7, 0);
    }

    @Test
    void aWriterThatWaitsForReadersBeginsAnewAsSoonAsItSeesTheLeap() {
        world.memory()[0] = ONE_READER;
        acquire(LockMode.WRITE);
        recover();
        world.pass(PAUSE);
        world.execute();
        assertThat(world.posted()).hasSize(1);
        world.execute();
        assertThat(events).containsExactly("granted");
        assertThat(world.memory()).containsExactly(SELF + 1, LEAP, 0);
    }

    /** The other one has begun anew, too, and is somewhere else in the queue, or has not come back. */
    @Test
    void aSuccessorFromBeforeARecoveryIsForgotten() {
        aWriterThatWaitsForReadersBeginsAnewAsSoonAsItSeesTheLeap();
        successor(0);
        release();
        world.execute();
        assertThat(events).containsExactly("granted", "released");
        assertThat(world.memory()).containsExactly(EPOCH, LEAP + 1, 0);
        assertThat(world.sent()).isEmpty();
    }

    @Test
    void aSuccessorFromBeforeARecoveryIsForgottenAlsoIfItIsToldBeforeTheNewPlaceIsKnown() {
        world.memory()[0] = ONE_READER;
        acquire(LockMode.WRITE);
        recover();
        world.pass(PAUSE);
        world.execute();
        successor(0);
        world.execute();
        release();
        assertThat(world.execute().verb(0)).isEqualTo(Verb.MASKED_COMPARE_AND_SWAP);
        assertThat(world.sent()).isEmpty();
    }

    @Test
    void aSuccessorOfTheSameTimeIsPassedTheLockWithTheEpochOnceTheReleaseWasExecuted() {
        world.memory()[0] = EPOCH;
        acquire(LockMode.WRITE);
        successor(0);
        release();
        assertThat(world.sent()).isEmpty();
        world.execute();
        LockMessage handOver = world.sent().get(0);
        assertThat(handOver.kind()).isEqualTo(ShiftLock.HANDOVER);
        assertThat(handOver.to()).isEqualTo(OTHER);
        assertThat(handOver.detail()).isEqualTo(1);
        assertThat(handOver.words().get(0) & EPOCH).isEqualTo(EPOCH);
    }

    /** The era, then {@code RelCnt}: so the leap is seen with whatever came of it. */
    @Test
    void relCntIsReadAfterTheEra() {
        aReaderWaits(0);
        VerbChain look = look();
        assertThat(List.of(look.address(0), look.address(1))).containsExactly(ERA, RELEASES);
    }

    private void aReaderWaits(long epoch) {
        world.memory()[0] = epoch | OTHER + 1;
        acquire(LockMode.READ);
        assertThat(events).isEmpty();
    }

    private VerbChain readerLooks() {
        world.pass(PAUSE);
        return world.execute();
    }

    @Test
    void aWaitingReaderLooksByOneRead() {
        aReaderWaits(0);
        VerbChain chain = readerLooks();
        assertThat(chain.size()).isEqualTo(1);
        assertThat(chain.verb(0)).isEqualTo(Verb.READ);
        assertThat(chain.words(0)).isEqualTo(2);
        assertThat(events).isEmpty();
    }

    @Test
    void aReaderIsLetInByAnotherEpochTogetherWithARelease() {
        aReaderWaits(0);
        world.memory()[0] ^= EPOCH;
        world.memory()[1]++;
        readerLooks();
        assertThat(events).containsExactly("granted");
        assertThat(world.posted()).isEmpty();
    }

    /** Only the last look counts, not how long the reader waits. */
    @Test
    void aReaderThatHasWaitedForLongerThanALeaseIsLetInByOneReadAsWell() {
        aReaderWaits(0);
        look();
        look();
        world.pass(PAUSE);
        assertThat(world.now()).isGreaterThan(LEASE);
        world.memory()[0] ^= EPOCH;
        world.memory()[1]++;
        while (world.posted().size() > 1) {
            world.execute();
        }
        world.execute();
        assertThat(events).containsExactly("granted");
    }

    /** {@code RelCnt} may be from before a recovery that has changed {@code Epoch}: one READ reads its words in any order. */
    @Test
    void aReaderThatFindsAnotherEpochWithoutAReleaseReadsRelCntAgain() {
        aReaderWaits(EPOCH);
        world.memory()[0] ^= EPOCH;
        readerLooks();
        assertThat(events).isEmpty();
        assertThat(world.posted()).hasSize(1);
        world.memory()[1] += LEAP;
        assertThat(world.execute().address(0)).isEqualTo(RELEASES);
        assertThat(events).isEmpty();
        assertThat(world.execute().verb(0)).as("it begins anew").isEqualTo(Verb.MASKED_FETCH_AND_ADD);
    }

    @Test
    void aReaderThatReadRelCntAgainAndSeesNoLeapHasTheLock() {
        aReaderWaits(EPOCH);
        world.memory()[0] ^= EPOCH;
        readerLooks();
        world.execute();
        assertThat(events).containsExactly("granted");
    }

    @Test
    void aReleaseThatAReaderHasSeenBeforeDoesNotCount() {
        aReaderWaits(0);
        world.memory()[1]++;
        readerLooks();
        world.memory()[0] ^= EPOCH;
        readerLooks();
        assertThat(events).isEmpty();
        assertThat(world.posted()).hasSize(1);
    }

    /** A recovery may have followed the release after three leases. */
    @Test
    void aReleaseDoesNotCountIfTheLastLookWasALeaseAgo() {
        aReaderWaits(0);
        readerLooks();
        world.pass(PAUSE);
        world.memory()[0] ^= EPOCH;
        world.memory()[1]++;
        world.pass(LEASE - PAUSE);
        world.execute();
        assertThat(events).isEmpty();
        assertThat(world.posted().stream().map(chain -> chain.address(0))).contains(RELEASES);
    }

    /** Lets half a lease pass, and answers all that is posted meanwhile. Returns the chain that looked for progress. */
    private VerbChain look() {
        VerbChain look = null;
        for (long passed = 0; passed < LEASE / 2; passed += PAUSE) {
            world.pass(PAUSE);
            while (!world.posted().isEmpty()) {
                VerbChain chain = world.execute();
                look = chain.address(0) == ERA ? chain : look;
            }
        }
        assertThat(look).isNotNull();
        return look;
    }

    @Test
    void recoveryIsAskedForAfterThreeLeasesWithoutProgressInOneEra() {
        world.memory()[0] = OTHER + 1;
        acquire(LockMode.READ);
        for (int i = 0; i < 6; i++) {
            look();
        }
        assertThat(world.sent()).isEmpty();
        world.memory()[1]++;
        for (int i = 0; i < 6; i++) {
            look();
        }
        assertThat(world.sent()).as("there was a release").isEmpty();
        world.memory()[2]++;
        for (int i = 0; i < 6; i++) {
            look();
        }
        assertThat(world.sent()).as("there is another era").isEmpty();
        look();
        assertThat(world.sent()).containsExactly(new LockMessage(SELF, LockProtocol.SERVER, 0, ShiftLock.RECOVER, 1));
    }

    @Test
    void aClientThatWasRejectedAsksAgainInTheNextEraAfterALease() {
        recoveryIsAskedForAfterThreeLeasesWithoutProgressInOneEra();
        world.sent().clear();
        world.memory()[2]++;
        world.pass(LEASE - PAUSE);
        assertThat(world.sent()).isEmpty();
        look();
        assertThat(world.sent()).containsExactly(new LockMessage(SELF, LockProtocol.SERVER, 0, ShiftLock.RECOVER, 2));
    }

    @Test
    void oneThatHasAskedWaitsAsLongAgainAfterARelease() {
        recoveryIsAskedForAfterThreeLeasesWithoutProgressInOneEra();
        world.sent().clear();
        world.memory()[1]++;
        world.pass(LEASE - PAUSE);
        look();
        look();
        assertThat(world.sent()).isEmpty();
    }

    @Test
    void theServerBeginsTheNextEraAfterTheRecoveryAndRejectsTheFormerOne() {
        LockServer server = protocol.server(world);
        world.memory()[0] = EPOCH | ONE_READER | OTHER + 1;
        world.memory()[1] = 9;
        server.received(new LockMessage(SELF, LockProtocol.SERVER, 0, ShiftLock.RECOVER, 0));
        server.received(new LockMessage(OTHER, LockProtocol.SERVER, 0, ShiftLock.RECOVER, 0));
        world.execute();
        assertThat(world.posted()).hasSize(1);
        world.memory()[1]++;
        world.execute();
        assertThat(world.memory())
                .as("it has changed meanwhile")
                .containsExactly(EPOCH | ONE_READER | OTHER + 1, 10, 0);
        world.execute();
        world.execute();
        assertThat(world.memory()).containsExactly(0, LEAP + 10, 0);
        assertThat(world.posted()).hasSize(1);
        world.execute();
        assertThat(world.memory()).containsExactly(0, LEAP + 10, 1);
        assertThat(world.posted()).as("the other request is of a former era").isEmpty();
    }

    /** The second lock belongs to the second era of two. */
    @Test
    void aLockIsRecoveredInItsOwnEra() {
        ScriptedWorld two = new ScriptedWorld(6, 2 * ERA);
        LockServer server = new ShiftLock(new ShiftLock.Settings(LEASE, 16, PAUSE, 2)).server(two);
        two.memory()[2] = ONE_READER;
        server.received(new LockMessage(SELF, LockProtocol.SERVER, 0, ShiftLock.RECOVER, 0));
        server.received(new LockMessage(SELF, LockProtocol.SERVER, 16, ShiftLock.RECOVER, 0));
        assertThat(two.posted()).as("they do not wait for each other").hasSize(2);
        while (!two.posted().isEmpty()) {
            two.execute();
        }
        assertThat(two.memory()).containsExactly(0, LEAP, 0, LEAP, 1, 1);
    }

    @Test
    void aClientLooksAtTheEraOfItsLock() {
        ScriptedWorld two = new ScriptedWorld(6, 2 * ERA);
        two.memory()[2] = OTHER + 1;
        new ShiftLock(new ShiftLock.Settings(LEASE, 16, 4 * LEASE, 2))
                .client(SELF, two)
                .acquire(16, LockMode.READ, () -> {});
        two.execute();
        two.pass(LEASE / 2);
        assertThat(two.posted().element().address(0)).isEqualTo(2 * ERA + 8);
    }

    @Test
    void aLockThatIsLeftBehindIsNotReleasedAndItsMessagesAreIgnored() {
        client.acquire(0, LockMode.WRITE, () -> {});
        world.execute();
        assertThat(client.heldUntil(0)).isEqualTo(LEASE);
        client.abandon(0);
        assertThatThrownBy(() -> client.heldUntil(0)).hasMessage("not held");
        client.received(new LockMessage(OTHER, SELF, 0, ShiftLock.SUCCESSOR, 0, List.of(0L)));
        assertThat(world.posted()).isEmpty();
        assertThat(world.sent()).isEmpty();
        assertThat(world.memory()[0]).isNotZero();
    }
}
