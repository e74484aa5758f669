// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.worker;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * The measurements of one worker process, and their text form: lines that begin with {@value #LINE}.
 *
 * @param cycles lock and unlock cycles of each thread within the measured window
 * @param readWaits nanoseconds from the request to the grant, read mode
 * @param writeWaits nanoseconds from the request to the grant, write mode
 * @param writesEver number of write locks acquired in the whole run, warm-up included
 * @param errors number of failed cycles
 * @param firstError the first error, or empty
 * @param counters the product's counters within the measured window
 */
public record WorkerReport(
        List<Long> cycles,
        Histogram readWaits,
        Histogram writeWaits,
        long writesEver,
        long errors,
        String firstError,
        Map<String, Long> counters) {
    /** Beginning of a line of the report. */
    public static final String LINE = "REPORT ";

    /** Returns it as one line. */
    public String toLine() {
        return LINE
                + String.join(
                        ";",
                        String.join(",", cycles.stream().map(String::valueOf).toList()),
                        encode(readWaits),
                        encode(writeWaits),
                        String.valueOf(writesEver),
                        String.valueOf(errors),
                        Base64.getEncoder().encodeToString(firstError.getBytes(StandardCharsets.UTF_8)),
                        String.join(
                                ",",
                                counters.entrySet().stream()
                                        .map(e -> e.getKey() + "=" + e.getValue())
                                        .toList()));
    }

    /** Parses a line of {@link #toLine}, without its beginning. */
    public static WorkerReport parse(String line) throws IOException {
        String[] parts = line.split(";", -1);
        if (parts.length != 7) {
            throw new IOException("not a worker's report: " + line);
        }
        List<Long> cycles = new ArrayList<>();
        Arrays.stream(parts[0].split(",", -1)).map(Long::valueOf).forEach(cycles::add);
        Map<String, Long> counters = new LinkedHashMap<>();
        for (String pair : parts[6].split(",", -1)) {
            int at = pair.indexOf('=');
            if (at > 0) {
                counters.put(pair.substring(0, at), Long.valueOf(pair.substring(at + 1)));
            }
        }
        return new WorkerReport(
                cycles,
                decode(parts[1]),
                decode(parts[2]),
                Long.parseLong(parts[3]),
                Long.parseLong(parts[4]),
                new String(Base64.getDecoder().decode(parts[5]), StandardCharsets.UTF_8),
                counters);
    }

    private static String encode(Histogram histogram) {
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(buffer);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
    }

    private static Histogram decode(String text) throws IOException {
        try {
            return Histogram.decodeFromCompressedByteBuffer(
                    ByteBuffer.wrap(Base64.getDecoder().decode(text)), 0);
        } catch (DataFormatException e) {
            throw new IOException("a histogram that cannot be read", e);
        }
    }
}
