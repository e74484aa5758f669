// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.LockMode;
import io.declock.benchmarks.peer.LockUnderTest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Paces, and which waits are counted. */
@Timeout(30)
class LoadThreadTest {
    private static final Workload.Writer WRITER = new Workload.Writer(Duration.ofMillis(1), true);

    private final LoadThread.Stage stage = new LoadThread.Stage();

    @TempDir
    Path folder;

    @Test
    void theFirstCycleOfEachTurnIsToldApart() throws Exception {
        AtomicLong now = new AtomicLong(300);
        Pace pace = Pace.turns(Duration.ofMillis(100), 0, 3, now::get);
        assertThat(pace.await(stage)).isTrue();
        now.set(399);
        assertThat(pace.await(stage)).isFalse();
        now.set(600);
        assertThat(pace.await(stage)).isTrue();
    }

    @Test
    void aWorkerRestsWhileItIsTheTurnOfOthers() throws Exception {
        Deque<Long> clock = new ArrayDeque<>(List.of(210L, 250L, 310L, 400L));
        Pace pace = Pace.turns(Duration.ofMillis(100), 1, 3, clock::remove);
        long began = System.nanoTime();
        assertThat(pace.await(stage)).isTrue();
        assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo((190 + 150 + 90) * 1_000_000L);
        assertThat(clock).isEmpty();
    }

    @Test
    void theEndOfTheLoadEndsEveryRest() throws Exception {
        stage.end();
        Pace.turns(Duration.ofHours(1), 1, 2, () -> 0).await(stage);
        Pace.every(Duration.ofHours(1)).await(stage);
    }

    @Test
    void theWriterWritesWhenItIsDue() throws Exception {
        long began = System.nanoTime();
        Pace pace = Pace.every(Duration.ofMillis(50));
        for (int i = 0; i < 3; i++) {
            assertThat(pace.await(stage)).isTrue();
        }
        assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(150_000_000L);
    }

    @Test
    void aWriterThatWaitsBeyondTheWindowIsCounted() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch free = new CountDownLatch(1);
        LoadThread thread = writer(mode -> {
            asked.countDown();
            free.await();
        });
        stage.phase = LoadThread.Phase.MEASURE;
        thread.start();
        asked.await();
        stage.phase = LoadThread.Phase.COOL_DOWN;
        stage.end();
        free.countDown();
        thread.join();
        assertThat(thread.singleWaits.getTotalCount()).isEqualTo(1);
        assertThat(thread.writeWaits.getTotalCount()).isZero();
        assertThat(thread.cycles).isZero();
        assertThat(thread.writesEver).isEqualTo(1);
    }

    @Test
    void aWriterInTheWarmUpIsNotCounted() throws Exception {
        CountDownLatch written = new CountDownLatch(3);
        LoadThread thread = writer(mode -> {
            assertThat(mode).isEqualTo(LockMode.WRITE);
            written.countDown();
        });
        thread.start();
        written.await();
        stage.end();
        thread.join();
        assertThat(thread.errors).isZero();
        assertThat(thread.singleWaits.getTotalCount()).isZero();
    }

    private interface Wait {
        void await(LockMode mode) throws Exception;
    }

    private LoadThread writer(Wait wait) throws Exception {
        LockUnderTest lock = new LockUnderTest() {
            @Override
            public Held lock(String name, LockMode mode) throws Exception {
                wait.await(mode);
                return () -> {};
            }

            @Override
            public void close() {}
        };
        return new LoadThread(
                lock,
                Workload.readers(1, 1, WRITER),
                stage,
                ExclusionProbe.open(folder.resolve("probe"), 1),
                new ZipfSampler(1, 0),
                new LoadThread.Role("writer", List.of("lock-0"), 0, 0, 0, Pace.every(WRITER.every())));
    }
}
