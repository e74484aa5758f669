// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.demo;

import io.declock.sample.live.Stats;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The demonstration: starts a memory node and several instances of the shop, each in a process of its own, lets customers order
 * over HTTP, and prints the outcome. The script {@code ./demo} runs it.
 */
public final class DemoRunner {
    private static final int SOUND = 0;
    private static final int OVERSOLD = 1;
    private static final int WRONG_OPTIONS = 2;
    private static final int FAILED = 3;

    private final DemoOptions options;
    private final PrintStream out;

    private DemoRunner(DemoOptions options, PrintStream out) {
        this.options = options;
        this.out = out;
    }

    /** Runs the demonstration; the exit code tells the outcome. */
    public static void main(String[] args) {
        Locale.setDefault(Locale.ROOT);
        System.exit(run(args, System.out, System.err));
    }

    private static int run(String[] args, PrintStream out, PrintStream err) {
        try {
            DemoOptions options = DemoOptions.parse(args);
            if (options.help()) {
                out.print(DemoOptions.USAGE);
                return SOUND;
            }
            return new DemoRunner(options, out).run();
        } catch (IllegalArgumentException e) {
            err.println(e.getMessage());
            err.print(DemoOptions.USAGE);
            return WRONG_OPTIONS;
        } catch (DemoFailedException | IOException e) {
            err.println("The demo could not run: " + e.getMessage());
            return FAILED;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return FAILED;
        }
    }

    private int run() throws IOException, InterruptedException {
        Programs programs = Programs.find();
        try (Fleet fleet = Fleet.create(programs, options)) {
            Thread endWithUs = new Thread(fleet::close, "demo-end");
            Runtime.getRuntime().addShutdownHook(endWithUs);
            out.printf(
                    "Starting a memory node%s and %d shops on %s, locks over %s, orders %s ...%n",
                    options.standby() ? " with a stand-by" : "",
                    options.instances(),
                    options.postgres() ? "PostgreSQL" : "H2",
                    options.rdma().isEmpty() ? "TCP" : "RDMA",
                    options.locking() ? "guarded by @DecLocked" : "NOT GUARDED BY ANY LOCK");
            fleet.start();
            List<URI> shops = fleet.shops();
            out.printf("Watch it live: %s%n", shops.get(0));
            out.println(consoles(fleet));
            out.println();
            List<String> products = products(shops.get(0));
            Load load = new Load(shops, products, options.concurrency(), options.orders());
            Duration length = Duration.ofSeconds(options.seconds());
            if (options.injectsFaults()) {
                return runWithFaults(fleet, load, length);
            }
            List<Stats> before = fleet.stats();
            double seconds = load.run(length, () -> false, new Ticker());
            return conclude(Outcome.of(before, fleet.stats()), load, seconds);
        }
    }

    private static String consoles(Fleet fleet) {
        String addresses = fleet.consoles().stream().map(URI::toString).collect(Collectors.joining(" or "));
        return "Watch the locks: %s%s (user viewer, password %s)"
                .formatted(
                        addresses,
                        fleet.consoles().size() > 1 ? ", whichever candidate serves" : "",
                        fleet.consolePassword());
    }

    private int runWithFaults(Fleet fleet, Load load, Duration length) throws IOException, InterruptedException {
        FaultScript script = new FaultScript(fleet, options, load, out);
        script.start();
        double seconds = load.run(length, script::needsCustomers, new Ticker());
        long afterwards = script.servedAfterwards();
        Outcome outcome = Outcome.of(List.of(), fleet.stats());
        int verdict = conclude(outcome, load, seconds);
        out.printf(
                "%d faults; %,d requests were served after the last of them. Receipts given: %,d, orders in the database: %,d.%n",
                script.faults(), afterwards, load.accepted(), outcome.orders());
        if (afterwards == 0) {
            out.println("NO REQUEST WAS SERVED after the last fault.");
            return FAILED;
        }
        boolean noneFailed = judge(Failures.of(load.failed(), script.outages()), load.begun());
        if (load.accepted() > outcome.orders()) {
            out.println("ORDERS ARE MISSING: a receipt was given for an order that the database does not have.");
            return OVERSOLD;
        }
        return noneFailed || verdict != SOUND ? verdict : FAILED;
    }

    /** Prints which requests failed, and returns whether no shop failed one while it ran. */
    private boolean judge(Failures failures, long start) {
        out.printf(
                "Requests that failed: %,d at shops that were dead or stopped at that time, %,d at shops that ran.%n",
                failures.explained().size(), failures.unexplained().size());
        if (failures.unexplained().isEmpty()) {
            out.println("NO ORDER FAILED at a shop that ran.");
            return true;
        }
        out.println("REQUESTS FAILED at shops that ran:");
        failures.describeUnexplained(start).forEach(line -> out.println("  " + line));
        return false;
    }

    private int conclude(Outcome outcome, Load load, double seconds) {
        out.println();
        out.print(ClosingTable.of(options, outcome, load, seconds));
        out.println();
        return verdict(outcome, load);
    }

    private static List<String> products(URI shop) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(shop.resolve("/products"))
                .timeout(Duration.ofSeconds(30))
                .build();
        String body = HttpClient.newHttpClient()
                .send(request, BodyHandlers.ofString())
                .body();
        JsonNode list = JsonMapper.builder().build().readTree(body);
        return StreamSupport.stream(list.spliterator(), false)
                .map(product -> product.get("id").asString())
                .toList();
    }

    private int verdict(Outcome outcome, Load load) {
        if (load.accepted() == 0) {
            out.println("NOTHING WAS SOLD: no order was accepted, so this run shows nothing.");
            return FAILED;
        }
        if (outcome.consistent()) {
            out.println(
                    options.locking()
                            ? "NOTHING WAS OVERSOLD: sold and left add up for every product."
                            : "Nothing was oversold THIS TIME, by luck: there was no lock. Try more customers or a longer load.");
            return SOUND;
        }
        out.printf(
                "OVERSOLD: %,d pieces were sold beyond the stock; sold and left miss the stock by %,d pieces.%n",
                outcome.oversold(), outcome.lost());
        outcome.overwriting().forEach(out::println);
        out.println(
                options.locking()
                        ? "THIS MUST NOT HAPPEN with locking on: please report it with this output."
                        : "This is the expected damage of --locking=off: orders read the same stock and overwrite each other.");
        return OVERSOLD;
    }

    /** Prints one line per second. */
    private final class Ticker implements Load.Progress {
        private long requestsBefore;
        private long acceptedBefore;

        @Override
        public void second(int seconds, long requests, long accepted) {
            out.printf(
                    "%4d s  %,7d requests/s  %,7d orders accepted/s%n",
                    seconds, requests - requestsBefore, accepted - acceptedBefore);
            requestsBefore = requests;
            acceptedBefore = accepted;
        }
    }
}
