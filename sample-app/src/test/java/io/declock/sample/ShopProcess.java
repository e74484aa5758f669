// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A shop that was started without any setting, in a process of its own: H2 reads its settings once, when its classes are loaded, and a
 * process can be killed.
 */
final class ShopProcess implements AutoCloseable {
    private final Process process;
    private final int port;

    private ShopProcess(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Starts one whose user has the home directory {@code home}, and waits until it serves requests. */
    static ShopProcess start(Path home) throws IOException {
        return start(home, List.of("-cp", System.getProperty("java.class.path"), SampleApplication.class.getName()));
    }

    /** The same, by what stands between the command {@code java} and the program's arguments. */
    static ShopProcess start(Path home, List<String> how) throws IOException {
        Path portFile = home.resolve("port");
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Duser.home=" + home));
        command.addAll(how);
        command.addAll(List.of("--server.port=0", "--declock.embedded.port=0"));
        ProcessBuilder program = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(home.resolve("log").toFile());
        program.environment().put("PORTFILE", portFile.toString());
        Process process = program.start();
        await().atMost(Duration.ofSeconds(90))
                .failFast("the shop has ended", () -> !process.isAlive())
                .until(() ->
                        Files.exists(portFile) && !Files.readString(portFile).isBlank());
        return new ShopProcess(
                process, Integer.parseInt(Files.readString(portFile).strip()));
    }

    int port() {
        return port;
    }

    void kill() throws InterruptedException {
        process.destroyForcibly();
        awaitEnd();
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        awaitEnd();
    }

    private void awaitEnd() throws InterruptedException {
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }
}
