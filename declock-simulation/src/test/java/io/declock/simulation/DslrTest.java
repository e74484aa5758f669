// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.LockMode;
import io.declock.Purpose;
import io.declock.Verb;
import io.declock.protocols.Backoff;
import io.declock.protocols.LockClient;
import io.declock.protocols.dslr.Dslr;
import io.declock.spi.VerbChain;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** DSLR step by step: what its leases begin with and when they are over, which no seed of {@link ProtocolsTest} depends on. */
class DslrTest {
    private static final long LEASE = 1_000;
    private static final long PAUSE = 10;
    private static final long SHARED_DRAWN = 1;
    private static final long EXCLUSIVE_DRAWN = 1L << 16;
    private static final long SHARED_SERVED = 1L << 32;
    private static final long EXCLUSIVE_SERVED = 1L << 48;

    private final ScriptedWorld world = new ScriptedWorld(1, 0);
    private LockClient client = client(new Dslr.Settings(LEASE, Dslr.TICKETS));
    private final List<String> events = new ArrayList<>();

    private LockClient client(Dslr.Settings settings) {
        return Dslr.polling(settings, PAUSE).client(0, world);
    }

    private void acquire(LockMode mode) {
        acquire(mode, 1);
    }

    private void acquire(LockMode mode, int leases) {
        client.acquire(0, mode, leases, () -> events.add("granted"));
    }

    private void release() {
        client.release(0, () -> events.add("released"));
    }

    /** Lets time pass, and answers each verb at once. */
    private List<VerbChain> pass(long nanos) {
        List<VerbChain> executed = new ArrayList<>();
        for (long passed = 0; passed < nanos; passed += PAUSE) {
            world.pass(PAUSE);
            while (!world.posted().isEmpty()) {
                executed.add(world.execute());
            }
        }
        return executed;
    }

    /** The release would move on the turn of somebody else, who has taken this one away. */
    @ParameterizedTest
    @EnumSource(LockMode.class)
    void aHoldWhoseLeaseIsOverIsNotReleased(LockMode mode) {
        acquire(mode);
        world.execute();
        world.pass(LEASE);
        release();
        assertThat(world.posted()).isEmpty();
        assertThat(events).containsExactly("granted", "released");
    }

    @ParameterizedTest
    @EnumSource(LockMode.class)
    void aHoldIsReleasedWithinItsLease(LockMode mode) {
        acquire(mode);
        world.execute();
        world.pass(LEASE - 1);
        release();
        assertThat(world.posted()).hasSize(1);
        world.execute();
        assertThat(world.memory()[0] >>> 32).isEqualTo(world.memory()[0] & 0xFFFF_FFFFL);
    }

    /** Others may have seen the turn begin as soon as the verb was executed. */
    @Test
    void aLeaseBeginsWhenTheVerbThatFindsTheTurnIsPosted() {
        acquire(LockMode.WRITE);
        world.pass(LEASE / 2);
        world.execute();
        world.pass(LEASE / 2);
        release();
        assertThat(events).containsExactly("granted", "released");
        assertThat(world.posted()).isEmpty();
    }

    @Test
    void aTurnIsTakenAwayAfterTwoLeasesWithoutAChangeAndNotEarlier() {
        world.memory()[0] = EXCLUSIVE_DRAWN;
        acquire(LockMode.READ);
        world.execute();
        assertThat(pass(2 * LEASE)).allMatch(chain -> chain.verb(0) == Verb.READ);
        assertThat(events).isEmpty();
        assertThat(pass(PAUSE * 2)).anySatisfy(chain -> {
            assertThat(chain.verb(0)).isEqualTo(Verb.COMPARE_AND_SWAP);
            assertThat(chain.purpose()).isEqualTo(Purpose.RESET);
        });
        assertThat(events).containsExactly("granted");
        assertThat(client.turnsLost(0)).as("it has taken it away").isEqualTo(1);
    }

    /** Two are before it: one is served after nearly two leases, and then the other one has its time. */
    @ParameterizedTest
    @EnumSource(LockMode.class)
    void eachTurnHasItsTime(LockMode mode) {
        boolean writes = mode == LockMode.WRITE;
        world.memory()[0] = writes ? 2 * EXCLUSIVE_DRAWN : 2 * SHARED_DRAWN;
        acquire(LockMode.WRITE);
        world.execute();
        pass(2 * LEASE - 2 * PAUSE);
        world.memory()[0] += writes ? EXCLUSIVE_SERVED : SHARED_SERVED;
        assertThat(pass(2 * LEASE)).allMatch(chain -> chain.verb(0) == Verb.READ);
    }

