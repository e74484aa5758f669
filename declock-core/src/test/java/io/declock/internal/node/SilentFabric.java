// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.MemoryNodeAddress;
import io.declock.spi.Fabric;
import io.declock.spi.FabricSession;
import io.declock.spi.JoinRequest;
import io.declock.spi.SessionListener;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A fabric whose memory nodes never answer. For one thread at a time. */
final class SilentFabric implements Fabric {
    /** The addresses at which it was to join. */
    final List<MemoryNodeAddress> asked = new ArrayList<>();

    private final String scheme;

    SilentFabric(String scheme) {
        this.scheme = scheme;
    }

    @Override
    public boolean supports(MemoryNodeAddress address) {
        return address.scheme().equals(scheme);
    }

    @Override
    public CompletionStage<FabricSession> join(
            MemoryNodeAddress address, JoinRequest request, SessionListener listener) {
        asked.add(address);
        return new CompletableFuture<>();
    }

    @Override
    public String peerAddress() {
        return "";
    }

    @Override
    public void close() {}
}
