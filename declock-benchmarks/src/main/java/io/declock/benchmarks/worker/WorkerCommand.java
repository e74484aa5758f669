// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.worker;

import io.declock.benchmarks.peer.LockUnderTest;
import io.declock.benchmarks.peer.Peer;
import io.declock.benchmarks.peer.Peers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;

/** One process that takes locks. A thread ends after its cycle. */
@Command(name = "worker", hidden = true, description = "One client process of a benchmark.")
public final class WorkerCommand extends Worker {
    private static final long END_SECONDS = 60;
    private static final String WRITER = "writer";

    private final LoadThread.Stage stage = new LoadThread.Stage();

    @Override
    public Integer call() throws Exception {
        LockUnderTest lock = Peers.connect(Peer.of(peer), address, index, tuning);
        obey(new Cycles(lock, threads(lock)));
        lock.close();
        return 0;
    }

    private final class Cycles implements Load {
        private final LockUnderTest lock;
        private final List<LoadThread> threads;

        Cycles(LockUnderTest lock, List<LoadThread> threads) {
            this.lock = lock;
            this.threads = threads;
        }

        @Override
        public void run() {
            threads.forEach(Thread::start);
        }

        @Override
        public void measure() {
            stage.phase = LoadThread.Phase.MEASURE;
        }

        @Override
        public void coolDown() {
            stage.phase = LoadThread.Phase.COOL_DOWN;
        }

        @Override
        public Map<String, Long> counters() {
            return lock.counters();
        }

        @Override
        public WorkerReport end(Map<String, Long> counted) throws InterruptedException {
            // Each thread stops waiting for the lock only when it has acquired it once more.
            stage.end();
            return report(threads, counted);
        }
    }

    private List<LoadThread> threads(LockUnderTest lock) throws Exception {
        List<LoadThread.Role> roles = new ArrayList<>();
        List<String> shared = names("lock-", workload.names());
        int first = index * workload.threads();
        for (int worker = first; worker < Math.min(first + workload.threads(), workload.workers()); worker++) {
            roles.add(role(worker, shared));
        }
        Workload.Writer writer = workload.writerIn(index);
        if (writer != null) {
            roles.add(new LoadThread.Role(WRITER, shared, 0, 0, 0, Pace.every(writer.every())));
        }
        ExclusionProbe probe = ExclusionProbe.open(probeFile, workload.allNames());
        ZipfSampler sampler = new ZipfSampler(workload.names(), workload.zipf());
        List<LoadThread> threads = new ArrayList<>();
        for (LoadThread.Role role : roles) {
            LoadThread thread = new LoadThread(lock, workload, stage, probe, sampler, role);
            thread.setDaemon(true);
            threads.add(thread);
        }
        return threads;
    }

    private LoadThread.Role role(int worker, List<String> shared) {
        boolean own = workload.ownNames();
        Pace pace = workload.turn().isZero()
                ? Pace.steady()
                : Pace.turns(workload.turn(), worker, workload.workers(), System::currentTimeMillis);
        return new LoadThread.Role(
                "load-" + worker,
                own ? names("own-" + worker + "-", workload.names()) : shared,
                own ? worker * workload.names() : 0,
                worker + 1L,
                workload.readShare(),
                pace);
    }

    private static List<String> names(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> prefix + i).toList();
    }

    private static WorkerReport report(List<LoadThread> threads, Map<String, Long> counted)
            throws InterruptedException {
        List<Long> cycles = new ArrayList<>();
        Histogram reads = new Histogram(threads.get(0).readWaits);
        Histogram writes = new Histogram(threads.get(0).writeWaits);
        Histogram singles = new Histogram(threads.get(0).singleWaits);
        long writesEver = 0;
        long errors = 0;
        String firstError = "";
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(END_SECONDS);
        for (LoadThread thread : threads) {
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
            if (thread.isAlive()) {
                errors++;
                firstError = thread.getName() + " still waits " + END_SECONDS + " s after the end of the run";
                continue;
            }
            if (!thread.getName().equals(WRITER)) {
                cycles.add(thread.cycles);
            }
            reads.add(thread.readWaits);
            writes.add(thread.writeWaits);
            singles.add(thread.singleWaits);
            writesEver += thread.writesEver;
            errors += thread.errors;
            if (thread.firstError != null && firstError.isEmpty()) {
                firstError = String.valueOf(thread.firstError);
            }
        }
        return new WorkerReport(cycles, reads, writes, singles, writesEver, errors, firstError, counted);
    }
}
