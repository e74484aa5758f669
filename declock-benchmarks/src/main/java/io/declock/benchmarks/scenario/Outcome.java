// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.scenario;

import io.declock.benchmarks.harness.RunResult;
import io.declock.benchmarks.peer.Peer;
import io.declock.benchmarks.report.Goal;
import io.declock.benchmarks.report.TextTable;
import io.declock.benchmarks.worker.Workload;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The outcome of a scenario: runs, further facts, goals, and runs that were not possible. Not thread-safe. */
final class Outcome {
    private final String title;
    private final Map<String, String> environment = new LinkedHashMap<>();
    private final List<RunResult> results = new ArrayList<>();
    private final Map<String, Object> facts = new LinkedHashMap<>();
    private final List<Goal> goals = new ArrayList<>();
    private final List<String> skipped = new ArrayList<>();
    private boolean broken;

    Outcome(String title) {
        this.title = title;
    }

    void environment(String key, String value) {
        environment.put(key, value);
    }

    void add(RunResult result) {
        results.add(result);
        broken |= !result.excludes() || result.errors() > 0;
    }

    void fact(String key, Object value) {
        facts.put(key, value);
    }

    void goal(Goal goal) {
        goals.add(goal);
    }

    void skipped(String what, boolean isFailure) {
        System.out.println("!! " + what);
        skipped.add(what);
        broken |= isFailure;
    }

    /** Returns whether every lock excluded, no run failed, and no required run was skipped. */
    boolean isSound() {
        return !broken;
    }

    List<Goal> goals() {
        return goals;
    }

    /** Returns the competitor with the most cycles per second. */
    @Nullable
    RunResult fastest(boolean fairOnly) {
        return competitors(fairOnly)
                .max(Comparator.comparingDouble(RunResult::perSecond))
                .orElse(null);
    }

    /** Returns the competitor with the most cycles per second under a load. */
    @Nullable
    RunResult fastest(Workload workload) {
        return competitors(false)
                .filter(result -> result.workload().equals(workload))
                .max(Comparator.comparingDouble(RunResult::perSecond))
                .orElse(null);
    }

    /** Adds DecLock's waits that are told apart, each beside the shortest of a competitor. */
    void singleWaitFigures(String wait, @Nullable RunResult declock) {
        for (double percentile : new double[] {50, 99, 100}) {
            RunResult best = shortestSingleWait(percentile);
            String what = wait + ", " + (percentile == 100 ? "longest" : "p" + Math.round(percentile));
            goal(Goal.figure(what + " in ms", declock == null ? null : declock.singleWaitMillis(percentile)));
            goal(Goal.figure(
                    what + ", against the shortest of a peer, " + Ratios.name(best),
                    Ratios.of(declock, best, result -> result.singleWaitMillis(percentile))));
        }
    }

    private @Nullable RunResult shortestSingleWait(double percentile) {
        return competitors(false)
                .filter(result -> result.singleWaits().getTotalCount() > 0)
                .min(Comparator.comparingDouble(result -> result.singleWaitMillis(percentile)))
                .orElse(null);
    }

    /** Judges each run of DecLock beside which a competitor ran. */
    List<Judgement> judgements() {
        List<Judgement> judgements = new ArrayList<>();
        for (RunResult result : results) {
            RunResult fastest = result.peer() == Peer.DECLOCK ? fastest(result.workload()) : null;
            if (fastest != null) {
                judgements.add(new Judgement(result, fastest));
            }
        }
        return judgements;
    }

    /** Returns the competitor that spends the least CPU time per cycle. */
    @Nullable
    RunResult thriftiest() {
        Optional<RunResult> best = competitors(false).min(Comparator.comparingDouble(RunResult::cpuMicrosPerCycle));
        return best.orElse(null);
    }

    private Stream<RunResult> competitors(boolean fairOnly) {
        return results.stream()
                .filter(result -> result.peer().isCompetitor() && result.total() > 0)
                .filter(result -> !fairOnly || result.peer().isFair());
    }

    static String summary(RunResult result) {
        return TextTable.number(result.perSecond()) + " /s, wait p50 " + TextTable.number(result.waitMicros(50))
                + " us, p99 " + TextTable.number(result.waitMicros(99)) + " us, CPU "
                + TextTable.number(result.cpuMicrosPerCycle()) + " us each"
                + (result.errors() > 0 ? ", " + result.errors() + " ERRORS: " + result.firstError() : "")
                + (result.excludes() ? "" : ", LET TWO WRITERS IN");
    }

