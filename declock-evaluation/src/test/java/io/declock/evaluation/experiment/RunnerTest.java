// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.declock.evaluation.experiment.Figure.Axis;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RunnerTest {
    private final StringWriter progress = new StringWriter();

    private Report run(int threads, Experiment... experiments) {
        return new Runner(5, Size.FULL, threads, new PrintWriter(progress), () -> 0).run(List.of(experiments));
    }

    @Test
    void theReportDoesNotDependOnTheNumberOfThreads() {
        Report one = run(1, Examples.experiment("a"), Examples.experiment("b"));
        assertThat(run(4, Examples.experiment("a"), Examples.experiment("b"))).isEqualTo(one);
        assertThat(one.entries()).extracting(entry -> entry.about().id()).containsExactly("a", "b");
        assertThat(one.seed()).isEqualTo(5);
    }

    @Test
    void eachTrialIsRunOnceAndTold() {
        AtomicInteger runs = new AtomicInteger();
        Trial trial = new Trial("the same", seed -> {
            runs.incrementAndGet();
            return new Measured(Map.of(Metric.JAIN, 1.0), seed);
        });
        run(2, only("a", trial), only("b", trial));
        assertThat(runs).hasValue(1);
        assertThat(progress).hasToString("[1/1] the same: done in 0.0 s" + System.lineSeparator());
    }

    @Test
    void anExperimentThatThrowsIsInTheReportAndTheOthersGoOn() {
        Report report = run(2, Examples.failing("bad"), Examples.experiment("good"));
        assertThat(report.entries().get(0))
                .isInstanceOfSatisfying(
                        Report.Failed.class,
                        failed -> assertThat(failed.problem())
                                .isEqualTo("bad/slow/4.0: java.lang.IllegalStateException: no virtual time left"));
        assertThat(report.entries().get(1)).isInstanceOf(Report.Done.class);
        assertThat(report.findings()).hasSize(2);
        assertThat(progress.toString()).contains("bad/slow/4.0: failed in 0.0 s");
    }

    @Test
    void aSweepComparesAtEachValue() {
        double[][] rows = {{2, 8}, {3, 6}};
        Sweep sweep = new Sweep(List.of("a", "b"), List.of(0.0, 1.0), (subject, value) -> {
            double measured = rows[subject.equals("a") ? 0 : 1][(int) value];
            return new Trial(
                    subject + value,
                    seed -> new Measured(Map.of(Metric.P99, measured, Metric.OPERATIONS, measured), 0));
        });
        Trials trials = trials(sweep);
        assertThat(sweep.largestRatio(trials, "a", "b", Metric.P99)).isCloseTo(8.0 / 6, within(1e-9));
        assertThat(sweep.largestRatio(trials, "b", "a", Metric.P99)).isEqualTo(1.5);
        assertThat(sweep.largestReduction(trials, "a", "b", Metric.P99)).isCloseTo(100.0 / 3, within(1e-9));
        assertThat(sweep.first(trials, "a", Metric.P99)).isEqualTo(2);
        assertThat(sweep.last(trials, "a", Metric.P99)).isEqualTo(8);
        assertThat(sweep.most(trials, "b", Metric.P99)).isEqualTo(6);
        assertThat(sweep.throughput(trials, "id", "title", Axis.linear("x"))
                        .series()
                        .get(1)
                        .points())
                .containsExactly(new Series.Point(0, 3e-6), new Series.Point(1, 6e-6));
    }

    @Test
    void aSweepHasItsEndsAndNamesWhatWasNotMeasured() {
        double[] measured = {4, 3, 6};
        Sweep sweep = new Sweep(List.of("a", "b"), List.of(0.0, 1.0, 2.0), (subject, value) -> {
            double size = subject.equals("a") ? measured[(int) value] : 2;
            return new Trial(subject + value, seed -> new Measured(Map.of(Metric.P99, size), 0));
        });
        Trials trials = trials(sweep);
        assertThat(sweep.smallestRatio(trials, "a", "b", Metric.P99)).isEqualTo(1.5);
        assertThat(sweep.between(0, 1).values()).containsExactly(0.0, 1.0);
        assertThatThrownBy(() -> trials.of("c")).hasMessageContaining("no trial has the id c");
        assertThatThrownBy(() -> trials.of("a0.0").get(Metric.JAIN)).hasMessageContaining("was not measured");
    }

    /** Each waits for the other one. */
    @Test
    void asManyTrialsAsThreadsRunAtATimeAndTheThreadsEnd() throws InterruptedException {
        CountDownLatch both = new CountDownLatch(2);
        Queue<Thread> threads = new ConcurrentLinkedQueue<>();
        Trial.Work waits = seed -> {
            threads.add(Thread.currentThread());
            both.countDown();
            return new Measured(Map.of(Metric.JAIN, awaited(both) ? 1.0 : 0.0), seed);
        };
        Report report = run(2, only("a", new Trial("one", waits)), only("b", new Trial("two", waits)));
        assertThat(report.entries()).allSatisfy(entry -> assertThat(entry).isInstanceOf(Report.Done.class));
        for (Thread thread : threads) {
            thread.join(10_000);
            assertThat(thread.isAlive()).isFalse();
        }
    }

    private static boolean awaited(CountDownLatch latch) {
        try {
            return latch.await(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aLineTellsTheSecondsOfATrialWhichHasTheSeedOfTheRun() {
        AtomicLong time = new AtomicLong();
        Trial trial = new Trial("long", seed -> {
            time.addAndGet(2_500_000_000L);
            return new Measured(Map.of(Metric.JAIN, seed == 5 ? 1.0 : 0.0), seed);
        });
        Report report =
                new Runner(5, Size.FULL, 1, new PrintWriter(progress), time::get).run(List.of(only("a", trial)));
        assertThat(report.entries().get(0)).isInstanceOf(Report.Done.class);
        assertThat(progress.toString()).startsWith("[1/1] long: done in 2.5 s");
    }

    private static Trials trials(Sweep sweep) {
        Map<String, Measured> measured = new java.util.HashMap<>();
        sweep.trials().forEach(trial -> measured.put(trial.id(), trial.work().run(1)));
        return new Trials(measured);
    }

    private static Experiment only(String id, Trial trial) {
        return new Experiment() {
            @Override
            public About about() {
                return new About(id, "An example", Paper.SOUL, "nowhere", "Nothing.", List.of());
            }

            @Override
            public List<Trial> trials(Size size) {
                return List.of(trial);
            }

            @Override
            public Conclusions conclude(Size size, Trials trials) {
                assertThat(trials.of(trial.id()).get(Metric.JAIN)).isOne();
                return new Conclusions(List.of(), List.of());
            }
        };
    }
}
