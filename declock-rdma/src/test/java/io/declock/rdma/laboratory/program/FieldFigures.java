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
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
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
    /** All locks run for so long before any is measured, because the JVM compiles what they share for whichever comes first. */
    private static final Duration FIRST_WARM_UP = Duration.ofSeconds(2);

    private static final Duration WARM_UP = Duration.ofMillis(500);
    private static final Duration WINDOW = Duration.ofSeconds(3);
    /** Each begins with another lock: the machine is not equally fast all the time. */
    private static final int ROUNDS = 3;

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

    /**
     * What one run has shown.
     *
     * @param perSecond cycles a second
     * @param wait waits at the 50th and the 99th percentile in microseconds
     * @param spent processor time of a cycle in microseconds
     */
    private record Figures(double perSecond, double[] waits, double jain, double spent, double verbs, boolean ended) {}

    private final MemoryNodeAddress address;
    private final Load load;
    private final String name;
    private final @Nullable LockProtocol protocol;
    private final List<Figures> rounds = new ArrayList<>();
    private String refusal = "";
    private volatile long from;
    private volatile long end;

    private FieldFigures(MemoryNodeAddress address, Load load, @Nullable LockProtocol protocol) {
        this.address = address;
        this.load = load;
        this.name = protocol == null ? "DecLock" : protocol.name();
        this.protocol = protocol;
    }

    /**
     * Prints the table.
     *
     * @param part "field", or with the name of a load behind it, which is measured alone then
     */
    static void print(MemoryNodeAddress address, String part) throws Exception {
        System.out.printf(
                Locale.ROOT,
                "FIGURE  %d compute nodes with %d threads each, medians of %d rounds, each of which begins with another lock%n"
                        + "FIGURE  %-22s %-5s %10s %9s %9s %6s %9s %7s  %s%n",
                PROCESSES,
                THREADS,
                ROUNDS,
                "lock",
                "load",
                "cycles/s",
                "p50 us",
                "p99 us",
                "Jain",
                "CPU us",
                "verbs",
                "cycles/s of each round");
        for (Load load : Load.ALL) {
            if (part.contains("-") && !part.endsWith("-" + load.name())) {
                continue;
            }
            List<FieldFigures> field = new ArrayList<>();
            field.add(new FieldFigures(address, load, null));
            PROTOCOLS.forEach(protocol -> field.add(new FieldFigures(address, load, protocol)));
            measure(field);
            field.forEach(FieldFigures::print);
        }
    }

    private static void measure(List<FieldFigures> field) throws Exception {
        for (FieldFigures each : field) {
            each.measure(FIRST_WARM_UP, Duration.ZERO);
        }
        List<FieldFigures> order = new ArrayList<>(field);
        for (int round = 0; round < ROUNDS; round++) {
            for (FieldFigures each : order) {
                each.measure(WARM_UP, WINDOW);
            }
            Collections.rotate(order, -field.size() / ROUNDS);
        }
    }

    private void measure(Duration warmUp, Duration window) throws Exception {
        if (!refusal.isEmpty()) {
            return;
        }
        List<Locks> processes = new ArrayList<>();
        try (Fabrics.Served memoryNode = Fabrics.serve(address, false)) {
            try {
                for (int i = 0; i < PROCESSES; i++) {
                    processes.add(protocol == null ? decLock(i) : literature(protocol, i));
                }
                processes.get(0).lock(0, "first", LockMode.WRITE).run();
                run(processes, warmUp, window);
            } catch (RuntimeException e) {
                Throwable cause = e;
                while (cause.getCause() != null) {
                    cause = cause.getCause();
                }
                refusal = String.valueOf(cause.getMessage());
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

    private void run(List<Locks> processes, Duration warmUp, Duration window) throws InterruptedException {
        CountDownLatch ended = new CountDownLatch(PROCESSES * THREADS);
        List<Waits> waits = new ArrayList<>();
        from = Long.MAX_VALUE;
        end = Long.MAX_VALUE;
        for (Locks process : processes) {
            for (int thread = 0; thread < THREADS; thread++) {
                Waits own = new Waits();
                waits.add(own);
                start(new Caller(process, thread, load, waits.size(), own), ended);
            }
        }
        TimeUnit.NANOSECONDS.sleep(warmUp.toNanos());
        long verbs = verbs(processes);
        long cpu = cpu();
        from = System.nanoTime();
        TimeUnit.NANOSECONDS.sleep(window.toNanos());
        end = System.nanoTime();
        double spent = (cpu() - cpu) / 1000.0;
        verbs = verbs(processes) - verbs;
        boolean all = ended.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (!window.isZero()) {
            rounds.add(figures(waits, spent, verbs, all));
        }
    }

    private Figures figures(List<Waits> waits, double spent, long verbs, boolean all) {
        long[] sorted = waits.stream()
                .flatMapToLong(each -> Arrays.stream(each.nanos, 0, each.count))
                .sorted()
                .toArray();
        double sum = sorted.length;
        double squares = waits.stream()
                .mapToDouble(each -> (double) each.count * each.count)
                .sum();
        return new Figures(
                sum * 1e9 / (end - from),
                new double[] {percentile(sorted, 50), percentile(sorted, 99)},
                squares == 0 ? 0 : sum * sum / (waits.size() * squares),
                spent / sum,
                verbs / sum,
                all);
    }

    private void print() {
        if (!refusal.isEmpty()) {
            System.out.printf(Locale.ROOT, "FIGURE  %-22s %-5s refused: %s%n", name, load.name(), refusal);
            return;
        }
        String each = rounds.stream()
                .map(round -> String.format(Locale.ROOT, "%.0f", round.perSecond()))
                .collect(Collectors.joining(", "));
        System.out.printf(
                Locale.ROOT,
                "FIGURE  %-22s %-5s %10.0f %9.0f %9.0f %6.3f %9.0f %7.2f  %s%s%n",
                name,
                load.name(),
                median(Figures::perSecond),
                median(round -> round.waits()[0]),
                median(round -> round.waits()[1]),
                median(Figures::jain),
                median(Figures::spent),
                median(Figures::verbs),
                each,
                rounds.stream().allMatch(Figures::ended) ? "" : "  SOMEBODY STILL WAITS");
    }

    private double median(ToDoubleFunction<Figures> figure) {
        return rounds.stream().mapToDouble(figure).sorted().toArray()[rounds.size() / 2];
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
