// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.benchmarks.peer.Tuning;
import io.declock.benchmarks.report.Goal;
import io.declock.benchmarks.report.Json;
import io.declock.benchmarks.report.TextTable;
import io.declock.benchmarks.worker.WorkerReport;
import io.declock.benchmarks.worker.Workload;
import io.declock.benchmarks.worker.ZipfSampler;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** Samplers, reports between processes, goals and printed results. */
class MeasuringTest {
    @Test
    void zipfFavoursTheFirst() {
        ZipfSampler sampler = new ZipfSampler(1000, 0.99);
        SplittableRandom random = new SplittableRandom(1);
        int[] counts = new int[1000];
        for (int i = 0; i < 100_000; i++) {
            counts[sampler.next(random)]++;
        }
        double sum = 0;
        for (int i = 1; i <= 1000; i++) {
            sum += Math.pow(i, -0.99);
        }
        assertThat(counts[0] / 100_000.0).isBetween(0.9 / sum, 1.1 / sum);
        assertThat(counts[9]).isLessThan(counts[0] / 8);
    }

    @Test
    void uniformFavoursNobody() {
        ZipfSampler sampler = new ZipfSampler(10, 0);
        SplittableRandom random = new SplittableRandom(1);
        int[] counts = new int[10];
        for (int i = 0; i < 100_000; i++) {
            counts[sampler.next(random)]++;
        }
        assertThat(Arrays.stream(counts)).allSatisfy(count -> assertThat(count).isBetween(9_500, 10_500));
    }

    @Test
    void reportsTravel() throws Exception {
        Histogram waits = new Histogram(1_000_000, 3);
        waits.recordValue(1234);
        WorkerReport report = WorkerReport.parse(new WorkerReport(
                        List.of(5L, 6L),
                        waits,
                        new Histogram(1_000_000, 3),
                        waits,
                        7,
                        1,
                        "it; broke",
                        Map.of("parks", 3L))
                .toLine()
                .substring(WorkerReport.LINE.length()));
        assertThat(report.cycles()).containsExactly(5L, 6L);
        assertThat(report.readWaits()).isEqualTo(waits);
        assertThat(report.singleWaits()).isEqualTo(waits);
        assertThat(report.writesEver()).isEqualTo(7);
        assertThat(report.firstError()).isEqualTo("it; broke");
        assertThat(report.counters()).containsExactly(Map.entry("parks", 3L));
    }

    @Test
    void tuningTravels() {
        Tuning tuning = Tuning.DEFAULTS.with(Map.of("policy", "phase-fair", "pre-armed", "false", "poll-micros", "7"));
        assertThat(Json.read(Json.line(tuning), Tuning.class)).isEqualTo(tuning).isNotEqualTo(Tuning.DEFAULTS);
        assertThat(tuning.toMap()).containsEntry("policy", "phase-fair").containsKey("server-poll-micros");
        assertThatThrownBy(() -> tuning.with(Map.of("prearmed", "false"))).hasMessageContaining("pre-armed");
        assertThat(tuning.fabric().eventLoopPolling()).isEqualTo(Duration.ofNanos(7000));
        assertThat(tuning.computeNode("x").cql().preArmedHandOver()).isFalse();
    }

    @Test
    void workloadsTravel() {
        Workload workload = new Workload(
                4,
                8,
                1000,
                true,
                0.99,
                0.95,
                Duration.ofNanos(12_345),
                true,
                Duration.ofMillis(7),
                new Workload.Writer(Duration.ofMillis(8), true));
        assertThat(Json.read(Json.line(workload), Workload.class)).isEqualTo(workload);
        assertThat(Json.read(Json.line(Workload.alone(1)), Workload.class)).isEqualTo(Workload.alone(1));
    }

    @Test
    void goalsAreJudged() {
        assertThat(Goal.atLeast("x", 2.0, 2).verdict()).isEqualTo("PASS");
        assertThat(Goal.atLeast("x", 1.9, 2).verdict()).isEqualTo("FAIL");
        assertThat(Goal.atMost("x", 2.1, 2).verdict()).isEqualTo("FAIL");
        assertThat(Goal.atMost("x", null, 2).verdict()).isEqualTo("NOT MEASURED");
        assertThat(Goal.figure("x", null).verdict()).isEqualTo("NOT MEASURED");
        assertThat(Goal.figure("x", 2.1)).hasToString("FIGURE  x: 2.10");
    }

    @Test
    void numbersHaveDigitsThatFitTheirSize() {
        assertThat(List.of(12_345.6, 34.56, 3.456, 0.3456, 0.003456, 0.0000123, 0.0).stream()
                        .map(TextTable::number))
                .containsExactly("12,346", "34.6", "3.46", "0.346", "0.0035", "1.2e-05", "0.000");
    }

    @Test
    void resultsAreWrittenForPeople() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("a \"quoted\" key", List.of(1, 2.5, true));
        map.put("text", "back\\slash\nand line");
        map.put("none", Double.NaN);
        assertThat(Json.results(map).lines())
                .containsExactly(
                        "{",
                        "  \"a \\\"quoted\\\" key\" : [ 1, 2.5000, true ],",
                        "  \"text\" : \"back\\\\slash\\nand line\",",
                        "  \"none\" : null",
                        "}");
    }
}
