// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.laboratory.program;

import io.declock.LockHandle;
import io.declock.LockRequest;
import io.declock.MemoryNodeAddress;
import io.declock.internal.node.ComputeNode;
import io.declock.rdma.laboratory.program.Stopwatch.Rounds;
import io.declock.testkit.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Measures, inside one machine and one after the other, what a lock costs beside what the device takes for the verbs themselves,
 * and prints a table. The processors are emulated: the ratios mean something, the times do not.
 */
public final class Figures {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int RAW_OPERATIONS = 2000;
    private static final int ROUNDS = 31;
    private static final int CYCLES = 2001;
    /** How many times fewer cycles are measured over TCP, where each takes many times as long. */
    private static final int SLOWER = 15;
    /**
     * By how much the device's own p50 may differ among the middle 80 % of rounds: where the host makes more of a difference than the aim
     * for an acquire allows, a ratio within that aim says nothing, nor does one beyond it.
     */
    private static final double MOST_SPREAD = 1.25;

    /** Longer than Soft-RoCE takes to execute a release. */
    private static final long PAUSE_NANOS = 50_000;

    private static final int NAMES = 64;
    private static final int HOT_MILLIS = 6000;
    private static final int MIX_NAMES = 5000;
    /** Its place among what a process that worked has counted. */
    private static final int LONGEST_WAIT = 5;

    /** Perftest's port, 18515, in the state that listens, as the kernel lists sockets. */
    private static final Pattern LISTENING = Pattern.compile(":4853 [0-9A-F]+:0000 0A");

    private final String host;
    private final Path directory;

    private Figures(String host, Path directory) {
        this.host = host;
        this.directory = directory;
    }

    /** Prints one part of the table: {@code latencies}, {@code loads} or {@code field}. */
    public static void main(String... arguments) throws Exception {
        Path directory = Files.createTempDirectory("figures");
        Figures figures = new Figures(System.getenv("LAB_ADDRESS"), directory);
        switch (arguments[0]) {
            case "latencies" -> figures.latencies();
            case "loads" -> figures.loads();
            default -> FieldFigures.print(MemoryNodeAddress.parse(figures.address("rdma")), arguments[0]);
        }
        System.exit(0);
    }

    private record Hot(double grants, double inARow, double longestWait) {}

    private record Mix(double acquire, double withEntries, double all, double remote, double longestWait) {}

    private void latencies() throws Exception {
        Rounds raw = new Rounds();
        Stopwatch binding;
        Stopwatch pausedBinding;
        Stopwatch chain;
        Stopwatch acquire;
        Stopwatch pausedAcquire;
        try (ChildProcess memoryNode = serve("rdma");
                VerbFigures verbs = new VerbFigures(MemoryNodeAddress.parse(address("rdma")));
                ComputeNode node = join("rdma")) {
            binding = new Stopwatch(verbs::byTheBinding);
            pausedBinding = new Stopwatch(verbs::byTheBinding);
            chain = new Stopwatch(verbs::byTheFabric);
            acquire = locks(node);
            pausedAcquire = locks(node);
            for (Stopwatch one : List.of(acquire, chain, binding, acquire)) {
                warmUp(one);
            }
            // A host that others use as well is slower at one time than at another. So each round measures every
            // operation once, and the most important ones next to the operation that they are compared with.
            for (int round = 0; round < ROUNDS; round++) {
                raw.add(raw());
                acquire.round(CYCLES, 0);
                chain.round(CYCLES, 0);
                binding.round(CYCLES, 0);
                pausedBinding.round(CYCLES, PAUSE_NANOS);
                pausedAcquire.round(CYCLES, PAUSE_NANOS);
                System.out.println("round " + round + ": raw " + raw.last() + ", binding "
                        + binding.alone().last() + ", chain " + chain.alone().last() + ", acquire "
                        + acquire.alone().last() + ", with pauses "
                        + pausedBinding.alone().last() + " and "
                        + pausedAcquire.alone().last());
            }
        }
        Stopwatch tcp;
        try (ChildProcess memoryNode = serve("tcp");
                ComputeNode node = join("tcp")) {
            tcp = locks(node).slow(SLOWER);
            warmUp(tcp);
            tcp.round(CYCLES / SLOWER, 0);
        }
        floor(raw);
        System.out.println("FIGURE  p50 of the round in the middle of " + ROUNDS
                + " / of the lowest; ratio to ib_atomic_lat in the same round, in the middle, and of both lowest");
        latency("ib_atomic_lat, fetch-and-add, 8 bytes", raw, raw, 1);
        latency("Java: the same verb by the binding alone", binding.alone(), raw, 1);
        latency("RDMA: the same verb as a chain of the fabric", chain.alone(), raw, 1);
        latency("RDMA: uncontended acquire, as configured by default", acquire.alone(), raw, 1);
        latency("RDMA: acquire and release, against two such verbs", acquire.cycle(), raw, 2);
        latency("Java: the verb by the binding alone, 50 us after the last", pausedBinding.alone(), raw, 1);
        latency("RDMA: acquire, 50 us after the last release", pausedAcquire.alone(), raw, 1);
        latency("TCP:  uncontended acquire", tcp.alone(), raw, 1);
        latency("TCP:  acquire and release, against two such verbs", tcp.cycle(), raw, 2);
    }

