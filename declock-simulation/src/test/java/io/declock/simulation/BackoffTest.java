// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.LockMode;
import io.declock.protocols.Backoff;
import io.declock.protocols.LockClient;
import io.declock.protocols.LockProtocol;
import io.declock.protocols.LockWorld;
import io.declock.protocols.cas.CasLock;
import org.junit.jupiter.api.Test;

/** The back-off whose limit follows the share of tries in vain. */
class BackoffTest {
    private static final long SHORTEST = 100;
    private static final int DOUBLINGS = 3;
    private static final int SUCCESSES = 64;
    private static final long MILLI = 1_000_000;

    private final ScriptedWorld world = new ScriptedWorld(1, 0);
    private final Backoff backoff = Backoff.adaptive(SHORTEST, DOUBLINGS);
    private final Backoff client = backoff.ofClient();

    /** Returns the longest pause; that is a try in vain. */
    private long limit(Backoff of) {
        return of.nanos(20, world);
    }

    private void batch(int inVain) {
        triesInVain(inVain);
        successes(SUCCESSES);
    }

    private void triesInVain(int count) {
        for (int i = 0; i < count; i++) {
            client.nanos(1, world);
        }
    }

    private void successes(int count) {
        for (int i = 0; i < count; i++) {
            client.succeeded(world);
        }
    }

    private void milliWith(int inVain) {
        world.pass(MILLI);
        batch(inVain);
    }

    @Test
    void pausesDoubleUpToTheLimit() {
        for (int i = 0; i < DOUBLINGS; i++) {
            milliWith(2 * SUCCESSES);
        }
        assertThat(client.nanos(1, world)).isEqualTo(100);
        assertThat(client.nanos(2, world)).isEqualTo(200);
        assertThat(client.nanos(3, world)).isEqualTo(400);
        assertThat(client.nanos(9, world)).isEqualTo(800);
    }

    @Test
    void theLimitDoublesWhileMoreThanHalfOfTheTriesAreInVain() {
        assertThat(limit(client)).isEqualTo(100);
        milliWith(SUCCESSES);
        assertThat(limit(client)).isEqualTo(200);
        for (int i = 0; i < 5; i++) {
            milliWith(2 * SUCCESSES);
        }
        assertThat(limit(client)).as("no more than so often").isEqualTo(800);
        milliWith(0);
        assertThat(limit(client)).isEqualTo(400);
    }

    @Test
    void theLimitIsHalvedWhileLessThanATenthOfTheTriesIsInVain() {
        milliWith(2 * SUCCESSES);
        milliWith(2 * SUCCESSES);
        assertThat(limit(client)).isEqualTo(400);
        milliWith(SUCCESSES / 2);
        assertThat(limit(client)).as("between both it stays").isEqualTo(400);
        for (int limit : new int[] {200, 100, 100}) {
            milliWith(0);
            assertThat(limit(client)).isEqualTo(limit);
        }
    }

    @Test
    void theLimitStaysForAMillisecond() {
        milliWith(2 * SUCCESSES);
        world.pass(MILLI - 1);
        batch(2 * SUCCESSES);
        assertThat(limit(client)).isEqualTo(200);
        world.pass(1);
        batch(0);
        assertThat(limit(client)).as("all tries since then count").isEqualTo(400);
    }

    @Test
    void theLimitStaysForSoManySuccesses() {
        world.pass(MILLI);
        triesInVain(2 * SUCCESSES);
        successes(SUCCESSES - 1);
        assertThat(limit(client)).isEqualTo(100);
        successes(1);
        assertThat(limit(client)).isEqualTo(200);
    }

    @Test
    void clientsAdaptEachForItself() {
        milliWith(2 * SUCCESSES);
        assertThat(limit(backoff.ofClient())).isEqualTo(100);
    }

    private static final class Counting implements Backoff {
        private int clients;
        private int retries;
        private int successes;

        @Override
        public Backoff ofClient() {
            clients++;
            return this;
        }

        @Override
        public long nanos(int tries, LockWorld world) {
            retries++;
            return 1;
        }

        @Override
        public void succeeded(LockWorld world) {
            successes++;
        }
    }

    @Test
    void aLockTellsEachClientsBackoffHowItFares() {
        Counting counting = new Counting();
        LockProtocol lock = CasLock.exclusive(counting);
        LockClient first = lock.client(0, world);
        LockClient second = lock.client(1, world);
        assertThat(counting.clients).isEqualTo(2);
        first.acquire(0, LockMode.WRITE, () -> {});
        second.acquire(0, LockMode.WRITE, () -> {});
        world.execute();
        world.execute();
        assertThat(counting.successes).isEqualTo(1);
        assertThat(counting.retries).isEqualTo(1);
    }
}
