// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.processes;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.rdma.laboratory.program.Child;
import io.declock.simulation.RecordedHistory;
import io.declock.simulation.RecordedHold;
import io.declock.testkit.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A memory node and several compute nodes, each a process of its own, on one machine's device. Every hold is written down, and the
 * simulation's checkers look at the history of all processes together.
 */
@Timeout(300)
class ProcessesIT {
    private static final Duration START = Duration.ofSeconds(150);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String PLACE = "10.77.0.1:7420";

    private static final String FORMER = "former";
    /** The last build that knew no values. */
    private static final Map<String, Path> FORMER_JARS = Map.of(
            "declock-core-",
                    Path.of("../declock-reliability/src/test/resources/former/declock-core-wire-7.jar")
                            .toAbsolutePath(),
            "declock-rdma-", Path.of("src/lab/former/declock-rdma-wire-7.jar").toAbsolutePath());

    @TempDir
    Path temporary;

    private final List<ChildProcess> started = new ArrayList<>();
    private ChildProcess memoryNode;

    @BeforeEach
    void startMemoryNode() throws Exception {
        memoryNode = start("memory-node");
    }

    @AfterEach
    void endAll() throws Exception {
        for (ChildProcess process : started) {
            process.close();
        }
    }

    private ChildProcess start(String name) throws Exception {
        ChildProcess process = name.startsWith(FORMER) ? Child.startFormer(name, FORMER_JARS) : Child.start(name);
        started.add(process);
        return process;
    }

    /** Starts compute nodes that join with these schemes. */
    private List<ChildProcess> join(String... schemes) throws Exception {
        List<ChildProcess> workers = new ArrayList<>();
        for (String scheme : schemes) {
            workers.add(start(scheme + "-" + (workers.size() + 1)));
        }
        return join(workers, schemes);
    }

    private List<ChildProcess> join(List<ChildProcess> workers, String... schemes) throws Exception {
        memoryNode.await("^@ here", START);
        memoryNode.tell("serve " + served(schemes) + "://" + PLACE + " nowait");
        memoryNode.await("^@ done serve", START);
        for (int i = 0; i < schemes.length; i++) {
            workers.get(i).await("^@ here", START);
            workers.get(i).tell("join " + schemes[i] + "://" + PLACE);
        }
        for (ChildProcess worker : workers) {
            worker.await("^@ done join", START);
        }
        return workers;
    }

    private static String served(String[] schemes) {
        return List.of(schemes).contains("rdma") ? "rdma" : "tcp";
    }

    private Path history(int worker) {
        return temporary.resolve("history-" + worker);
    }

    private void work(List<ChildProcess> workers, String what) {
        for (int i = 0; i < workers.size(); i++) {
            workers.get(i).tell("work " + history(i) + " " + what);
        }
    }

    private List<RecordedHold> recorded(List<ChildProcess> workers) throws Exception {
        List<RecordedHold> all = new ArrayList<>();
        for (int i = 0; i < workers.size(); i++) {
            workers.get(i).await("^@ done work", PATIENCE);
            List<RecordedHold> own = Files.readAllLines(history(i)).stream()
                    .map(RecordedHold::ofLine)
                    .toList();
            assertThat(own).as("holds of worker %s", i).isNotEmpty();
            all.addAll(own);
        }
        return all;
    }

    /** One start of the processes for both: it takes longer than the work. */
    @Test
    void oneWriterAtATimeAcrossProcessesByRdmaAndOverTcp() throws Exception {
        List<ChildProcess> workers = join("rdma", "rdma", "tcp");
        List<ChildProcess> byRdma = workers.subList(0, 2);

        work(byRdma, "2 8 6000 50");
        check(recorded(byRdma));

        // Every atomic on the region is executed by one adapter, whatever way it came.
        work(workers, "2 1 6000 30");
        check(recorded(workers));
    }

    /** A grant with a value is longer than the former build's buffers. It would break the connection, and the next grant would go through the memory node. */
    @Test
    void aProcessOfAFormerBuildIsGrantedLocksByRdmaByOnesThatTellValues() throws Exception {
        List<ChildProcess> workers =
                join(List.of(start(FORMER), start("rdma-2"), start("rdma-3")), "rdma", "rdma", "rdma");
        for (int i = 0; i < workers.size(); i++) {
            workers.get(i).tell("work " + history(i) + " 1 1 12000 0" + (i == 0 ? "" : " values"));
        }
        int granted = grants(workers.get(0), 1);
        int relayed = grants(workers.get(1), 2) + grants(workers.get(2), 2);
        check(recorded(workers));
        assertThat(granted)
                .as("grants, of which %s at most did not go by RDMA", relayed)
                .isGreaterThan(relayed);
    }

    /** Returns how many grants came to a worker, or how many messages it sent through the memory node. */
    private static int grants(ChildProcess worker, int group) throws InterruptedException {
        return Integer.parseInt(
                worker.await("^@ grants (\\d+) (\\d+)", PATIENCE).group(group));
    }

    private static void check(List<RecordedHold> holds) {
        RecordedHistory.check(holds);
        System.out.println("recorded and checked: " + holds.size() + " holds");
        assertThat(holds.size()).as("holds").isGreaterThan(30);
        assertThat(holds).anyMatch(RecordedHold::isExclusive);
    }
}
