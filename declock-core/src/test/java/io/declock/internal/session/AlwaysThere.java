// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import io.declock.MemoryNodeAddress;
import io.declock.spi.Fabric;
import io.declock.spi.FabricSession;
import io.declock.spi.HeartbeatReply;
import io.declock.spi.JoinRequest;
import io.declock.spi.SessionListener;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** A fabric whose memory node answers every join at once. For one thread at a time. */
final class AlwaysThere implements Fabric {
    volatile int joins;
    volatile SessionListener events;
    volatile QuietSession latest;
    volatile JoinRequest request;
    int beats;
    Consumer<QuietSession> whenJoining = session -> {};
    Function<FabricSession, CompletableFuture<FabricSession>> answers = CompletableFuture::completedFuture;
    Supplier<CompletableFuture<HeartbeatReply>> heartbeats = CompletableFuture::new;

    @Override
    public boolean supports(MemoryNodeAddress address) {
        return true;
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // One at a time, or the test fails.
    public CompletionStage<FabricSession> join(
            MemoryNodeAddress address, JoinRequest request, SessionListener listener) {
        joins++;
        events = listener;
        this.request = request;
        latest = new QuietSession(joins, () -> heartbeats.get());
        whenJoining.accept(latest);
        return answers.apply(latest);
    }

    @Override
    public String peerAddress() {
        return "";
    }

    @Override
    public void close() {}
}