    /** The host's own part in it: what the device alone took at one time and at another. */
    private static void floor(Rounds raw) {
        System.out.printf(
                Locale.ROOT,
                "FIGURE  ib_atomic_lat alone, p50 of %d rounds: lowest %.1f, middle %.1f, highest %.1f us; the slowest round is %.2f times"
                        + " the fastest, in the middle 80 %% %.2f times%n",
                ROUNDS,
                raw.lowest(),
                raw.typical(),
                raw.highest(),
                raw.highest() / raw.lowest(),
                raw.spread());
        if (raw.spread() > MOST_SPREAD) {
            System.out.printf(
                    Locale.ROOT,
                    "FIGURE  NOT TO BE TRUSTED: the device alone differs %.2f times among the middle 80 %% of rounds, more than %.2f: the host"
                            + " does something else meanwhile; measure again%n",
                    raw.spread(),
                    MOST_SPREAD);
        }
    }

    private static void warmUp(Stopwatch stopwatch) throws Exception {
        if (!stopwatch.warmUp()) {
            System.out.println("FIGURE  the JVM was still compiling when it was measured: too slow to compare");
        }
    }

    private void loads() throws Exception {
        Hot aloneRdma;
        Hot aloneTcp;
        Hot hotRdma;
        Hot hotTcp;
        Mix mix;
        try (ChildProcess memoryNode = serve("rdma")) {
            aloneRdma = hot("rdma", 1);
            hotRdma = hot("rdma", 2);
            mix = mix();
        }
        try (ChildProcess memoryNode = serve("tcp")) {
            aloneTcp = hot("tcp", 1);
            hotTcp = hot("tcp", 2);
        }
        // Where each process has one thread, each grant is handed over by a peer: how long the runs inside a process
        // are has no part in it.
        hot("of 1 thread", aloneRdma, aloneTcp);
        hot("of 2 threads", hotRdma, hotTcp);
        row("Zipf, half readers: atomics to acquire, per remote acquisition", "%.3f", mix.acquire(), "");
        row("      with the writing of queue entries", "%.3f", mix.withEntries(), "");
        row("      every remote operation, per remote acquisition", "%.3f", mix.all(), "");
        row("      remote acquisitions per acquisition", "%.3f", mix.remote(), "");
        row("      the longest that an acquisition waited", "%.0f ms", mix.longestWait(), "");
        row("messages that found no buffer of their receiver, in all", "%.0f", refusals(), "");
    }

    private static void hot(String who, Hot rdma, Hot tcp) {
        String compared = times(rdma.grants(), tcp.grants()) + " of TCP's";
        hot("RDMA: grants a second of one hot lock, 2 processes " + who, rdma, compared);
        hot("TCP:  the same", tcp, "");
    }

    private static void hot(String what, Hot figures, String remark) {
        row(what, "%.0f", figures.grants(), remark);
        row("      of them in a row in one process", "%.1f", figures.inARow(), "");
        row("      the longest that one of them was waited for", "%.0f ms", figures.longestWait(), "");
    }

    private static void latency(String what, Rounds figures, Rounds raw, int verbs) {
        String ratios = String.format(
                Locale.ROOT,
                "%.2f / %.2f times",
                figures.typicalRatio(raw) / verbs,
                figures.lowest() / raw.lowest() / verbs);
        String value = String.format(Locale.ROOT, "%.1f / %.1f us", figures.typical(), figures.lowest());
        System.out.printf(Locale.ROOT, "FIGURE  %-60s %18s  %s%n", what, value, figures == raw ? "" : ratios);
    }

    private static void row(String what, String format, double value, String remark) {
        System.out.printf(
                Locale.ROOT, "FIGURE  %-66s %12s  %s%n", what, String.format(Locale.ROOT, format, value), remark);
    }

    private static String times(double value, double base) {
        return String.format(Locale.ROOT, "%.2f times", value / base);
    }

    // ---------------------------------------------------------------- the device alone

    /** The device's own round trip; asked again when perftest finds no relation of cycles to time on a busy host. */
    private double raw() throws Exception {
        for (int i = 0; i < 5; i++) {
            try (ChildProcess server = ChildProcess.logged("server", perftest(), directory.resolve("server.txt"))) {
                awaitListening();
                ChildProcess.Finished client = ChildProcess.run(perftest("127.0.0.1"), Duration.ofSeconds(60));
                Matcher typical = Pattern.compile(
                                "(?m)^\\s*8\\s+" + RAW_OPERATIONS + "\\s+[0-9.]+\\s+[0-9.]+\\s+([0-9.]+)")
                        .matcher(client.text());
                if (server.awaitEnd(Duration.ofSeconds(10)) && typical.find()) {
                    return Double.parseDouble(typical.group(1));
                }
            }
        }
        throw new IllegalStateException("ib_atomic_lat gave no figure");
    }

