// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability;

import io.declock.testkit.TcpProxy;
import io.declock.testkit.TcpProxy.Flow;
import io.fabric8.kubernetes.client.server.mock.KubernetesCrudDispatcher;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.mockwebserver.Context;
import io.fabric8.mockwebserver.MockWebServer;
import java.util.HashMap;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Stand-bys that Kubernetes elects. Its API server is the mock of its client, in this process: no cluster is tried here. */
class KubernetesStandbyIT extends StandbyContract {
    private static final Logger REQUESTS = Logger.getLogger("io.fabric8.mockwebserver");
    private KubernetesMockServer server;
    private TcpProxy door;

    @Override
    void startEngine() {
        // It would write a line for each request.
        REQUESTS.setLevel(Level.WARNING);
        server = new KubernetesMockServer(
                new Context(), new MockWebServer(), new HashMap<>(), new KubernetesCrudDispatcher(), false);
        server.init();
        door = new TcpProxy(server.getPort());
    }

    @Override
    void stopEngine() {
        door.close();
        server.destroy();
    }

    /** The mock would forget its objects. */
    @Override
    void killEngine() {
        door.set(Flow.LOST);
        door.sever();
    }

    @Override
    void restartEngine() {
        door.set(Flow.OPEN);
    }

    @Override
    List<Integer> enginePorts() {
        return List.of(door.port());
    }

    @Override
    List<String> arguments(List<Integer> ports) {
        return List.of(
                "--declock.memory-node.election.engine=kubernetes",
                "--declock.memory-node.election.kubernetes.namespace=locks",
                "--declock.memory-node.election.kubernetes.master-url=http://127.0.0.1:" + ports.get(0));
    }
}
