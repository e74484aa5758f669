// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.LockMode;
import io.declock.Purpose;
import io.declock.Verb;
import io.declock.protocols.LockClient;
import io.declock.protocols.dslr.Dslr;
import io.declock.spi.VerbChain;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** DSLR step by step: what its leases begin with and when they are over, which no seed of {@link ProtocolsTest} depends on. */
class DslrTest {
    private static final long LEASE = 1_000;
    private static final long PAUSE = 10;
    private static final long SHARED_DRAWN = 1;
    private static final long EXCLUSIVE_DRAWN = 1L << 16;
    private static final long SHARED_SERVED = 1L << 32;
    private static final long EXCLUSIVE_SERVED = 1L << 48;

    private final ScriptedWorld world = new ScriptedWorld(1, 0);
    private final LockClient client =
            Dslr.polling(new Dslr.Settings(LEASE, Dslr.TICKETS), PAUSE).client(0, world);
    private final List<String> events = new ArrayList<>();

    private void acquire(LockMode mode) {
        client.acquire(0, mode, () -> events.add("granted"));
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
    void thoseThatComeDoNotMakeATurnLonger() {
        world.memory()[0] = EXCLUSIVE_DRAWN;
        acquire(LockMode.READ);
        world.execute();
        pass(LEASE);
        world.memory()[0] += EXCLUSIVE_DRAWN + SHARED_DRAWN;
        pass(LEASE + 2 * PAUSE);
        assertThat(events).containsExactly("granted");
    }
}
