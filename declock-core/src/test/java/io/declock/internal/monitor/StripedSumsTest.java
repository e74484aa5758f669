// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StripedSumsTest {
    private static final int SUMS = 70;
    private static final int THREADS = 9;
    private static final int ROUNDS = 20_000;

    @Test
    void everyAdditionOfEveryThreadCountsInItsSumOnly() throws InterruptedException {
        StripedSums sums = new StripedSums(SUMS);
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            Thread thread = new Thread(() -> {
                for (int i = 0; i < ROUNDS; i++) {
                    sums.add(i % SUMS, i % SUMS + 1);
                }
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        for (int i = 0; i < SUMS; i++) {
            long times = ROUNDS / SUMS + (i < ROUNDS % SUMS ? 1 : 0);
            assertThat(sums.sum(i)).as("sum %d", i).isEqualTo(THREADS * times * (i + 1));
        }
    }

    @Test
    void whatOneThreadAddsAnotherTakesAway() throws InterruptedException {
        StripedSums sums = new StripedSums(1);
        sums.add(0, 3);
        Thread other = new Thread(() -> sums.add(0, -3));
        other.start();
        other.join();
        assertThat(sums.sum(0)).isZero();
    }
}