    private TextTable table() {
        TextTable table = new TextTable(
                "lock",
                "fair",
                "cycles/s",
                "p50 us",
                "p99 us",
                "max ms",
                "max write ms",
                "Jain",
                "CPU us/cycle",
                "cores",
                "errors",
                "excludes");
        for (RunResult r : results) {
            table.add(
                    r.label(),
                    r.peer().isFair() ? "yes" : "no",
                    TextTable.number(r.perSecond()),
                    TextTable.number(r.waitMicros(50)),
                    TextTable.number(r.waitMicros(99)),
                    TextTable.number(r.waits().getMaxValue() / 1e6),
                    TextTable.number(r.writeWaits().getMaxValue() / 1e6),
                    TextTable.number(r.jain()),
                    TextTable.number(r.cpuMicrosPerCycle()),
                    TextTable.number(r.coresBusy()),
                    String.valueOf(r.errors()),
                    r.peer() == Peer.BARE_VERB ? "-" : r.excludes() ? "yes" : "NO");
        }
        return table;
    }

    /** Returns a table of the waits that are told apart, empty if no run has any. */
    private String singleWaits() {
        TextTable table = new TextTable("lock", "waits", "p50 ms", "p99 ms", "max ms");
        boolean any = false;
        for (RunResult r : results) {
            if (r.singleWaits().getTotalCount() > 0) {
                any = true;
                table.add(
                        r.label() + (r.workload().writer() == null ? ", take-overs" : ", the writer"),
                        String.valueOf(r.singleWaits().getTotalCount()),
                        TextTable.number(r.singleWaitMillis(50)),
                        TextTable.number(r.singleWaitMillis(99)),
                        TextTable.number(r.singleWaitMillis(100)));
            }
        }
        return any ? "\n" + table : "";
    }

    private static String counters(RunResult result) {
        StringBuilder text = new StringBuilder();
        double acquisitions = Math.max(1, result.total());
        result.counters().forEach((key, value) -> {
            if (value != 0) {
                text.append(text.length() == 0 ? "" : ", ")
                        .append(key)
                        .append(' ')
                        .append(TextTable.number(value / acquisitions));
            }
        });
        return text.toString();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("\n")
                .append(title)
                .append("\n\n")
                .append(results.isEmpty() ? "" : table())
                .append(singleWaits());
        for (RunResult result : results) {
            if (!result.counters().isEmpty()) {
                text.append("\nper cycle of ")
                        .append(result.label())
                        .append(": ")
                        .append(counters(result));
            }
        }
        text.append('\n');
        facts.forEach((key, value) -> text.append('\n')
                .append(key)
                .append(": ")
                .append(value instanceof Double d ? TextTable.number(d) : value));
        for (String what : skipped) {
            text.append("\n!! ").append(what);
        }
        text.append('\n');
        judgements().forEach(judgement -> text.append('\n').append(judgement));
        for (Goal goal : goals) {
            text.append('\n').append(goal);
        }
        return text.append('\n').toString();
    }

    Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("title", title);
        map.put("environment", environment);
        map.put("results", results.stream().map(Outcome::toMap).toList());
        map.put("fastest", judgements().stream().map(Judgement::toMap).toList());
        map.put("facts", facts);
        map.put("skipped", skipped);
        map.put("goals", goals.stream().map(Outcome::toMap).toList());
        map.put("sound", isSound());
        return map;
    }

    static Map<String, Object> toMap(Goal goal) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("what", goal.what());
        map.put("measured", goal.measured() == null ? Double.NaN : goal.measured());
        if (!Double.isNaN(goal.bound())) {
            map.put(goal.atLeast() ? "atLeast" : "atMost", goal.bound());
        }
        map.put("verdict", goal.verdict());
        return map;
    }

    private static Map<String, Object> toMap(RunResult r) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("lock", r.label());
        map.put("usage", r.peer().usage());
        map.put("fair", r.peer().isFair());
        map.put("workload", r.workload().toString());
        map.put("windowSeconds", r.window().toNanos() / 1e9);
        map.put("cycles", r.total());
        map.put("cyclesPerSecond", r.perSecond());
        map.put("waitP50Micros", r.waitMicros(50));
        map.put("waitP90Micros", r.waitMicros(90));
        map.put("waitP99Micros", r.waitMicros(99));
        map.put("waitP999Micros", r.waitMicros(99.9));
        map.put("waitMaxMicros", r.waits().getMaxValue() / 1000.0);
        map.put("writeWaitMaxMicros", r.writeWaits().getMaxValue() / 1000.0);
        map.put("singleWaits", r.singleWaits().getTotalCount());
        map.put("singleWaitP50Millis", r.singleWaitMillis(50));
        map.put("singleWaitP99Millis", r.singleWaitMillis(99));
        map.put("singleWaitMaxMillis", r.singleWaitMillis(100));
        map.put("jain", r.jain());
        map.put("cpuMicrosPerCycle", r.cpuMicrosPerCycle());
        map.put("coresBusy", r.coresBusy());
        map.put("errors", r.errors());
        map.put("firstError", r.firstError());
        map.put("excludes", r.excludes());
        map.put("cyclesOfWorkers", r.cycles());
        map.put("counters", r.counters());
        return map;
    }
}
