// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.reliability.ledger.Ledger;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cluster's bounds on waiting times, and its account of programs that ended. The programs here do nothing. */
class ClusterTest {
    private static final Duration LEASE = Duration.ofMillis(1000);
    /** Lease, margin and tick of the memory node, and a second. */
    private static final Duration BOUND = Duration.ofMillis(2300);

    @TempDir
    private Path directory;

    private long now = Duration.ofHours(1).toNanos();
    private long late;
    private final Lateness lateness = new Lateness(() -> now, nanos -> now += nanos + late);
    private Cluster<Node> cluster;

    @BeforeEach
    void start() {
        cluster = Cluster.on(new QuietPlatform(), lateness);
    }

    @AfterEach
    void end() {
        cluster.close();
    }

    // ---------------------------------------------------------------- how long a waiter may wait

    private void napLateBy(Duration time) {
        late = time.toNanos();
        lateness.nap();
    }

    private void waited(Duration time, long since) throws IOException {
        Ledger.create(directory.resolve("one.load.ledger"), 1)
                .enter(1, false, 7, 1, since - 1_000, since + time.toNanos())
                .left(false);
    }

    @Test
    void aWaitAsLongAsTheBoundIsInTime() throws IOException {
        assertThat(cluster.bound()).isEqualTo(BOUND);
        waited(BOUND, now);
        assertThatCode(() -> cluster.judge(now)).doesNotThrowAnyException();
    }

    @Test
    void aWaitLongerThanTheBoundIsSeen() throws IOException {
        napLateBy(Duration.ofSeconds(3));
        waited(BOUND.plusNanos(1), now);
        assertThatThrownBy(() -> cluster.judge(now)).hasMessageContaining("waited 2300 ms");
    }

    @Test
    void theBoundGrowsByWhatTheMachineWasLateForEachOfThreeProcesses() throws IOException {
        long calmSince = now;
        napLateBy(Duration.ofMillis(40));
        napLateBy(Duration.ofMillis(2));
        assertThat(cluster.boundSince(calmSince)).isEqualTo(BOUND.plusMillis(3 * 42));
        waited(BOUND.plusMillis(3 * 42), calmSince);
        assertThatCode(() -> cluster.judge(calmSince)).doesNotThrowAnyException();
        waited(BOUND.plusMillis(3 * 42).plusNanos(1), calmSince);
        assertThatThrownBy(() -> cluster.judge(calmSince)).hasMessageContaining("the bound is 2300 ms, or 2426 ms");
    }

    // ---------------------------------------------------------------- the description of a failed run

    @Test
    void theLastLinesOfEveryProgramAreTold() {
        cluster.worker("one");
        assertThat(cluster.describe())
                .contains("-- memory node, which runs", "-- one-2, which runs", "\n   one-2 logged line 30")
                .contains("\n   memory-node logged line 6\n", "\n   memory-node logged line 30\n")
                .doesNotContain("line 5\n");
    }

    @Test
    void anEndedProgramIsDescribedAndADismissedOneIsNot() {
        List<Node> two = cluster.workers("crashed", "dismissed");
        two.get(0).worker().program().kill();
        cluster.dismiss(two.subList(1, 2));
        cluster.memoryNode().kill();
        assertThat(cluster.describe())
                .contains("-- memory node, WHICH HAS ENDED", "-- crashed-2, WHICH HAS ENDED")
                .doesNotContain("dismissed");
    }

    // ---------------------------------------------------------------- programs

    private final class QuietPlatform implements Platform {
        @Override
        public Site site() {
            return new Site(LEASE, directory, "jdbc:h2:mem:" + directory.getFileName() + ";DB_CLOSE_DELAY=-1");
        }

        @Override
        public Program startMemoryNode(int life, boolean hadEarlierLife) {
            return new QuietProgram("memory-node");
        }

        @Override
        public Node launch(String name) {
            return new QuietNode(new WorkerClient(name, new QuietProgram(name)));
        }

        @Override
        public void close() {}
    }

    private record QuietNode(WorkerClient worker) implements Node {
        @Override
        public void isolate() {}

        @Override
        public void heal() {}

        @Override
        public void close() {
            worker.close();
        }
    }

    /** Says that it is ready, and has logged thirty lines. */
    private static final class QuietProgram implements Program {
        private final String name;
        private boolean alive = true;

        QuietProgram(String name) {
            this.name = name;
        }

        @Override
        public OutputStream commands() {
            return OutputStream.nullOutputStream();
        }

        @Override
        public InputStream answers() {
            return new ByteArrayInputStream("@ ready\n".getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public void kill() {
            alive = false;
        }

        @Override
        public void terminate() {
            alive = false;
        }

        @Override
        public void pause() {}

        @Override
        public void resume() {}

        @Override
        public boolean isAlive() {
            return alive;
        }

        @Override
        public String log() {
            return IntStream.rangeClosed(1, 30)
                    .mapToObj(line -> name + " logged line " + line)
                    .collect(Collectors.joining("\n"));
        }

        @Override
        public void close() {
            alive = false;
        }
    }
}
