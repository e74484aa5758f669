// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import io.declock.MemoryNodeAddress;
import java.util.concurrent.CompletionStage;

/** Passes everything on to another fabric; a subclass changes what a test is about. */
public class ForwardingFabric implements Fabric {
    private final Fabric real;

    /** Makes one that changes nothing. */
    protected ForwardingFabric(Fabric real) {
        this.real = real;
    }

    @Override
    public boolean supports(MemoryNodeAddress address) {
        return real.supports(address);
    }

    @Override
    public CompletionStage<FabricSession> join(
            MemoryNodeAddress address, JoinRequest request, SessionListener listener) {
        return real.join(address, request, listener);
    }

    @Override
    public String peerAddress() {
        return real.peerAddress();
    }

    @Override
    public void close() {
        real.close();
    }
}
