// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.rdma.laboratory.Laboratory;
import io.declock.testkit.ChildProcess;
import io.declock.testkit.Commands;
import io.declock.testkit.UnpackedJar;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demonstration with locks over real verbs, inside a laboratory machine. */
class RdmaDemoIT {
    private static final int SECONDS = 570;
    /** As in {@link Programs}, or the archives of classes would not fit. */
    private static final List<String> JVM =
            List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto");

    private static final String JAVA = Commands.program("java");

    /** Not a temporary directory: the machine has others there. */
    private final Path work = Path.of("target", "laboratory").toAbsolutePath();

    @TempDir
    Path temporary;

    @Test
    void twoInstancesSellNothingTwiceOverRdma() throws Exception {
        Laboratory.image("the sample application over RDMA");
        Path memoryNode = quicklyStarting(
                Path.of("..", "declock-memory-node"), "--declock.memory-node.id=demo", "--declock.memory-node.port=0");
        Path shop = quicklyStarting(
                Path.of("..", "sample-app"),
                "--declock.memory-nodes=tcp://127.0.0.1:7420",
                "--shop.database=" + temporary.resolve("shop"));

        List<String> demo = List.of(
                // Programs on emulated processors start for longer than the usual lease lasts.
                "DECLOCK_LEASE=10s",
                JAVA,
                String.join(" ", JVM),
                "-Ddemo.memory-node=" + memoryNode,
                "-Ddemo.shop=" + shop,
                "-cp " + shop,
                DemoRunner.class.getName(),
                "--rdma=$LAB_ADDRESS --instances=2 --products=2 --stock=40",
                "--concurrency=6 --orders=100 --seconds=20 --patience=400");
        ChildProcess.Finished ended = ChildProcess.run(
                Laboratory.command("--seconds=" + SECONDS, "run", String.join(" ", demo)),
                Duration.ofSeconds(SECONDS + 60));
        String text = ended.text();
        System.out.println(text);

        assertThat(ended.status()).as("exit code of the demonstration").isZero();
        assertThat(text).contains("locks over RDMA").contains("NOTHING WAS OVERSOLD");
        assertThat(text).contains("0 orders refused for an old token, 0 orders shared a token");
    }

    /** Unpacks a module's program, with an archive of the classes it loads: emulated processors load few a second. */
    private Path quicklyStarting(Path module, String... arguments) throws Exception {
        Path executable;
        try (Stream<Path> files = Files.list(module.resolve("target"))) {
            executable = files.filter(file -> file.toString().endsWith("-exec.jar"))
                    .findFirst()
                    .orElseThrow();
        }
        List<String> rehearsal = new ArrayList<>(List.of("--server.port=0"));
        rehearsal.addAll(List.of(arguments));
        return UnpackedJar.unpack(executable, work.resolve(module.getFileName()), JVM, rehearsal)
                .jar();
    }
}