    @Test
    void leasesOfOneLengthDoNotMakeWaitersMorePatient() {
        world.memory()[0] = 3 * EXCLUSIVE_DRAWN;
        acquire(LockMode.READ);
        world.execute();
        pass(2 * LEASE + 5 * PAUSE);
        assertThat(events).containsExactly("granted");
    }

    @Test
    void thoseThatComeDoNotMakeATurnLonger() {
        world.memory()[0] = EXCLUSIVE_DRAWN;
        acquire(LockMode.READ);
        world.execute();
        pass(LEASE);
        world.memory()[0] += EXCLUSIVE_DRAWN + SHARED_DRAWN;
        pass(LEASE + 2 * PAUSE);
        assertThat(events).containsExactly("granted");
    }

    // ---------------------------------------------------------------- leases of several slots

    private static final int SLOTS = 5;

    private static Dslr.Settings multiSlot(int tickets) {
        return new Dslr.Settings(LEASE, tickets, SLOTS, null);
    }

    @ParameterizedTest
    @EnumSource(LockMode.class)
    void aLeaseOfSeveralSlotsTakesAsManyTicketsAndLastsAsLong(LockMode mode) {
        client = client(multiSlot(Dslr.TICKETS));
        acquire(mode, 3);
        world.execute();
        assertThat(world.memory()[0]).isEqualTo(3 * (mode == LockMode.WRITE ? EXCLUSIVE_DRAWN : SHARED_DRAWN));
        assertThat(client.heldUntil(0)).isEqualTo(3 * LEASE);
        world.pass(3 * LEASE - 1);
        release();
        world.execute();
        assertThat(world.memory()[0] >>> 32).isEqualTo(world.memory()[0] & 0xFFFF_FFFFL);
    }

    @Test
    void noMoreSlotsAreGrantedThanTheMost() {
        client = client(multiSlot(Dslr.TICKETS));
        acquire(LockMode.WRITE, 100);
        world.execute();
        assertThat(world.memory()[0]).isEqualTo(SLOTS * EXCLUSIVE_DRAWN);
        assertThat(client.heldUntil(0)).isEqualTo(SLOTS * LEASE);
    }

    @Test
    void leasesOfOneLengthTakeOneTicketWhateverIsAskedFor() {
        acquire(LockMode.WRITE, 3);
        world.execute();
        assertThat(world.memory()[0]).isEqualTo(EXCLUSIVE_DRAWN);
        assertThat(client.heldUntil(0)).isEqualTo(LEASE);
    }

    /** Four slots are before it. */
    @ParameterizedTest
    @EnumSource(LockMode.class)
    void aWaiterIsAsPatientAsThoseBeforeItMayHoldTheLock(LockMode before) {
        client = client(multiSlot(Dslr.TICKETS));
        world.memory()[0] = 4 * (before == LockMode.WRITE ? EXCLUSIVE_DRAWN : SHARED_DRAWN);
        acquire(LockMode.WRITE, 2);
        world.execute();
        assertThat(pass(8 * LEASE)).allMatch(chain -> chain.verb(0) == Verb.READ);
        assertThat(pass(4 * PAUSE * 4))
                .anySatisfy(chain -> assertThat(chain.purpose()).isEqualTo(Purpose.RESET));
        assertThat(client.turnsLost(0)).isEqualTo(1);
        assertThat(events).containsExactly("granted");
        release();
        world.execute();
        assertThat(world.memory()[0] >>> 32).isEqualTo(world.memory()[0] & 0xFFFF_FFFFL);
    }

    /** The client looks so rarely that others may take its turn away before a lease is over that begins now. */
    @Test
    void aLeaseEndsBeforeOthersMayTakeTheTurnAway() {
        client = Dslr.polling(new Dslr.Settings(LEASE, Dslr.TICKETS), LEASE * 3 / 2)
                .client(0, world);
        world.memory()[0] = EXCLUSIVE_DRAWN;
        acquire(LockMode.WRITE);
        world.execute();
        world.memory()[0] += EXCLUSIVE_SERVED;
        world.pass(LEASE * 3 / 2);
        world.execute();
        assertThat(events).containsExactly("granted");
        assertThat(client.heldUntil(0)).isEqualTo(2 * LEASE);
    }

