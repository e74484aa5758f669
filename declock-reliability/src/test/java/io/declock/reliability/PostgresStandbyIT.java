// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability;

import io.declock.testkit.PostgresServer;
import java.util.List;

/** Stand-bys that PostgreSQL elects. */
class PostgresStandbyIT extends CandidateFaults {
    private PostgresServer server;

    @Override
    void startEngine() throws Exception {
        server = PostgresServer.start();
    }

    @Override
    void stopEngine() {
        if (server != null) {
            server.close();
        }
    }

    @Override
    void killEngine() throws Exception {
        server.kill();
    }

    @Override
    void restartEngine() throws Exception {
        server.startAgain();
    }

    @Override
    List<Integer> enginePorts() {
        return List.of(server.port());
    }

    @Override
    List<String> arguments(List<Integer> ports) {
        return List.of(
                "--declock.memory-node.election.engine=jdbc",
                "--declock.memory-node.election.jdbc.url=" + server.url(ports.get(0)),
                "--declock.memory-node.election.jdbc.username=" + server.user(),
                "--declock.memory-node.election.jdbc.password=" + server.password());
    }
}
