// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kubernetes;

import io.fabric8.kubernetes.client.server.mock.KubernetesCrudDispatcher;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.mockwebserver.Context;
import io.fabric8.mockwebserver.MockWebServer;
import java.util.HashMap;
import java.util.logging.Level;
import java.util.logging.Logger;

/** The mock of Kubernetes' API server that its client brings. It keeps objects. */
final class Mock {
    private static final Logger REQUESTS = Logger.getLogger("io.fabric8.mockwebserver");

    private Mock() {}

    /** Starts one, which the caller destroys. */
    static KubernetesMockServer start() {
        // It would write a line for each request.
        REQUESTS.setLevel(Level.WARNING);
        KubernetesMockServer server = new KubernetesMockServer(
                new Context(), new MockWebServer(), new HashMap<>(), new KubernetesCrudDispatcher(), false);
        server.init();
        return server;
    }
}
