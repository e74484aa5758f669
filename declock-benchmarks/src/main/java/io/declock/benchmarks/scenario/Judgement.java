// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.scenario;

import io.declock.benchmarks.harness.RunResult;
import io.declock.benchmarks.report.TextTable;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A run of DecLock judged by the fastest peer under the same load, in whichever set-up: a team that wants only speed would run that one.
 *
 * @param declock the run of DecLock
 * @param fastest the run of the peer with the most cycles per second
 */
record Judgement(RunResult declock, RunResult fastest) {
    private @Nullable Double cycles() {
        return Ratios.of(declock, fastest, RunResult::perSecond);
    }

    private @Nullable Double wait99() {
        return Ratios.of(declock, fastest, result -> result.waitMicros(99));
    }

    Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("lock", declock.label());
        map.put("fastestPeer", fastest.label());
        map.put("workload", fastest.workload().toString());
        map.put("cyclesPerSecondRatio", orNaN(cycles()));
        map.put("waitP99Ratio", orNaN(wait99()));
        return map;
    }

    private static double orNaN(@Nullable Double ratio) {
        return ratio == null ? Double.NaN : ratio;
    }

    @Override
    public String toString() {
        return "fastest peer beside " + declock.label() + ": " + fastest.label() + "; "
                + TextTable.number(orNaN(cycles())) + " times its cycles/s, " + TextTable.number(orNaN(wait99()))
                + " times its p99 wait";
    }
}
