// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.laboratory.program;

import io.declock.Counters;
import io.declock.LockHandle;
import io.declock.LockMode;
import io.declock.LockRequest;
import io.declock.MemoryNodeAddress;
import io.declock.Purpose;
import io.declock.evaluation.load.Zipf;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.node.ComputeNode;
import io.declock.protocols.Backoff;
import io.declock.protocols.LockProtocol;
import io.declock.protocols.alock.ALock;
import io.declock.protocols.cas.CasLock;
import io.declock.protocols.dslr.Dslr;
import io.declock.protocols.fabric.FabricClients;
import io.declock.protocols.mcs.McsLock;
import io.declock.protocols.shiftlock.ShiftLock;
import io.declock.protocols.soul.Region;
import io.declock.protocols.soul.Soul;
import io.declock.spi.Fabric;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Measures DecLock and the locks of the literature side by side by RDMA, inside one machine, and prints a table. Memory node and compute nodes are in one JVM, because each further one takes an emulated machine long to start; each compute node has a
 * session and an adapter's connections of its own. The processors are emulated: the ratios mean something, the times do not.
 */
final class FieldFigures {
    private static final int PROCESSES = 4;
    private static final int THREADS = 4;
    private static final Duration SESSION = Duration.ofSeconds(20);
    private static final Duration WARM_UP = Duration.ofSeconds(3);
    private static final Duration WINDOW = Duration.ofSeconds(4);
    /** A caller that does not come back by then waits for ever. */
    private static final long PATIENCE_SECONDS = 20;

    private static final long LEASE = Duration.ofMinutes(10).toNanos();
    private static final long PAUSE = 1_000;
    private static final long PER_TICKET = 5_000;
    private static final int MOST_SAMPLES = 200_000;
    private static final Backoff BACKOFF = Backoff.truncatedExponential(100, 3_200, 2_000);
    private static final List<LockProtocol> PROTOCOLS = List.of(
            CasLock.spinning(),
            CasLock.with(BACKOFF),
            Dslr.polling(new Dslr.Settings(LEASE, Dslr.TICKETS), PER_TICKET),
            Dslr.plus(new Dslr.Settings(LEASE, Dslr.TICKETS), BACKOFF),
            new McsLock(),
            new ShiftLock(new ShiftLock.Settings(LEASE, ShiftLock.WRITERS_IN_A_ROW, PAUSE)),
            new ALock(new ALock.Settings(64, PAUSE, PAUSE)),
            new Soul(List.of(new Region(0, 1))));

    /**
     * What callers do.
     *
     * @param names number of locks, chosen by Zipf's law with exponent 0.99
     * @param readPercent how many of a hundred acquisitions are for reading
     */
    private record Load(String name, int names, int readPercent) {
        static final List<Load> ALL = List.of(new Load("hot", 1, 0), new Load("zipf", 1_000, 50));
    }

    /** The locks as one compute node has them. */
    private interface Locks extends AutoCloseable {
        /** Acquires a lock for a thread; what is returned gives it back. */
        Runnable lock(int thread, String name, LockMode mode) throws InterruptedException;

        Counters counters();

        @Override
        void close();
    }

    private final MemoryNodeAddress address;
    private volatile long from = Long.MAX_VALUE;
    private volatile long end;

    private FieldFigures(MemoryNodeAddress address) {
        this.address = address;
    }

    /** Prints the table. */
    static void print(MemoryNodeAddress address) throws Exception {
        System.out.printf(
                Locale.ROOT,
                "FIGURE  %d compute nodes with %d threads each%nFIGURE  %-22s %-5s %10s %9s %9s %6s %9s %7s%n",
                PROCESSES,
                THREADS,
                "lock",
                "load",
                "cycles/s",
                "p50 us",
                "p99 us",
                "Jain",
                "CPU us",
                "verbs");
        for (Load load : Load.ALL) {
            new FieldFigures(address).measure("DecLock", load, null);
            for (LockProtocol protocol : PROTOCOLS) {
                new FieldFigures(address).measure(protocol.name(), load, protocol);
            }
        }
    }

    private void measure(String name, Load load, @Nullable LockProtocol protocol) throws Exception {
        List<Locks> processes = new ArrayList<>();
        try (Fabrics.Served memoryNode = Fabrics.serve(address, false)) {
            try {
                for (int i = 0; i < PROCESSES; i++) {
                    processes.add(protocol == null ? decLock(i) : literature(protocol, i));
                }
                processes.get(0).lock(0, "first", LockMode.WRITE).run();
                run(name, load, processes);
            } catch (RuntimeException e) {
                Throwable cause = e;
                while (cause.getCause() != null) {
                    cause = cause.getCause();
                }
                System.out.printf(
                        Locale.ROOT, "FIGURE  %-22s %-5s refused: %s%n", name, load.name(), cause.getMessage());
            } finally {
                processes.forEach(Locks::close);
            }
        }
    }

