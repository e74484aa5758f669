// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.ComputeNodeSettings;
import io.declock.LockHandle;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.MemoryNodeAddress;
import io.declock.spi.Fabric;
import io.declock.spi.FabricSession;
import io.declock.spi.ForwardingFabric;
import io.declock.spi.JoinRequest;
import io.declock.spi.SessionListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A memory node that was stopped answers a join when the lease it grants is over already. */
@Timeout(60)
class LateJoinTest {
    private static final Duration LEASE = Duration.ofMillis(300);
    private static final int LOCKS = 100;

    private LockRig rig;
    private LateFabric fabric;
    private ComputeNode node;

    @BeforeEach
    void make() throws Exception {
        rig = LockRig.inProcess(settings -> settings.records(2 * LOCKS));
        node = rig.node(
                real -> fabric = new LateFabric(real),
                builder -> builder.settings(ComputeNodeSettings.builder()
                        .lease(LEASE)
                        .heartbeatInterval(LEASE.dividedBy(6))
                        .leaseMargin(LEASE.dividedBy(12))
                        .build()));
    }

    @AfterEach
    void stop() {
        rig.close();
        fabric.eventLoop.shutdownNow();
    }

    @Test
    void whoWaitsIsServedByTheNextSession() throws Exception {
        fabric.delay = LEASE.plusMillis(100);
        List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
        for (int i = 0; i < LOCKS; i++) {
            waiting.add(node.acquireAsync(LockRequest.write("lock-" + i), LockOwner.named("waiter"))
                    .toCompletableFuture());
        }
        node.start();
        await().atMost(Duration.ofSeconds(20)).until(() -> fabric.joins >= 3);
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
        fabric.delay = Duration.ZERO;
        for (CompletableFuture<LockHandle> one : waiting) {
            one.get(20, SECONDS).close();
        }
    }

    /** One whose memory node answers on a single event loop, after a while. */
    private static final class LateFabric extends ForwardingFabric {
        final ScheduledExecutorService eventLoop = Executors.newSingleThreadScheduledExecutor();
        volatile Duration delay = Duration.ZERO;
        volatile int joins;

        LateFabric(Fabric real) {
            super(real);
        }

        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate") // One join at a time.
        public CompletionStage<FabricSession> join(
                MemoryNodeAddress address, JoinRequest request, SessionListener listener) {
            joins++;
            CompletableFuture<FabricSession> result = new CompletableFuture<>();
            eventLoop.schedule(
                    () -> super.join(address, request, listener).whenComplete((session, failure) -> {
                        if (failure == null) {
                            result.complete(session);
                        } else {
                            result.completeExceptionally(failure);
                        }
                    }),
                    delay.toMillis(),
                    MILLISECONDS);
            return result;
        }
    }
}
