// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.worker;

import io.declock.LockMode;
import io.declock.benchmarks.peer.LockUnderTest;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** One thread that locks and unlocks until it is told to stop. Its results may be read once it has ended. */
final class LoadThread extends Thread {
    /** The phases of a run. */
    enum Phase {
        WARM_UP,
        MEASURE,
        COOL_DOWN
    }

    /** The phase, shared by all threads of a process. */
    static final class Stage {
        volatile Phase phase = Phase.WARM_UP;
        private final CountDownLatch end = new CountDownLatch(1);

        /** Lets every thread end after its cycle. */
        void end() {
            end.countDown();
        }

        boolean hasEnded() {
            return end.getCount() == 0;
        }

        /** Waits for that time, and not longer than to the end. */
        void awaitEnd(long time, TimeUnit unit) throws InterruptedException {
            end.await(time, unit);
        }
    }

    /**
     * What tells one thread from another.
     *
     * @param name its name
     * @param names the lock names that it uses
     * @param firstProbe number of the first of them among the counters under the locks
     * @param seed where its random choices begin
     * @param readShare share of its acquisitions in read mode
     * @param pace when it locks
     */
    record Role(String name, List<String> names, int firstProbe, long seed, double readShare, Pace pace) {}

    private static final int MOST_ERRORS = 20;
    private static final long HIGHEST = TimeUnit.MINUTES.toNanos(2);

    private final LockUnderTest lock;
    private final Workload workload;
    private final Stage stage;
    private final ExclusionProbe probe;
    private final ZipfSampler sampler;
    private final Role role;
    private final SplittableRandom random;
    private final long criticalNanos;

    final Histogram readWaits = new Histogram(HIGHEST, 3);
    final Histogram writeWaits = new Histogram(HIGHEST, 3);
    /** The waits that the pace tells apart, also those that began before the end of the window and ended after it. */
    final Histogram singleWaits = new Histogram(HIGHEST, 3);

    long cycles;
    long writesEver;
    int errors;

    @Nullable
    Exception firstError;

    private int turn;

    LoadThread(
            LockUnderTest lock, Workload workload, Stage stage, ExclusionProbe probe, ZipfSampler sampler, Role role) {
        super(role.name());
        this.lock = lock;
        this.workload = workload;
        this.stage = stage;
        this.probe = probe;
        this.sampler = sampler;
        this.role = role;
        this.random = new SplittableRandom(role.seed());
        this.criticalNanos = workload.criticalSection().toNanos();
    }

    @Override
    public void run() {
        while (!stage.hasEnded() && errors < MOST_ERRORS) {
            int name = workload.ownNames() ? turn++ % role.names().size() : sampler.next(random);
            boolean read = role.readShare() > 0 && random.nextDouble() < role.readShare();
            try {
                boolean single = role.pace().await(stage);
                if (!stage.hasEnded()) {
                    cycle(name, read, single);
                }
            } catch (Exception e) {
                if (e instanceof InterruptedException) {
                    return;
                }
                errors++;
                if (firstError == null) {
                    firstError = e;
                }
            }
        }
    }

    private void cycle(int name, boolean read, boolean single) throws Exception {
        String key = role.names().get(name);
        Phase before = stage.phase;
        long asked = System.nanoTime();
        LockUnderTest.Held held = lock.lock(key, read ? LockMode.READ : LockMode.WRITE);
        long granted = System.nanoTime();
        try {
            if (read) {
                stayBusy(key);
            } else {
                long count = probe.read(role.firstProbe() + name);
                stayBusy(key);
                probe.write(role.firstProbe() + name, count + 1);
                writesEver++;
            }
        } finally {
            held.unlock();
        }
        long wait = Math.min(granted - asked, HIGHEST);
        Phase after = stage.phase;
        if (after == Phase.MEASURE) {
            cycles++;
            (read ? readWaits : writeWaits).recordValue(wait);
        }
        // Where such a wait is long it is seldom, so one that outlasts the window must not be lost.
        if (single && (after == Phase.MEASURE || before != after)) {
            singleWaits.recordValue(wait);
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // On a busy machine the other thread may need this thread's core.
    private void stayBusy(String name) {
        if (workload.handOver()) {
            while (!lock.isAwaited(name) && !stage.hasEnded()) {
                Thread.yield();
            }
            return;
        }
        if (criticalNanos == 0) {
            return;
        }
        long until = System.nanoTime() + criticalNanos;
        while (System.nanoTime() < until) {
            Thread.onSpinWait();
        }
    }
}
