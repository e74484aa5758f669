// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.laboratory.program;

import io.declock.LockHandle;
import io.declock.LockRequest;
import io.declock.fabric.MemoryNodeAddress;
import io.declock.fabric.inprocess.InProcessFabric;
import io.declock.memorynode.MemoryNode;
import io.declock.memorynode.MemoryNodeSettings;
import io.declock.monitor.Counters;
import io.declock.node.ComputeNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
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
    private static final int WARM_UP = 60_000;
    private static final int CYCLES = 4001;
    /**
     * Longer than Soft-RoCE takes to execute a release, and not much longer: after 300 us a single verb takes twice as long as one behind
     * the other, as {@code ib_atomic_lat} posts them.
     */
    private static final long PAUSE_NANOS = 50_000;

    private static final int NAMES = 64;
    private static final int HOT_MILLIS = 6000;
    private static final int MIX_NAMES = 5000;
    /** Its place among what a process that worked has counted. */
    private static final int LONGEST_WAIT = 5;

    private final String host;
    private final Path directory;

    private Figures(String host, Path directory) {
        this.host = host;
        this.directory = directory;
    }

    /** Prints one part of the table: {@code latencies} or {@code loads}. */
    public static void main(String... arguments) throws Exception {
        Path directory = Files.createTempDirectory("figures");
        Figures figures = new Figures(System.getenv("LAB_ADDRESS"), directory);
        if (arguments[0].equals("latencies")) {
            figures.latencies();
        } else {
            figures.loads();
        }
        System.exit(0);
    }

    private record Latency(double acquire, double cycle, double backToBack) {}

    private record Hot(double grants, double inARow, double longestWait) {}

    private record Mix(double acquire, double withEntries, double all, double remote, double longestWait) {}

    private void latencies() throws Exception {
        double code = inProcess();
        double before = raw();
        double binding;
        double chain;
        Latency rdma;
        Latency polling;
        try (TalkingProcess memoryNode = serve("rdma")) {
            VerbFigures verbs = new VerbFigures(MemoryNodeAddress.parse(address("rdma")), WARM_UP, CYCLES);
            binding = verbs.binding();
            chain = verbs.fabric();
            rdma = uncontended("rdma", Map.of());
            polling = uncontended("rdma", Map.of("poll-time", "PT0.005S"));
        }
        Latency tcp;
        try (TalkingProcess memoryNode = serve("tcp")) {
            tcp = uncontended("tcp", Map.of());
        }
        // A host that others use as well is slower at one time than at another.
        double raw = Math.min(before, raw());
        latency("ib_atomic_lat, fetch-and-add, 8 bytes, p50", raw, raw);
        latency("Java: the same verb by the binding alone", binding, raw);
        latency("RDMA: the same verb as a chain of the fabric, polled for", chain, raw);
        latency("RDMA: uncontended acquire, p50, completions polled for 5 ms", polling.acquire(), raw);
        latency("RDMA: the same, as configured by default", rdma.acquire(), raw);
        latency("RDMA: acquire, and release without waiting, polled for", polling.cycle(), raw);
        latency("RDMA: the same, one behind the other, against two such verbs", polling.backToBack(), 2 * raw);
        latency("the lock's code alone: acquire in process, without a device", code, raw);
        latency("TCP:  uncontended acquire, p50", tcp.acquire(), raw);
        latency("TCP:  acquire and release, one behind the other", tcp.backToBack(), 2 * raw);
    }

    private void loads() throws Exception {
        Hot aloneRdma;
        Hot aloneTcp;
        Hot hotRdma;
        Hot hotTcp;
        Mix mix;
        try (TalkingProcess memoryNode = serve("rdma")) {
            aloneRdma = hot("rdma", 1);
            hotRdma = hot("rdma", 2);
            mix = mix();
        }
        try (TalkingProcess memoryNode = serve("tcp")) {
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

    private static void latency(String what, double micros, double base) {
        row(what, "%.1f us", micros, micros == base ? "" : times(micros, base));
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
            Process server = perftest("server.txt");
            TimeUnit.SECONDS.sleep(2);
            Process client = perftest("client.txt", "127.0.0.1");
            if (client.waitFor(60, TimeUnit.SECONDS) && server.waitFor(10, TimeUnit.SECONDS)) {
                String text = Files.readString(directory.resolve("client.txt"), StandardCharsets.UTF_8);
                Matcher typical = Pattern.compile(
                                "(?m)^\\s*8\\s+" + RAW_OPERATIONS + "\\s+[0-9.]+\\s+[0-9.]+\\s+([0-9.]+)")
                        .matcher(text);
                if (typical.find()) {
                    return Double.parseDouble(typical.group(1));
                }
            }
            client.destroyForcibly();
            server.destroyForcibly();
        }
        throw new IllegalStateException("ib_atomic_lat gave no figure");
    }

    private Process perftest(String output, String... server) throws IOException {
        List<String> command = new ArrayList<>(
                List.of("ib_atomic_lat", "-d", "rxe0", "-x", "1", "-F", "-n", Integer.toString(RAW_OPERATIONS)));
        command.addAll(List.of(server));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve(output).toFile())
                .start();
    }

    // ---------------------------------------------------------------- locks

    private String address(String scheme) {
        return scheme + "://" + host + ":7420";
    }

    private TalkingProcess serve(String scheme) throws Exception {
        TalkingProcess process = Child.start("memory-node");
        process.await("^@ here", PATIENCE);
        process.say("serve " + address(scheme) + " nowait");
        process.await("^@ done serve", PATIENCE);
        return process;
    }

    /** Returns what acquiring takes where verbs are executed by the calling thread itself. */
    private static double inProcess() throws Exception {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().factory());
        MemoryNode memoryNode = MemoryNode.create(
                MemoryNodeSettings.withId("in-process").withSize(1000, 16).withWaitOutOldSessions(false),
                System::nanoTime,
                (delay, task) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong());
        Counters counters = new Counters();
        InProcessFabric fabric = InProcessFabric.open(memoryNode, counters);
        try (ComputeNode node = ComputeNode.builder()
                .memoryNodes(List.of(fabric.address()))
                .fabric(fabric)
                .counters(counters)
                .settings(Fabrics.settings("figures"))
                .build()) {
            node.start();
            if (!node.awaitReady(PATIENCE)) {
                throw new IllegalStateException("not ready: " + node.monitor().memoryNodes());
            }
            cycles(node, WARM_UP, 0);
            return cycles(node, CYCLES, PAUSE_NANOS).acquire();
        } finally {
            memoryNode.close();
            timer.shutdownNow();
        }
    }

    private Latency uncontended(String scheme, Map<String, String> options) throws Exception {
        try (ComputeNode node =
                Fabrics.computeNode(MemoryNodeAddress.parse(address(scheme)), Fabrics.settings("figures"), options)) {
            node.start();
            if (!node.awaitReady(PATIENCE)) {
                throw new IllegalStateException("not ready: " + node.monitor().memoryNodes());
            }
            // What goes over TCP takes many times as long, and what is to be compiled is called as much more often.
            cycles(node, scheme.equals("tcp") ? WARM_UP / 15 : WARM_UP, 0);
            double backToBack = cycles(node, CYCLES, 0).cycle();
            Latency alone = cycles(node, CYCLES, PAUSE_NANOS);
            return new Latency(alone.acquire(), alone.cycle(), backToBack);
        }
    }

    /** Takes and gives back locks; with a pause after each, so that a release is not under way any more when the next is taken. */
    private static Latency cycles(ComputeNode node, int count, long pauseNanos) throws InterruptedException {
        long[] acquire = new long[count];
        long[] cycle = new long[count];
        for (int i = 0; i < count; i++) {
            LockRequest request = LockRequest.write("figure-" + i % NAMES);
            long start = System.nanoTime();
            LockHandle handle = node.acquire(request);
            acquire[i] = System.nanoTime() - start;
            handle.close();
            long end = System.nanoTime();
            cycle[i] = end - start;
            while (System.nanoTime() - end < pauseNanos) {
                Thread.onSpinWait();
            }
        }
        return new Latency(medianMicros(acquire), medianMicros(cycle), 0);
    }

    private static double medianMicros(long[] nanos) {
        Arrays.sort(nanos);
        return nanos[nanos.length / 2] / 1000.0;
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
        List<TalkingProcess> workers = List.of(Child.start(scheme + "-1"), Child.start(scheme + "-2"));
        try {
            for (TalkingProcess worker : workers) {
                worker.await("^@ here", PATIENCE);
                worker.say("join " + address(scheme));
                worker.await("^@ done join", PATIENCE);
            }
            for (int round = 0; round < 2; round++) {
                Arrays.fill(sums, 0);
                for (TalkingProcess worker : workers) {
                    worker.say("work " + directory.resolve("holds") + worker.pid() + " " + threads + " " + what);
                }
                for (TalkingProcess worker : workers) {
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
            for (TalkingProcess worker : workers) {
                worker.close();
            }
        }
        return sums;
    }
}