    private Locks decLock(int index) throws Exception {
        ComputeNode node = Fabrics.computeNode(address, Fabrics.settings("figures-" + index), Map.of());
        node.start();
        if (!node.awaitReady(SESSION)) {
            throw new IllegalStateException("not ready");
        }
        return new Locks() {
            @Override
            public Runnable lock(int thread, String name, LockMode mode) throws InterruptedException {
                LockHandle handle = node.acquire(LockRequest.of(name, mode).waitTime(SESSION));
                return handle::close;
            }

            @Override
            public Counters counters() {
                return node.monitor().counters();
            }

            @Override
            public void close() {
                node.close();
            }
        };
    }

    private Locks literature(LockProtocol protocol, int index) throws Exception {
        NodeCounters counters = new NodeCounters();
        Fabric fabric = Fabrics.rdma(Map.of(), Fabrics.tcp(counters), counters);
        FabricClients clients = FabricClients.join(protocol, fabric, address, "figures-" + index, SESSION, THREADS);
        return new Locks() {
            @Override
            public Runnable lock(int thread, String name, LockMode mode) {
                clients.lock(thread, name, mode);
                return () -> clients.unlock(thread, name);
            }

            @Override
            public Counters counters() {
                return counters;
            }

            @Override
            public void close() {
                clients.close();
                fabric.close();
            }
        };
    }

    /** A caller's waits within the window. */
    private static final class Waits {
        final long[] nanos = new long[MOST_SAMPLES];
        volatile int count;
    }

    private void run(String name, Load load, List<Locks> processes) throws InterruptedException {
        CountDownLatch ended = new CountDownLatch(PROCESSES * THREADS);
        List<Waits> waits = new ArrayList<>();
        end = Long.MAX_VALUE;
        for (Locks process : processes) {
            for (int thread = 0; thread < THREADS; thread++) {
                Waits own = new Waits();
                waits.add(own);
                start(new Caller(process, thread, load, waits.size(), own), ended);
            }
        }
        TimeUnit.NANOSECONDS.sleep(WARM_UP.toNanos());
        long verbs = verbs(processes);
        long cpu = cpu();
        from = System.nanoTime();
        TimeUnit.NANOSECONDS.sleep(WINDOW.toNanos());
        end = System.nanoTime();
        double spent = (cpu() - cpu) / 1000.0;
        verbs = verbs(processes) - verbs;
        boolean all = ended.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        print(name, load, waits, spent, verbs, all);
    }

    private void print(String name, Load load, List<Waits> waits, double spent, long verbs, boolean all) {
        long[] sorted = waits.stream()
                .flatMapToLong(each -> Arrays.stream(each.nanos, 0, each.count))
                .sorted()
                .toArray();
        double sum = sorted.length;
        double squares = waits.stream()
                .mapToDouble(each -> (double) each.count * each.count)
                .sum();
        System.out.printf(
                Locale.ROOT,
                "FIGURE  %-22s %-5s %10.0f %9.0f %9.0f %6.3f %9.0f %7.2f%s%n",
                name,
                load.name(),
                sum * 1e9 / (end - from),
                percentile(sorted, 50),
                percentile(sorted, 99),
                squares == 0 ? 0 : sum * sum / (waits.size() * squares),
                spent / sum,
                verbs / sum,
                all ? "" : "  SOMEBODY STILL WAITS");
    }

    private static double percentile(long[] sorted, int percent) {
        return sorted.length == 0 ? Double.NaN : sorted[(int) ((sorted.length - 1L) * percent / 100)] / 1000.0;
    }

    private static long verbs(List<Locks> processes) {
        return processes.stream()
                .flatMapToLong(process -> Arrays.stream(Purpose.values())
                        .flatMapToLong(
                                purpose -> LongStream.of(process.counters().verbs(purpose))))
                .sum();
    }

    /** Returns the processor time of the JVM: callers, their threads of the fabric, and the memory node. */
    private static long cpu() {
        return ProcessHandle.current().info().totalCpuDuration().orElseThrow().toNanos();
    }

    private static void start(Runnable caller, CountDownLatch ended) {
        Thread thread = new Thread(() -> {
            caller.run();
            ended.countDown();
        });
        thread.setDaemon(true);
        thread.start();
    }

    /** A thread that takes locks and gives them back at once. */
    private final class Caller implements Runnable {
        private final Locks locks;
        private final int thread;
        private final Load load;
        private final Waits waits;
        private final SplittableRandom random;
        private final Zipf zipf;

        Caller(Locks locks, int thread, Load load, long seed, Waits waits) {
            this.locks = locks;
            this.thread = thread;
            this.load = load;
            this.waits = waits;
            this.random = new SplittableRandom(seed);
            this.zipf = new Zipf(load.names(), 0.99);
        }

        @Override
        public void run() {
            try {
                while (System.nanoTime() - end < 0) {
                    cycle();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void cycle() throws InterruptedException {
            String name = "field-" + zipf.next(random::nextLong);
            LockMode mode = random.nextInt(100) < load.readPercent() ? LockMode.READ : LockMode.WRITE;
            long asked = System.nanoTime();
            Runnable release = locks.lock(thread, name, mode);
            long granted = System.nanoTime();
            release.run();
            if (granted - from >= 0 && granted - end < 0 && waits.count < MOST_SAMPLES) {
                waits.nanos[waits.count] = granted - asked;
                waits.count++;
            }
        }
    }
}
