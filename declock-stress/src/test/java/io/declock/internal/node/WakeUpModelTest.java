// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.declock.LockMode;
import io.declock.internal.local.HeldLock;
import io.declock.stress.LoneNode;
import io.declock.stress.StrictParking;
import io.declock.stress.StrictParking.Sleeper;
import org.jetbrains.lincheck.Lincheck;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * No wake-up is lost, whatever the schedule: the thread that decides about a parked thread wakes it. A thread that is never woken is a
 * deadlock, which Lincheck reports, as long as it does not wake it itself ({@link StrictParking}). Each racing action has a thread of its
 * own: Lincheck was not seen to switch away from the test's own code.
 */
class WakeUpModelTest {
    private static final boolean QUICK = Boolean.getBoolean("declock.quick");
    private static final int INVOCATIONS = 4 * Integer.getInteger("declock.invocations", QUICK ? 100 : 150);

    @BeforeAll
    static void parkStrictly() throws Exception {
        StrictParking.substituteIn(ThreadWaiter.class);
    }

    @Test
    void aThreadThatNobodyWakesIsReported() {
        Throwable report = reportOf(() -> {
            Sleeper sleeper = new Sleeper(() -> StrictParking.park("nothing"));
            sleeper.start();
            join(sleeper);
        });
        assertThat(report).hasMessageContaining("deadlock");
    }

    /** What Lincheck reports. Now and then it fails while it writes down the schedule of a failure it has found; then it looks again. */
    private static Throwable reportOf(Runnable test) {
        Throwable report;
        int attempts = 0;
        do {
            report = catchThrowable(() -> Lincheck.runConcurrentTest(10, test));
        } while (report instanceof IndexOutOfBoundsException && ++attempts < 20);
        return report;
    }

    @Test
    void whoIsGrantedTheLockIsWoken() {
        Lincheck.runConcurrentTest(INVOCATIONS, () -> {
            LoneNode node = new LoneNode();
            ThreadWaiter holder = enter(node, LockMode.WRITE);
            Sleeper waits = passesThrough(node, LockMode.WRITE);
            Thread releases = new Thread(() -> HeldLock.release(holder.hold(), LockMode.WRITE));
            waits.start();
            releases.start();
            join(releases);
            join(waits);
        });
    }

    @Test
    void readersThatAreGrantedTheLockTogetherAreAllWoken() {
        Lincheck.runConcurrentTest(INVOCATIONS, () -> {
            LoneNode node = new LoneNode();
            ThreadWaiter holder = enter(node, LockMode.WRITE);
            Sleeper one = passesThrough(node, LockMode.READ);
            Sleeper other = passesThrough(node, LockMode.READ);
            Thread releases = new Thread(() -> HeldLock.release(holder.hold(), LockMode.WRITE));
            one.start();
            other.start();
            releases.start();
            join(releases);
            join(one);
            join(other);
        });
    }

    private static Sleeper passesThrough(LoneNode node, LockMode mode) {
        return new Sleeper(() -> {
            ThreadWaiter waiter = enter(node, mode);
            waiter.await(Long.MAX_VALUE, false, 0, node.counters());
            HeldLock.release(waiter.hold(), mode);
        });
    }

    private static ThreadWaiter enter(LoneNode node, LockMode mode) {
        ThreadWaiter waiter = new ThreadWaiter(new Object(), mode, false, false);
        node.lock().acquire(waiter);
        return waiter;
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
