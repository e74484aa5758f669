// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.ComputeNodeSettings;
import io.declock.Counters;
import java.time.Duration;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which callers spin and which park at once: a caller that spins is RUNNABLE, one that parks is WAITING. */
@Timeout(60)
class ThreadWaiterTest {
    private LockRig rig;
    private ComputeNode node;

    @BeforeEach
    void start() throws Exception {
        rig = LockRig.inProcess();
        node = rig.join(builder -> builder.settings(
                ComputeNodeSettings.builder().spin(Duration.ofSeconds(30)).build()));
    }

    @AfterEach
    void stop() {
        rig.close();
    }

    @Test
    void onlyTheFirstInLineBehindAHolderSpins() throws Exception {
        Lock lock = node.lock("x").writeLock();
        lock.lock();
        Thread first = waiter(lock, 1);
        Thread second = waiter(lock, 2);
        awaitState(second, Thread.State.WAITING);
        assertThat(first.getState()).isEqualTo(Thread.State.RUNNABLE);
        long parkedBefore = rig.counters(node).get(Counters.Event.PARK);
        lock.unlock();
        first.join();
        second.join();
        assertThat(rig.counters(node).get(Counters.Event.PARK))
                .as("the first never parked")
                .isEqualTo(parkedBefore);
    }

    private Thread waiter(Lock lock, int position) {
        Thread thread = new Thread(() -> {
            lock.lock();
            lock.unlock();
        });
        thread.start();
        while (node.monitor().waitingNow() < position) {
            Thread.onSpinWait();
        }
        return thread;
    }

    private static void awaitState(Thread thread, Thread.State state) {
        while (thread.getState() != state) {
            Thread.onSpinWait();
        }
    }
}
