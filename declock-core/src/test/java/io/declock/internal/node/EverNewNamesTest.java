// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.LockHandle;
import io.declock.LockRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Names that are used once, in a stream: their records come back in time, although some name is being looked up at every moment. */
@Tag("slow")
@Timeout(120)
class EverNewNamesTest {
    private static final int RECORDS = 4_000;
    private static final int THREADS = 4;
    private static final int NAMES_PER_THREAD = 1_500;

    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @Test
    void recordsOfNamesThatAreUsedOnceComeBackInTime() throws Exception {
        try (LockRig rig = LockRig.inProcess(settings ->
                settings.records(RECORDS).recordsPerSession(RECORDS).reclaimInterval(Duration.ofMinutes(1)))) {
            ComputeNode node = rig.join();
            LockHandle kept = node.acquire(LockRequest.write("kept"));
            List<Future<?>> done = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                String prefix = "t" + i + "-";
                done.add(threads.submit(() -> useNames(node, prefix)));
            }
            for (Future<?> one : done) {
                one.get();
            }
            assertThat(rig.memoryNode().status().reclaimed()).isGreaterThan(THREADS * NAMES_PER_THREAD - RECORDS);
            assertThat(rig.memoryNode().status().refusedNames()).isZero();
            assertThat(kept.isValid()).isTrue();
            kept.close();
        }
    }

    private static Void useNames(ComputeNode node, String prefix) throws InterruptedException {
        for (int i = 0; i < NAMES_PER_THREAD; i++) {
            node.acquire(LockRequest.write(prefix + i)).close();
            // 500 names a second, and all records within eight.
            LockSupport.parkNanos(8_000_000);
        }
        return null;
    }
}
