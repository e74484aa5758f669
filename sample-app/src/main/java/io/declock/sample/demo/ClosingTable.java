// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.demo;

import io.declock.sample.live.Histogram;
import io.declock.sample.live.Totals;
import io.declock.sample.shop.Sales;
import java.util.ArrayList;
import java.util.List;

/** Prints the table at the end of a demonstration. */
final class ClosingTable {
    private static final int MOST_PRODUCTS = 12;

    private final DemoOptions options;
    private final Outcome outcome;
    private final Load load;
    private final double seconds;
    private final StringBuilder text = new StringBuilder();

    private ClosingTable(DemoOptions options, Outcome outcome, Load load, double seconds) {
        this.options = options;
        this.outcome = outcome;
        this.load = load;
        this.seconds = seconds;
    }

    static String of(DemoOptions options, Outcome outcome, Load load, double seconds) {
        ClosingTable table = new ClosingTable(options, outcome, load, seconds);
        table.head();
        table.sales();
        table.requests();
        if (options.locking()) {
            table.locks();
        }
        return table.text.toString();
    }

    private void head() {
        line("DecLock demo: locking %s, %d instances, %d customers, %.1f s, %s, Java %s, %d processors"
                .formatted(
                        options.locking() ? "ON" : "OFF",
                        options.instances(),
                        options.concurrency(),
                        seconds,
                        options.postgres() ? "PostgreSQL" : "H2",
                        Runtime.version(),
                        Runtime.getRuntime().availableProcessors()));
        line("");
    }

    private void sales() {
        line("  %-14s %10s %10s %10s %10s".formatted("product", "at first", "sold", "left", "oversold"));
        outcome.sales().stream().limit(MOST_PRODUCTS).forEach(this::product);
        int more = outcome.sales().size() - MOST_PRODUCTS;
        if (more > 0) {
            line("  ... and %d more".formatted(more));
        }
        long initial = outcome.sales().stream().mapToLong(Sales::initialStock).sum();
        long left = outcome.sales().stream().mapToLong(Sales::stock).sum();
        line("  %-14s %,10d %,10d %,10d %,10d".formatted("all", initial, outcome.sold(), left, outcome.oversold()));
        line("");
    }

    private void product(Sales sales) {
        String sum = "   sold + left = %,d".formatted(sales.sold() + sales.stock());
        line("  %-14s %,10d %,10d %,10d %,10d%s"
                .formatted(
                        sales.product(),
                        sales.initialStock(),
                        sales.sold(),
                        sales.stock(),
                        sales.oversold(),
                        sales.consistent() ? "" : sum));
    }

    private void requests() {
        row(
                "requests",
                "%,.0f/s: %,d orders accepted, %,d sold out, %,d products shown, %,d errors"
                        .formatted(
                                load.requests() / seconds,
                                load.accepted(),
                                load.soldOut(),
                                load.reads(),
                                load.failed().size()));
        load.errorKinds().forEach((kind, count) -> row("", "%,d x %s".formatted(count, kind)));
        row("answer time", times(load.latencies()));
        List<String> shares = new ArrayList<>();
        List<Long> accepted = load.acceptedByInstance();
        for (int i = 0; i < accepted.size(); i++) {
            shares.add("shop-%d %.1f %%".formatted(i + 1, percent(accepted.get(i), load.accepted())));
        }
        row("share", String.join(", ", shares) + " of the accepted orders");
    }

    private void locks() {
        Totals totals = outcome.totals();
        long grants = totals.grants();
        row("lock wait", times(outcome.waits()));
        row(
                "grants",
                "%,.0f/s: %.1f %% at once, %.1f %% after queueing, handed over %.1f %% locally, %.1f %% by a peer"
                        .formatted(
                                grants / seconds,
                                percent(totals.uncontended(), grants),
                                percent(totals.queued(), grants),
                                percent(totals.local(), grants),
                                percent(totals.peer(), grants)));
        row("hand-overs", "%,.0f/s local, %,.0f/s remote".formatted(totals.local() / seconds, totals.peer() / seconds));
        row(
                "remote",
                "%.2f operations per acquisition; per remote acquisition %.2f to acquire, %.2f in all"
                        .formatted(
                                ratio(totals.remoteOperations(), grants),
                                ratio(totals.acquireOperations(), totals.remoteAcquisitions()),
                                ratio(totals.remoteOperations(), totals.remoteAcquisitions())));
        row(
                "fencing",
                "%,d orders refused for an old token, %,d orders shared a token"
                        .formatted(totals.stale(), outcome.sharedTokens()));
    }

    private static String times(Histogram times) {
        return times.count() == 0
                ? "-"
                : "p50 %s, p99 %s, max %s"
                        .formatted(millis(times.percentile(0.5)), millis(times.percentile(0.99)), millis(times.max()));
    }

    private static String millis(long micros) {
        return "%.2f ms".formatted(micros / 1000.0);
    }

    private static double percent(long part, long whole) {
        return 100 * ratio(part, whole);
    }

    private static double ratio(long part, long whole) {
        return whole == 0 ? 0 : (double) part / whole;
    }

    private void row(String name, String value) {
        line("  %-12s %s".formatted(name, value));
    }

    private void line(String line) {
        text.append(line.stripTrailing()).append('\n');
    }
}
