// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.scenario;

import io.declock.benchmarks.report.Goal;
import io.declock.benchmarks.server.Processes;
import io.declock.internal.layout.RecordLayout;
import io.declock.testkit.ChildProcess;
import io.declock.testkit.Directories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The memory that a lock needs in a memory node. */
@Command(
        name = "memory",
        mixinStandardHelpOptions = true,
        description = "Bytes per lock record, and ten million records in one memory node.")
public final class MemoryScenario extends Scenario {
    private static final int CAPACITY = 8;
    private static final Duration FILL = Duration.ofMinutes(5);

    @Option(names = "--records", description = "Records, each with a name (default: ${DEFAULT-VALUE}).")
    private int records = 10_000_000;

    @Option(names = "--heap", description = "Heap of the memory node (default: ${DEFAULT-VALUE}).")
    private String heap = "3g";

    @Override
    protected String title() {
        return "Memory of a memory node, queue capacity " + CAPACITY;
    }

    @Override
    protected void execute(Outcome outcome) throws IOException, InterruptedException {
        RecordLayout layout = new RecordLayout(CAPACITY);
        Path folder = Files.createTempDirectory("declock-bench-");
        ChildProcess process = Processes.startJava(
                "fill",
                folder,
                List.of("-Xmx" + heap, "-XX:MaxDirectMemorySize=4g", "-XX:+UseSerialGC"),
                List.of("fill", "--records=" + records, "--capacity=" + CAPACITY));
        try {
            String[] filled = process.await("^FILLED (.*)", FILL).group(1).split(" ", -1);
            outcome.fact("records, each with a name", filled[0]);
            outcome.fact("region in bytes", filled[1]);
            outcome.fact("heap in bytes after a collection (names and directory)", filled[2]);
            outcome.fact("heap per record", Double.parseDouble(filled[2]) / records);
            outcome.fact("names given a record per second", filled[3]);
            outcome.fact("locks used afterwards", filled[4]);
            outcome.fact("resident memory in kB", residentKb(process.pid()));
            outcome.goal(Goal.atMost("bytes per lock record", (double) layout.strideBytes(), 128));
            outcome.goal(
                    Goal.atMost("bytes of region per record in use", Double.parseDouble(filled[1]) / records, 130));
            outcome.goal(Goal.atLeast("records in one memory node", Double.valueOf(filled[0]), records));
        } finally {
            process.end();
            Directories.delete(folder);
        }
    }

    private static String residentKb(long pid) throws IOException {
        try (Stream<String> status = Files.lines(Path.of("/proc/" + pid + "/status"))) {
            return status.filter(line -> line.startsWith("VmRSS:"))
                    .map(line -> line.replaceAll("[^0-9]", ""))
                    .findFirst()
                    .orElse("unknown");
        }
    }
}
