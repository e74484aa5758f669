// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.papers;

import io.declock.protocols.application.Application;
import io.declock.protocols.application.ApplicationClient;
import io.declock.protocols.application.ApplicationWorld;

/**
 * An application that numbers the clients of a compute node one after the other, in a model that deals clients to compute nodes by turns.
 *
 * @param application the application
 * @param computeNodes number of compute nodes
 * @param clientsPerNode number of clients in each
 */
record ByNode(Application application, int computeNodes, int clientsPerNode) implements OtherClients {
    @Override
    public ApplicationClient client(int number, ApplicationWorld world) {
        return application.client(number % computeNodes * clientsPerNode + number / computeNodes, world);
    }
}
