// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DataPlaneGateTest {
    @Test
    void isQuietOnlyWhenTheLastOneInsideHasLeft() {
        DataPlaneGate gate = new DataPlaneGate();
        AtomicInteger quiet = new AtomicInteger();
        assertThat(gate.enter()).isTrue();
        assertThat(gate.enter()).isTrue();
        gate.close(quiet::incrementAndGet);
        assertThat(gate.enter()).isFalse();
        gate.exit();
        assertThat(quiet).hasValue(0);
        gate.exit();
        assertThat(quiet).hasValue(1);
        assertThat(gate.enter()).isFalse();
        assertThat(quiet).hasValue(1);
    }

    @Test
    void nobodyIsInsideAfterItWasSaidToBeQuiet() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try {
            for (int round = 0; round < 200; round++) {
                DataPlaneGate gate = new DataPlaneGate();
                AtomicBoolean quiet = new AtomicBoolean();
                AtomicInteger calls = new AtomicInteger();
                AtomicBoolean violated = new AtomicBoolean();
                List<Future<?>> all = new ArrayList<>();
                for (int t = 0; t < 2; t++) {
                    all.add(threads.submit(() -> {
                        while (gate.enter()) {
                            if (quiet.get()) {
                                violated.set(true);
                            }
                            gate.exit();
                        }
                    }));
                }
                all.add(threads.submit(() -> gate.close(() -> {
                    quiet.set(true);
                    calls.incrementAndGet();
                })));
                for (Future<?> each : all) {
                    each.get(10, TimeUnit.SECONDS);
                }
                assertThat(violated).isFalse();
                assertThat(calls).hasValue(1);
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