    /** Waits for perftest's server, which says nothing when it is ready. */
    private static void awaitListening() throws Exception {
        for (int i = 0; i < 500; i++) {
            for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
                if (LISTENING.matcher(Files.readString(Path.of(table))).find()) {
                    return;
                }
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
        throw new IllegalStateException("ib_atomic_lat does not listen on its port 18515");
    }

    private static ProcessBuilder perftest(String... server) {
        List<String> command = new ArrayList<>(
                List.of("ib_atomic_lat", "-d", "rxe0", "-x", "1", "-F", "-n", Integer.toString(RAW_OPERATIONS)));
        command.addAll(List.of(server));
        return new ProcessBuilder(command);
    }

    // ---------------------------------------------------------------- locks

    private String address(String scheme) {
        return scheme + "://" + host + ":7420";
    }

    private ChildProcess serve(String scheme) throws Exception {
        ChildProcess process = Child.start("memory-node");
        process.await("^@ here", PATIENCE);
        process.tell("serve " + address(scheme) + " nowait");
        process.await("^@ done serve", PATIENCE);
        return process;
    }

    private ComputeNode join(String scheme) throws Exception {
        ComputeNode node =
                Fabrics.computeNode(MemoryNodeAddress.parse(address(scheme)), Fabrics.settings("figures"), Map.of());
        node.start();
        if (!node.awaitReady(PATIENCE)) {
            throw new IllegalStateException("not ready: " + node.monitor().memoryNodes());
        }
        return node;
    }

    /** Takes locks of some names in turn, and gives each back. */
    private static Stopwatch locks(ComputeNode node) {
        LockRequest[] requests = new LockRequest[NAMES];
        Arrays.setAll(requests, i -> LockRequest.write("figure-" + i));
        Turns turns = new Turns(node, requests);
        return new Stopwatch(turns::acquire, turns::release);
    }

    /** Acquires one lock after the other. */
    private static final class Turns {
        private final ComputeNode node;
        private final LockRequest[] requests;
        private int next;
        private LockHandle handle;

        Turns(ComputeNode node, LockRequest[] requests) {
            this.node = node;
            this.requests = requests;
        }

        void acquire() throws InterruptedException {
            handle = node.acquire(requests[next++ % requests.length]);
        }

        void release() {
            handle.close();
        }
    }

    private Hot hot(String scheme, int threads) throws Exception {
        double[] counted = load(scheme, threads, "1 " + HOT_MILLIS + " 0");
        double grants = counted[0];
        return new Hot(grants * 1000.0 / HOT_MILLIS, grants / Math.max(1, counted[1]), counted[LONGEST_WAIT]);
    }

    private Mix mix() throws Exception {
        double[] sums = load("rdma", 8, MIX_NAMES + " " + HOT_MILLIS + " 50");
        double remote = sums[1];
        return new Mix(
                sums[2] / remote, (sums[2] + sums[3]) / remote, sums[4] / remote, remote / sums[0], sums[LONGEST_WAIT]);
    }

    private static double refusals() throws IOException {
        Path counters = Path.of("/sys/class/infiniband/rxe0/ports/1/hw_counters");
        return Double.parseDouble(Files.readString(counters.resolve("rcvd_rnr_err")));
    }

    /** Two processes work; returns the sums of what they counted, of a second run that follows one for warming up, and the longest wait. */
    private double[] load(String scheme, int threads, String what) throws Exception {
        double[] sums = new double[LONGEST_WAIT + 1];
        List<ChildProcess> workers = List.of(Child.start(scheme + "-1"), Child.start(scheme + "-2"));
        try {
            for (ChildProcess worker : workers) {
                worker.await("^@ here", PATIENCE);
                worker.tell("join " + address(scheme));
                worker.await("^@ done join", PATIENCE);
            }
            for (int round = 0; round < 2; round++) {
                Arrays.fill(sums, 0);
                for (ChildProcess worker : workers) {
                    worker.tell("work " + directory.resolve("holds") + worker.pid() + " " + threads + " " + what);
                }
                for (ChildProcess worker : workers) {
                    MatchResult counted =
                            worker.await("^@ counted (\\d+) (\\d+) (\\d+) (\\d+) (\\d+) (\\d+)", PATIENCE);
                    for (int i = 0; i < LONGEST_WAIT; i++) {
                        sums[i] += Double.parseDouble(counted.group(i + 1));
                    }
                    double longest = Double.parseDouble(counted.group(LONGEST_WAIT + 1));
                    sums[LONGEST_WAIT] = Math.max(sums[LONGEST_WAIT], longest);
                }
            }
        } finally {
            for (ChildProcess worker : workers) {
                worker.close();
            }
        }
        return sums;
    }
}
