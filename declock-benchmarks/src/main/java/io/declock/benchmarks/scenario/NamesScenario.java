// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.scenario;

import io.declock.LockMode;
import io.declock.benchmarks.peer.DecLockPeer;
import io.declock.benchmarks.report.Goal;
import io.declock.benchmarks.server.RunningServer;
import io.declock.benchmarks.server.ServerKind;
import io.declock.testkit.ChildProcess;
import io.declock.testkit.Directories;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Very many names, each used once: neither the client nor the memory node may accumulate them. */
@Command(
        name = "names",
        mixinStandardHelpOptions = true,
        description = "100,000 names locked and released once each: what remains in the client and in the memory node.")
public final class NamesScenario extends Scenario {
    private static final long RECLAIM_MILLIS = 1000;
    private static final Duration RECLAIM = Duration.ofMinutes(1);
    private static final int KEPT = 1000;
    private static final double MOST_BYTES_PER_KEPT_NAME = 2000;

    @Option(names = "--names", description = "Lock names (default: ${DEFAULT-VALUE}).")
    private int names = 100_000;

    @Override
    protected String title() {
        return "Each of many names locked and released once";
    }

    @Override
    protected void execute(Outcome outcome) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("declock-bench-");
        try (RunningServer server = RunningServer.start(
                ServerKind.MEMORY_NODE,
                folder,
                List.of("--records=" + (names + 50_000), "--reclaim-millis=" + RECLAIM_MILLIS))) {
            ChildProcess node = server.process();
            if (node == null) {
                throw new IOException("the memory node has no process");
            }
            use(outcome, server.address(), node);
        } finally {
            Directories.delete(folder);
        }
    }

    private void use(Outcome outcome, String address, ChildProcess node) throws IOException, InterruptedException {
        var tuning = options().runSettings().tuning().with(Map.of("max-idle-locks", String.valueOf(KEPT)));
        try (DecLockPeer locks = DecLockPeer.joined(address, "names", tuning)) {
            locks.lock("warm", LockMode.WRITE).unlock();
            long heapBefore = usedHeap();
            long began = System.nanoTime();
            for (int i = 0; i < names; i++) {
                locks.lock("once-" + i, LockMode.WRITE).unlock();
            }
            outcome.fact("names", names);
            outcome.fact("first uses per second (each resolves its name)", names / ((System.nanoTime() - began) / 1e9));
            outcome.fact("records in use right after", recordsInUse(node));
            long grown = usedHeap() - heapBefore;
            int table = locks.node().monitor().tableSize();
            outcome.fact("client's heap grown by bytes", grown);
            outcome.fact("client's table", table + " names, settings allow " + KEPT + " idle ones");
            outcome.goal(Goal.atMost("names left in the client's table", (double) table, KEPT * 1.1 + 16));
            outcome.goal(Goal.atMost(
                    "bytes of heap left in the client, per name allowed to stay",
                    (double) grown / KEPT,
                    MOST_BYTES_PER_KEPT_NAME));
            long left = awaitReclaimed(node);
            outcome.fact("records in use after reclaiming", left);
            outcome.goal(
                    Goal.atMost("records left in the memory node after reclaiming", (double) left, KEPT * 1.1 + 16));
            locks.lock("once-0", LockMode.WRITE).unlock();
        } catch (InterruptedException | IOException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException("a lock failed", e);
        }
    }

    private static long awaitReclaimed(ChildProcess node) throws InterruptedException {
        long deadline = System.nanoTime() + RECLAIM.toNanos();
        long left = recordsInUse(node);
        while (left > KEPT && System.nanoTime() < deadline) {
            Thread.sleep(500);
            left = recordsInUse(node);
        }
        return left;
    }

    private static long recordsInUse(ChildProcess node) throws InterruptedException {
        node.tell("STATUS");
        return Long.parseLong(
                node.await("^STATUS (\\d+)", Duration.ofSeconds(10)).group(1));
    }

    private static long usedHeap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