    /** The last of five tickets is drawn with one before or beyond it; the word is set to zero when all are served. */
    @ParameterizedTest
    @ValueSource(ints = {3, 4})
    void slotsBeyondTheLastTicketAreServedBeforeTheCountersBeginAnew(int before) {
        client = client(multiSlot(5));
        world.memory()[0] = before * (EXCLUSIVE_DRAWN + EXCLUSIVE_SERVED);
        acquire(LockMode.WRITE, 2);
        world.execute();
        release();
        world.execute();
        assertThat(world.memory()[0]).isEqualTo((before + 2) * (EXCLUSIVE_DRAWN + EXCLUSIVE_SERVED));
        world.execute();
        assertThat(world.memory()[0]).isZero();
        assertThat(events).containsExactly("granted", "released");
    }

    // ---------------------------------------------------------------- locks that are left behind

    @Test
    void aLockThatIsLeftBehindIsNotReleasedAndMayBeAcquiredAgain() {
        acquire(LockMode.WRITE);
        world.execute();
        client.abandon(0);
        assertThat(world.posted()).isEmpty();
        assertThatThrownBy(() -> client.heldUntil(0)).hasMessage("not held");
        acquire(LockMode.WRITE);
        world.execute();
        pass(2 * LEASE);
        assertThat(events).containsExactly("granted");
        pass(10 * PAUSE);
        assertThat(events).containsExactly("granted", "granted");
        assertThat(client.turnsLost(0)).isEqualTo(1);
    }

    // ---------------------------------------------------------------- drawing again

    private static final Backoff PAUSES = (retries, any) -> 100L * retries;

    @Test
    void aClientThatFindsNoTicketDrawsAgainAfterAPause() {
        client = client(new Dslr.Settings(LEASE, 5, 1, PAUSES));
        world.memory()[0] = 5 * EXCLUSIVE_DRAWN + 4 * EXCLUSIVE_SERVED;
        acquire(LockMode.WRITE);
        world.execute();
        assertThat(world.memory()[0] >>> 16 & 0xFFFF).isEqualTo(6);
        world.execute();
        assertThat(world.memory()[0] >>> 16 & 0xFFFF).isEqualTo(5);
        world.pass(99);
        assertThat(world.posted()).isEmpty();
        world.pass(1);
        assertThat(world.posted()).hasSize(1);
        world.execute();
        world.execute();
        world.memory()[0] = 0;
        world.pass(199);
        assertThat(world.posted()).isEmpty();
        world.pass(1);
        world.execute();
        assertThat(events).containsExactly("granted");
    }

    /** The client that was to set the word to zero has died. */
    @Test
    void aClientThatHasDrawnInVainForLongWaitsUntilTheCountersBeginAnew() {
        client = client(new Dslr.Settings(LEASE, 5, 1, PAUSES));
        world.memory()[0] = 5 * (EXCLUSIVE_DRAWN + EXCLUSIVE_SERVED);
        acquire(LockMode.WRITE);
        List<VerbChain> executed = pass(10 * LEASE);
        assertThat(events).containsExactly("granted");
        assertThat(executed.get(0).verb(0)).isEqualTo(Verb.FETCH_AND_ADD);
        assertThat(executed).anySatisfy(chain -> assertThat(chain.purpose()).isEqualTo(Purpose.RESET));
        assertThat(world.memory()[0]).isEqualTo(EXCLUSIVE_DRAWN);
    }

    @Test
    void aClientWhoseTurnWasTakenAwayDrawsAgainAfterAPause() {
        client = client(new Dslr.Settings(LEASE, Dslr.TICKETS, 1, PAUSES));
        world.memory()[0] = EXCLUSIVE_DRAWN;
        acquire(LockMode.WRITE);
        world.execute();
        world.memory()[0] = 2 * (EXCLUSIVE_DRAWN + EXCLUSIVE_SERVED);
        world.pass(PAUSE);
        world.execute();
        world.pass(99);
        assertThat(world.posted()).isEmpty();
        world.pass(1);
        world.execute();
        assertThat(events).containsExactly("granted");
        assertThat(client.turnsLost(0)).isEqualTo(1);
    }
}
