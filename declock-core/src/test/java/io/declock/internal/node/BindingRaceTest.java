// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.ComputeNodeSettings;
import io.declock.LocalSettings;
import io.declock.LockMode;
import io.declock.LockOwner;
import io.declock.MemoryNodeAddress;
import io.declock.internal.inprocess.InProcessFabric;
import io.declock.internal.local.LocalLock;
import io.declock.internal.local.LocalWaiter;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.session.MemoryNodeLink;
import io.declock.internal.time.Clock;
import io.declock.spi.Fabric;
import io.declock.spi.FabricSession;
import io.declock.spi.JoinRequest;
import io.declock.spi.SessionListener;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Names are bound to sessions that begin and end at any moment: no caller that waits for a name may be forgotten. A lock asks its host for the
 * clock at the beginning of each event, before it takes its mutex; what another thread could do at that moment is done there.
 */
@Timeout(60)
class BindingRaceTest {
    private final Host host = new Host();
    private final LateFabric fabric = new LateFabric();
    private LockRig rig;
    private MemoryNodes nodes;

    private void start() throws IOException {
        rig = LockRig.inProcess();
        NodeCounters counters = new NodeCounters();
        fabric.real = InProcessFabric.open(rig.memoryNode(), counters);
        ComputeNodeSettings settings = ComputeNodeSettings.DEFAULTS;
        nodes = new MemoryNodes(
                List.of(fabric.real.address()),
                List.of(fabric),
                settings,
                new NodeRuntime("test", null, null, null, null, null, null),
                counters,
                new LockTable(host, 100));
        nodes.links().forEach(MemoryNodeLink::start);
    }

    @AfterEach
    void stop() {
        rig.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void aSessionThatBeginsAtAnyStepServesWhoWaits(int step) throws Exception {
        start();
        host.at(step, fabric::join);
        Waiter waiter = new Waiter();
        new LocalLock(host, "x").acquire(waiter);
        fabric.join();
        assertThat(waiter.decided.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void aSessionThatEndsAtAnyStepIsFollowedByOneThatServesWhoWaits(int step) throws Exception {
        start();
        fabric.join();
        assertThat(nodes.awaitReady(Duration.ofSeconds(10))).isTrue();
        fabric.joinsAtOnce = true;
        host.at(step, () -> fabric.session.close());
        Waiter waiter = new Waiter();
        new LocalLock(host, "x").acquire(waiter);
        assertThat(waiter.decided.await(10, TimeUnit.SECONDS)).isTrue();
    }

    private static final class Waiter extends LocalWaiter {
        final CountDownLatch decided = new CountDownLatch(1);

        Waiter() {
            super(LockOwner.named("waits"), LockMode.WRITE, false);
        }

        @Override
        public void run() {
            if (state() == State.GRANTED) {
                decided.countDown();
            }
        }
    }

    /** Does something at one of the steps. */
    private final class Host implements LocalLock.Host {
        private int left;
        private Runnable action = () -> {};

        void at(int step, Runnable what) {
            left = step;
            action = what;
        }

        @Override
        public Clock clock() {
            if (left > 0 && --left == 0) {
                action.run();
            }
            return System::nanoTime;
        }

        @Override
        public LocalSettings localSettings() {
            return ComputeNodeSettings.DEFAULTS.local();
        }

        @Override
        public void bind(LocalLock lock) {
            nodes.bind(lock);
        }

        @Override
        public void forgotten(LocalLock lock) {}

        @Override
        public void holdLost(String name, LockMode mode) {}

        @Override
        public void tellOfLoss(Runnable listener) {}

        @Override
        public boolean isClosed() {
            return false;
        }

        @Override
        public void held(int change) {}
    }

    /** Joins when it is told to. */
    private static final class LateFabric implements Fabric {
        InProcessFabric real;
        boolean joinsAtOnce;
        volatile FabricSession session;
        private @Nullable Runnable waiting;

        void join() {
            Runnable now = waiting;
            waiting = null;
            if (now != null) {
                now.run();
            }
        }

        @Override
        public boolean supports(MemoryNodeAddress address) {
            return true;
        }

        @Override
        public CompletionStage<FabricSession> join(
                MemoryNodeAddress address, JoinRequest request, SessionListener listener) {
            CompletableFuture<FabricSession> joined = new CompletableFuture<>();
            waiting = () -> real.join(address, request, listener).thenAccept(begun -> {
                session = begun;
                joined.complete(begun);
            });
            if (joinsAtOnce) {
                join();
            }
            return joined;
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
}
