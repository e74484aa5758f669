// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability;

import io.declock.testkit.EtcdServer;
import java.util.List;

/** Stand-bys that etcd elects. */
class EtcdStandbyIT extends StandbyContract {
    private EtcdServer server;

    @Override
    void startEngine() throws Exception {
        server = EtcdServer.start();
    }

    @Override
    void stopEngine() {
        if (server != null) {
            server.close();
        }
    }

    @Override
    void killEngine() {
        server.kill();
    }

    @Override
    void restartEngine() throws Exception {
        server.startAgain();
    }

    @Override
    List<String> arguments() {
        return List.of(
                "--declock.memory-node.election.engine=etcd",
                "--declock.memory-node.election.etcd.endpoints=" + server.address());
    }
}
