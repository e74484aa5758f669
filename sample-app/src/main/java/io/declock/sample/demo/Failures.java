// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * The requests that failed while faults were injected, judged: a shop that is dead or stopped cannot answer, every other one must.
 *
 * @param explained requests to a shop that was dead or stopped meanwhile
 * @param unexplained all others
 */
record Failures(List<FailedRequest> explained, List<FailedRequest> unexplained) {
    /** Judges failed requests by the times in which shops were kept from serving. */
    static Failures of(List<FailedRequest> failed, List<Outage> outages) {
        Map<Boolean, List<FailedRequest>> judged = failed.stream()
                .collect(Collectors.partitioningBy(
                        request -> outages.stream().anyMatch(outage -> outage.explains(request))));
        return new Failures(judged.getOrDefault(true, List.of()), judged.getOrDefault(false, List.of()));
    }

    /**
     * Describes those that nothing explains, a line for each shop and kind.
     *
     * @param start from which their times are counted, of {@link System#nanoTime}
     */
    List<String> describeUnexplained(long start) {
        Map<String, List<FailedRequest>> kinds = unexplained.stream()
                .collect(Collectors.groupingBy(
                        request -> Fleet.nameOf(request.shop()) + ": " + request.kind(),
                        TreeMap::new,
                        Collectors.toList()));
        List<String> lines = new ArrayList<>();
        kinds.forEach((kind, requests) -> lines.add(describe(kind, requests, start)));
        return lines;
    }

    private static String describe(String kind, List<FailedRequest> requests, long start) {
        LongSummaryStatistics ends =
                requests.stream().mapToLong(request -> request.ended() - start).summaryStatistics();
        return "%,d x %s, failed from %.1f s to %.1f s"
                .formatted(requests.size(), kind, seconds(ends.getMin()), seconds(ends.getMax()));
    }

    private static double seconds(long nanos) {
        return nanos / (double) TimeUnit.SECONDS.toNanos(1);
    }
}
