// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.scenario;

import io.declock.benchmarks.harness.RunResult;
import io.declock.benchmarks.harness.RunSettings;
import io.declock.benchmarks.peer.Peer;
import io.declock.benchmarks.worker.Workload;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** The effect of each setting that trades CPU time for latency, or order for throughput. */
@Command(
        name = "settings",
        mixinStandardHelpOptions = true,
        description =
                "Pre-armed hand-over, READs with releases, spinning, polling event loops and local runs: each setting with its effect.")
public final class SettingsScenario extends Scenario {
    @Override
    protected String title() {
        return "Settings and their effect";
    }

    @Override
    protected void execute(Outcome outcome) throws IOException, InterruptedException {
        Workload hot = Workload.oneLock(options().jvms(), options().threads(), 0, Duration.ZERO);
        Workload remoteOnly = Workload.oneLock(options().jvms(), 1, 0, Duration.ZERO);
        Workload alone = Workload.alone(64);
        Map<String, Map<String, String>> variants = new LinkedHashMap<>();
        variants.put("defaults", Map.of());
        variants.put("not pre-armed", Map.of("pre-armed", "false"));
        variants.put("release always reads", Map.of("release-read", "always"));
        variants.put("release reads for known waiters", Map.of("release-read", "known"));
        variants.put("no spinning", Map.of("spin-micros", "0"));
        variants.put("clients poll 50 us", Map.of("poll-micros", "50"));
        variants.put("node polls 50 us", Map.of("server-poll-micros", "50"));
        variants.put("both poll 50 us", Map.of("poll-micros", "50", "server-poll-micros", "50"));
        variants.put("io_uring", Map.of("transport", "io-uring"));
        variants.put("NIO", Map.of("transport", "nio"));
        compare(outcome, "hot", hot, variants);
        variants.remove("no spinning");
        compare(outcome, "one thread per JVM", remoteOnly, variants);
        variants.remove("not pre-armed");
        compare(outcome, "alone", alone, variants);
        Map<String, Map<String, String>> runs = new LinkedHashMap<>();
        runs.put("local runs of 1", Map.of("local-limit", "1"));
        runs.put("local runs of 8", Map.of("local-limit", "8"));
        compare(outcome, "hot", hot, runs);
        Map<String, Map<String, String>> spinning = new LinkedHashMap<>();
        spinning.put("defaults", Map.of());
        spinning.put("no spinning", Map.of("spin-micros", "0"));
        spinning.put("spinning 100 us", Map.of("spin-micros", "100"));
        compare(outcome, "two threads of one JVM", Workload.handOverInside(), spinning);
    }

    private void compare(Outcome outcome, String load, Workload workload, Map<String, Map<String, String>> variants)
            throws IOException, InterruptedException {
        RunSettings settings = options().runSettings();
        @Nullable RunResult defaults = null;
        for (Map.Entry<String, Map<String, String>> variant : variants.entrySet()) {
            String name = "(" + load + ", " + variant.getKey() + ")";
            RunResult result = run(outcome, Peer.DECLOCK, name, workload, settings.tuned(variant.getValue()));
            if (defaults == null) {
                defaults = result;
            } else {
                Double ratio = Ratios.of(result, defaults, RunResult::perSecond);
                outcome.fact(name + " cycles/s against defaults", ratio == null ? "-" : ratio);
            }
        }
    }
}
