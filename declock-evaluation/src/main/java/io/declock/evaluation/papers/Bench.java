// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.papers;

import io.declock.evaluation.experiment.Measured;
import io.declock.evaluation.experiment.Metric;
import io.declock.evaluation.experiment.Size;
import io.declock.evaluation.experiment.Sweep;
import io.declock.evaluation.experiment.Trial;
import io.declock.evaluation.load.Microbenchmark;
import io.declock.protocols.application.Application;
import io.declock.simulation.AdapterModel;
import io.declock.simulation.Latencies;
import io.declock.simulation.ModelRun;
import io.declock.simulation.ModelRun.Failures;
import io.declock.simulation.Outcome;
import io.declock.simulation.Outcome.Operations;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleFunction;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;

/**
 * What a lock runs under in the model.
 *
 * @param adapters the adapters
 * @param computeNodes number of compute nodes
 * @param clientsPerNode number of clients in each
 * @param load names the application completely
 * @param application makes it
 * @param warmUpMillis virtual milliseconds before the window
 * @param windowMillis virtual milliseconds in which is counted
 * @param failures what fails meanwhile
 */
record Bench(
        AdapterModel adapters,
        int computeNodes,
        int clientsPerNode,
        String load,
        Supplier<Application> application,
        double warmUpMillis,
        double windowMillis,
        Failures failures) {
    private static final List<AdapterModel> TESTBEDS =
            List.of(AdapterModel.CONNECT_X3, AdapterModel.CONNECT_X4, AdapterModel.CONNECT_X5);
    private static final double MICRO = 1e-3;
    private static final double WARM_UP_MILLIS = 4;
    private static final double GATHERING_MILLIS = 20;
    private static final double WINDOW_MILLIS = 40;

    /** A testbed on which nothing runs yet. */
    static Bench of(AdapterModel adapters, int computeNodes, int clientsPerNode) {
        Microbenchmark.Settings nothing = Microbenchmark.Settings.ONE_LOCK;
        return new Bench(
                adapters,
                computeNodes,
                clientsPerNode,
                nothing.toString(),
                () -> new Microbenchmark(nothing),
                WARM_UP_MILLIS,
                WINDOW_MILLIS,
                Failures.NONE);
    }

    /** The testbed of DecLock's paper (6.1, 6.2): 8 compute nodes with 32 clients each. Clients of CASLock gather at the most popular locks for some ten milliseconds. */
    static Bench decLock(Microbenchmark.Settings settings) {
        return of(AdapterModel.CONNECT_X4, 8, 32).under(settings).lasting(GATHERING_MILLIS, WINDOW_MILLIS);
    }

    /** The testbed of ShiftLock's paper (4.1): 5 machines with 48 clients each. */
    static Bench shiftLock(Microbenchmark.Settings settings) {
        return of(AdapterModel.CONNECT_X5, 5, 48).under(settings);
    }

    /** Returns it with a microbenchmark. */
    Bench under(Microbenchmark.Settings settings) {
        return under(settings.toString(), () -> new Microbenchmark(settings));
    }

    /** Returns it with another application. */
    Bench under(String name, Supplier<Application> other) {
        return new Bench(adapters, computeNodes, clientsPerNode, name, other, warmUpMillis, windowMillis, failures);
    }

    /** Returns it with other clients. */
    Bench with(int nodes, int clientsOfEach) {
        return new Bench(adapters, nodes, clientsOfEach, load, application, warmUpMillis, windowMillis, failures);
    }

    /** Returns it with other adapters. */
    Bench with(AdapterModel other) {
        return new Bench(other, computeNodes, clientsPerNode, load, application, warmUpMillis, windowMillis, failures);
    }

    /** Returns it with another window. */
    Bench lasting(double warmUp, double window) {
        return new Bench(adapters, computeNodes, clientsPerNode, load, application, warmUp, window, failures);
    }

    /** Returns it with failures. */
    Bench with(Failures other) {
        return new Bench(adapters, computeNodes, clientsPerNode, load, application, warmUpMillis, windowMillis, other);
    }

    /** Returns a sweep of locks. */
    static Sweep sweep(Size size, List<Lock> locks, DoubleFunction<Bench> at, double... values) {
        return new Sweep(
                Lock.names(locks),
                size.of(values),
                (name, value) -> at.apply(value).trial(Lock.named(locks, name), size));
    }

    /** Returns the trial of a lock. */
    Trial trial(Lock lock, Size size) {
        long warmUp = size.nanos(warmUpMillis);
        long window = size.nanos(windowMillis);
        String id = String.join(
                "/",
                lock.name(),
                model(),
                computeNodes + "x" + clientsPerNode,
                load,
                Long.toString(warmUp),
                Long.toString(window));
        return new Trial(
                failures.equals(Failures.NONE) ? id : id + "/" + failures,
                seed -> measured(ModelRun.run(
                        seed,
                        new ModelRun.Setting(
                                lock.system(),
                                adapters,
                                computeNodes,
                                clientsPerNode,
                                application,
                                warmUp,
                                window,
                                failures))));
    }

    /** Returns the name of a testbed's adapters, or all that is set of others. */
    private String model() {
        return TESTBEDS.contains(adapters) ? adapters.name() : adapters.toString();
    }

    private Measured measured(Outcome outcome) {
        Map<Metric, Double> values = new EnumMap<>(Metric.class);
        double acquisitions = Math.max(1, outcome.acquisitions());
        values.put(Metric.OPERATIONS, outcome.all().perSecond());
        Latencies all = outcome.all().latencies();
        values.put(Metric.MEAN, all.mean() * MICRO);
        values.put(Metric.MEDIAN, all.percentile(50) * MICRO);
        values.put(Metric.P99, all.percentile(99) * MICRO);
        Histogram waits = together(outcome.waits().values());
        values.put(Metric.ACQUIRE_MEAN, waits.getMean() * MICRO);
        values.put(Metric.ACQUIRE_MEDIAN, waits.getValueAtPercentile(50) * MICRO);
        values.put(Metric.ACQUIRE_P99, waits.getValueAtPercentile(99) * MICRO);
        values.put(Metric.ACQUIRE_VERBS, outcome.acquireVerbsEach());
        Histogram hot = outcome.locking().firstLockWaits().histogram();
        values.put(Metric.HOT_ACQUIRE_MEDIAN, hot.getValueAtPercentile(50) * MICRO);
        values.put(Metric.HOT_ACQUIRE_P99, hot.getValueAtPercentile(99) * MICRO);
        values.put(Metric.RELEASE_MEAN, outcome.locking().releases().mean() * MICRO);
        values.put(Metric.RELEASE_VERBS, outcome.releaseVerbsEach());
        values.put(Metric.SELF_CHECKS, outcome.selfChecksEach());
        values.put(Metric.LOOKS, outcome.looksEach());
        values.put(Metric.LOCK_BYTES, outcome.lockBytesEach());
        values.put(Metric.ATOMICS, outcome.verbs().atomics() / acquisitions);
        values.put(Metric.READS, outcome.verbs().reads() / acquisitions);
        values.put(Metric.MESSAGES, outcome.messages() / acquisitions);
        values.put(Metric.RESETS, outcome.verbs().reset() / acquisitions);
        values.put(Metric.ABORTED, 100 * outcome.abortedShare());
        values.put(Metric.UTILISATION, 100 * outcome.utilisation());
        values.put(Metric.JAIN, outcome.fairness());
        putKinds(outcome.kinds(), values);
        return new Measured(
                values,
                outcome.slices().stream()
                        .map(count -> count * 1e9 / failures.sliceNanos())
                        .toList(),
                outcome.hash());
    }

    private static void putKinds(List<Operations> kinds, Map<Metric, Double> values) {
        putMedian(kinds, 0, Metric.MEDIAN_OF_FIRST_KIND, values);
        putMedian(kinds, 4, Metric.MEDIAN_OF_FIFTH_KIND, values);
        values.put(
                Metric.MEAN_OF_SECOND_KIND,
                kinds.size() < 2 ? 0 : kinds.get(1).latencies().mean() * MICRO);
        Histogram hot = together(kinds.stream()
                .skip(Microbenchmark.HOT)
                .limit(2)
                .map(Operations::latencies)
                .toList());
        values.put(Metric.HOT_MEDIAN, hot.getValueAtPercentile(50) * MICRO);
        values.put(Metric.HOT_P99, hot.getValueAtPercentile(99) * MICRO);
    }

    private static void putMedian(List<Operations> kinds, int kind, Metric metric, Map<Metric, Double> values) {
        if (kind < kinds.size()) {
            values.put(metric, kinds.get(kind).latencies().percentile(50) * MICRO);
        }
    }

    private static Histogram together(Collection<Latencies> parts) {
        Histogram sum = new Histogram(3);
        parts.forEach(part -> sum.add(part.histogram()));
        return sum;
    }
}
