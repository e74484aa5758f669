// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.testkit.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The ground that the other tests stand on: a device that executes verbs, asked with rdma-core's and perftest's own programs. */
class SoftRoceIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

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
        try (ChildProcess server = ChildProcess.logged("server", latency(), temporary.resolve("server.txt"))) {
            String text = retriedUntilListening(server);

            // How long they took is not asked: on a busy host the program finds no relation of cycles to time and
            // prints "inf".
            assertThat(text).as("a row for 200 operations of 8 bytes").containsPattern("(?m)^\\s*8\\s+200\\s");
            assertThat(server.awaitEnd(Duration.ofSeconds(30))).isTrue();
            assertThat(server.exitValue()).isZero();
        }
    }

    private static ProcessBuilder latency(String... server) {
        List<String> command = new ArrayList<>(List.of("ib_atomic_lat", "-d", "rxe0", "-x", "1", "-n", "200", "-F"));
        command.addAll(List.of(server));
        return new ProcessBuilder(command);
    }

    /** The server says nothing when it has begun to listen, so the client is started again while it is refused. */
    private static String retriedUntilListening(ChildProcess server) throws Exception {
        String said = "";
        for (int i = 0; i < 20; i++) {
            ChildProcess.Finished client = ChildProcess.run(latency("127.0.0.1"), PATIENCE);
            if (client.status() == 0) {
                return client.text();
            }
            said = client.text();
            assertThat(server.isAlive()).as(server.log()).isTrue();
        }
        throw new AssertionError("ib_atomic_lat did not connect: " + said + server.log());
    }

    private static String run(String... command) throws Exception {
        ChildProcess.Finished program = ChildProcess.run(new ProcessBuilder(command), PATIENCE);
        assertThat(program.status()).as(program.text()).isZero();
        return program.text();
    }
}
