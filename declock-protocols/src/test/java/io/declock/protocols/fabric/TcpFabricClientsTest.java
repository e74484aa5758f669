// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.fabric;

import io.declock.spi.FabricRig;

/** The locks of the literature over TCP. */
class TcpFabricClientsTest extends FabricClientsContract {
    @Override
    protected FabricRig start() {
        return new LoopbackRig();
    }
}
