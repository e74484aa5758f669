// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.worker;

import io.declock.LockMode;
import io.declock.benchmarks.peer.LockUnderTest;
import java.util.SplittableRandom;
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
        volatile boolean stop;
    }

    private static final int MOST_ERRORS = 20;
    private static final long HIGHEST = TimeUnit.MINUTES.toNanos(2);

    private final LockUnderTest lock;
    private final Workload workload;
    private final Stage stage;
    private final ExclusionProbe probe;
    private final ZipfSampler sampler;
    private final String[] names;
    private final int firstProbe;
    private final SplittableRandom random;
    private final long criticalNanos;

    final Histogram readWaits = new Histogram(HIGHEST, 3);
    final Histogram writeWaits = new Histogram(HIGHEST, 3);
    long cycles;
    long writesEver;
    int errors;

    @Nullable
    Exception firstError;

    private int turn;

    LoadThread(
            LockUnderTest lock,
            Workload workload,
            Stage stage,
            ExclusionProbe probe,
            ZipfSampler sampler,
            int worker,
            String[] names,
            int firstProbe) {
        super("load-" + worker);
        this.lock = lock;
        this.workload = workload;
        this.stage = stage;
        this.probe = probe;
        this.sampler = sampler;
        this.names = names;
        this.firstProbe = firstProbe;
        this.random = new SplittableRandom(worker + 1L);
        this.criticalNanos = workload.criticalSection().toNanos();
    }

    @Override
    public void run() {
        while (!stage.stop && errors < MOST_ERRORS) {
            int name = workload.ownNames() ? turn++ % names.length : sampler.next(random);
            boolean read = workload.readShare() > 0 && random.nextDouble() < workload.readShare();
            try {
                cycle(name, read);
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

    private void cycle(int name, boolean read) throws Exception {
        long asked = System.nanoTime();
        LockUnderTest.Held held = lock.lock(names[name], read ? LockMode.READ : LockMode.WRITE);
        long granted = System.nanoTime();
        try {
            if (read) {
                stayBusy(names[name]);
            } else {
                long before = probe.read(firstProbe + name);
                stayBusy(names[name]);
                probe.write(firstProbe + name, before + 1);
                writesEver++;
            }
        } finally {
            held.unlock();
        }
        if (stage.phase == Phase.MEASURE) {
            cycles++;
            (read ? readWaits : writeWaits).recordValue(Math.min(granted - asked, HIGHEST));
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // On a busy machine the other thread may need this thread's core.
    private void stayBusy(String name) {
        if (workload.handOver()) {
            while (!lock.isAwaited(name) && !stage.stop) {
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
