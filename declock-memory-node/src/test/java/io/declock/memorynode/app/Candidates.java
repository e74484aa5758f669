// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app;

import static org.awaitility.Awaitility.await;

import io.declock.internal.election.Standing;
import io.declock.internal.election.Standing.Role;
import io.declock.testkit.Ports;
import io.declock.testkit.PostgresServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Both candidates of a memory node, elected by a row of a database. */
final class Candidates implements AutoCloseable {
    private final List<Integer> ports = Ports.free(2);
    private final List<RunningNode> running = new ArrayList<>();

    Candidates(String id, PostgresServer engine) {
        for (int port : ports) {
            running.add(RunningNode.start(
                    "declock.memory-node.id=" + id,
                    "declock.memory-node.port=" + port,
                    "declock.memory-node.wait-out-old-sessions=false",
                    "declock.memory-node.election.lease=2s",
                    "declock.memory-node.election.address=tcp://127.0.0.1:" + port,
                    "declock.memory-node.election.candidates=tcp://127.0.0.1:" + ports.get(0) + ",tcp://127.0.0.1:"
                            + ports.get(1),
                    "declock.memory-node.election.engine=jdbc",
                    "declock.memory-node.election.jdbc.url=" + engine.url(engine.port()),
                    "declock.memory-node.election.jdbc.username=" + engine.user(),
                    "declock.memory-node.election.jdbc.password=" + engine.password()));
        }
    }

    private static boolean serves(RunningNode candidate) {
        Standing standing = candidate.service().standing();
        return standing != null && standing.role() == Role.SERVING;
    }

    String address() {
        return "tcp://127.0.0.1:" + ports.get(0) + "|127.0.0.1:" + ports.get(1);
    }

    RunningNode serving() {
        await().atMost(Duration.ofSeconds(30)).until(() -> running.stream().anyMatch(Candidates::serves));
        return running.stream().filter(Candidates::serves).findAny().orElseThrow();
    }

    RunningNode standingBy() {
        RunningNode serving = serving();
        return running.stream().filter(one -> one != serving).findAny().orElseThrow();
    }

    /** Ends the candidate that serves, and waits until the other one does. */
    void endServing() {
        RunningNode serving = serving();
        running.remove(serving);
        serving.close();
        serving();
    }

    @Override
    public void close() {
        running.forEach(RunningNode::close);
    }
}
