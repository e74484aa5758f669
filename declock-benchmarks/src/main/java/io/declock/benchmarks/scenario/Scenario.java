// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.scenario;

import io.declock.benchmarks.harness.Coordinator;
import io.declock.benchmarks.harness.RunResult;
import io.declock.benchmarks.harness.RunSettings;
import io.declock.benchmarks.peer.Peer;
import io.declock.benchmarks.report.Environment;
import io.declock.benchmarks.report.Json;
import io.declock.benchmarks.worker.Workload;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;

/**
 * A scenario as a command: prints the environment, makes its runs one after another, prints a table and for each promised number whether
 * it was kept. With several rounds it repeats all of this and prints the medians at the end. The exit status is 1 if a lock let two writers
 * in, a run failed, or a required lock could not run.
 */
public abstract class Scenario implements Callable<Integer> {
    /** Environment variable; if it is true, every lock must run: a lock that cannot run fails instead of being skipped. */
    public static final String REQUIRE_ALL = "DECLOCK_REQUIRE_ALL";

    @Mixin
    private RunOptions options = new RunOptions();

    private @Nullable Path json;
    private int round;

    /** Makes the runs and adds the goals. */
    protected abstract void execute(Outcome outcome) throws IOException, InterruptedException;

    /** Returns the title, in one line. */
    protected abstract String title();

    final void options(RunOptions others, @Nullable Path jsonFile) {
        options = others;
        json = jsonFile;
    }

    final RunOptions options() {
        return options;
    }

    @Override
    public Integer call() throws Exception {
        Rounds rounds = new Rounds();
        for (round = 1; round <= options.rounds(); round++) {
            System.out.println("== " + title() + (options.rounds() == 1 ? "" : ", round " + round));
            rounds.add(round());
        }
        if (options.rounds() > 1) {
            System.out.println(rounds);
        }
        Path file = json == null ? options.json() : json;
        if (file != null) {
            Files.writeString(file, Json.results(rounds.toMap()));
        }
        return rounds.isSound() ? 0 : 1;
    }

    private Outcome round() throws IOException, InterruptedException {
        Outcome outcome = new Outcome(title());
        Environment.describe().forEach((key, value) -> {
            outcome.environment(key, value);
            System.out.println("   " + key + ": " + value);
        });
        RunSettings settings = options.runSettings();
        outcome.environment("client JVM", String.join(" ", settings.jvmArguments()));
        outcome.environment("warm-up", seconds(settings.warmUp()));
        outcome.environment("window", seconds(settings.measure()));
        outcome.environment("DecLock", settings.tuning().toMap().toString());
        System.out.println("   client JVM: " + String.join(" ", settings.jvmArguments()));
        System.out.println("   warm-up " + seconds(settings.warmUp()) + ", window " + seconds(settings.measure()));
        System.out.println("   DecLock: " + settings.tuning().toMap());
        execute(outcome);
        System.out.println(outcome);
        return outcome;
    }

    private static String seconds(Duration duration) {
        return duration.toMillis() / 1000.0 + " s";
    }

    /** Returns what is to be run in the order of this round. */
    protected final <T> List<T> inTurn(List<T> all) {
        return Rounds.inTurn(all, round, options.rounds());
    }

    /** Makes one run, or prints why it is not possible. */
    protected final @Nullable RunResult run(Outcome outcome, Peer peer, Workload workload)
            throws IOException, InterruptedException {
        return run(outcome, peer, "", workload);
    }

    /** Makes one run of a variant, or prints why it is not possible. */
    protected final @Nullable RunResult run(Outcome outcome, Peer peer, String variant, Workload workload)
            throws IOException, InterruptedException {
        return run(outcome, peer, variant, workload, options.runSettings());
    }

    /** Makes one run of a variant with other settings, or prints why it is not possible. */
    protected final @Nullable RunResult run(
            Outcome outcome, Peer peer, String variant, Workload workload, RunSettings settings)
            throws IOException, InterruptedException {
        return run(outcome, peer, variant, workload, new Coordinator(settings, Coordinator.Task.LOCKS));
    }

    /** Makes one run of a variant, or prints why it is not possible. */
    final @Nullable RunResult run(
            Outcome outcome, Peer peer, String variant, Workload workload, Coordinator coordinator)
            throws IOException, InterruptedException {
        String missing = Coordinator.missing(peer);
        if (missing != null) {
            boolean required = Boolean.parseBoolean(System.getenv(REQUIRE_ALL));
            outcome.skipped(peer.label() + " COULD NOT RUN: " + missing, required);
            return null;
        }
        System.out.println("-- " + peer.label() + (variant.isEmpty() ? "" : " " + variant) + ": " + workload);
        try {
            RunResult result = coordinator.run(peer, workload).named(variant);
            outcome.add(result);
            System.out.println("   " + Outcome.summary(result));
            return result;
        } catch (IOException | UncheckedIOException | IllegalStateException e) {
            outcome.skipped(peer.label() + " FAILED: " + e.getMessage(), true);
            return null;
        }
    }
}
