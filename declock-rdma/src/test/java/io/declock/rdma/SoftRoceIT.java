// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The ground that the other tests stand on: a device that executes verbs, asked with rdma-core's and perftest's own programs. */
class SoftRoceIT {
    @TempDir
    Path temporary;

    @Test
    void thereIsADeviceWithAnActivePort() throws Exception {
        String text = run("ibv_devinfo", "-v", "-d", "rxe0");

        assertThat(text).contains("PORT_ACTIVE").containsPattern("link_layer:\\s+Ethernet");
        assertThat(text).as("atomics").containsPattern("atomic_cap:\\s+ATOMIC_HCA");
    }

    @Test
    void itExecutesFetchAndAdd() throws Exception {
        List<String> options = List.of("ib_atomic_lat", "-d", "rxe0", "-x", "1", "-n", "200", "-F");
        Process server = start("server.txt", options.toArray(String[]::new));
        try {
            String text = retriedUntilListening(options, server);

            // How long they took is not asked: on a busy host the program finds no relation of cycles to time and
            // prints "inf".
            assertThat(text).as("a row for 200 operations of 8 bytes").containsPattern("(?m)^\\s*8\\s+200\\s");
            assertThat(server.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(server.exitValue()).isZero();
        } finally {
            server.destroyForcibly();
        }
    }

    /** The server says nothing when it has begun to listen, so the client is started again while it is refused. */
    private String retriedUntilListening(List<String> options, Process server) throws Exception {
        String[] client = new String[options.size() + 1];
        options.toArray(client);
        client[options.size()] = "127.0.0.1";
        for (int i = 0; i < 20; i++) {
            Process process = start("client.txt", client);
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            if (process.exitValue() == 0) {
                return read("client.txt");
            }
            assertThat(server.isAlive()).as(read("server.txt")).isTrue();
        }
        throw new AssertionError("ib_atomic_lat did not connect: " + read("client.txt") + read("server.txt"));
    }

    private String run(String... command) throws Exception {
        Process process = start("output.txt", command);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(read("output.txt")).isZero();
        return read("output.txt");
    }

    private Process start(String output, String... command) throws IOException {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(temporary.resolve(output).toFile())
                .start();
    }

    private String read(String output) throws IOException {
        return Files.readString(temporary.resolve(output), StandardCharsets.UTF_8);
    }
}
