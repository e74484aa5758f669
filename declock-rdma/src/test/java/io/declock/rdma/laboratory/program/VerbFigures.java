// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.laboratory.program;

import io.declock.MemoryNodeAddress;
import io.declock.Purpose;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.rdma.RdmaOffer;
import io.declock.internal.tcp.client.ControlSession;
import io.declock.internal.tcp.client.TcpFabric;
import io.declock.rdma.BareVerb;
import io.declock.spi.Fabric;
import io.declock.spi.FabricException;
import io.declock.spi.FabricSession;
import io.declock.spi.JoinRequest;
import io.declock.spi.Membership;
import io.declock.spi.PeerMessage;
import io.declock.spi.SessionListener;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** One fetch-and-add in Java below the locks: by the binding alone, and as a chain of the fabric. Not thread-safe. */
final class VerbFigures implements AutoCloseable {
    private static final Duration LEASE = Duration.ofSeconds(30);
    /** Often, as on an emulated processor that compiles it may come seconds late. */
    private static final int HEARTBEAT_SECONDS = 1;

    private static final int SECONDS = 60;

    private final ScheduledExecutorService heart = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().factory());
    private final NodeCounters counters = new NodeCounters();
    private final TcpFabric tcp = Fabrics.tcp(counters);
    private final Fabric rdma = Fabrics.rdma(Map.of("poll-time", "PT0.005S"), tcp, counters);
    private final Addition addition;
    private final BareVerb verb;

    /** Joins a memory node for each of the two. */
    VerbFigures(MemoryNodeAddress address) throws Exception {
        FabricSession session =
                rdma.join(address, request(), new Deaf()).toCompletableFuture().get(SECONDS, TimeUnit.SECONDS);
        addition = new Addition(session);
        MemoryNodeAddress overTcp = new MemoryNodeAddress(TcpFabric.SCHEME, address.host(), address.port());
        ControlSession control = tcp.joinControl(overTcp, request(), new Deaf())
                .toCompletableFuture()
                .get(SECONDS, TimeUnit.SECONDS);
        RdmaOffer offer = control.rdmaOffer()
                .toCompletableFuture()
                .get(SECONDS, TimeUnit.SECONDS)
                .orElseThrow();
        verb = new BareVerb(address.host(), offer);
        heart.scheduleWithFixedDelay(
                () -> {
                    session.control().heartbeat();
                    control.control().heartbeat();
                },
                HEARTBEAT_SECONDS,
                HEARTBEAT_SECONDS,
                TimeUnit.SECONDS);
    }

    /** Posts one and polls for it, without anything around it. */
    void byTheBinding() {
        verb.fetchAndAdd();
    }

    /** Posts one through a session of the fabric, taken by the thread that posts. */
    void byTheFabric() {
        addition.execute();
    }

    @Override
    public void close() throws Exception {
        heart.shutdownNow();
        verb.close();
        rdma.close();
        tcp.close();
    }

    private static JoinRequest request() {
        return new JoinRequest(System.nanoTime(), 1, "verbs", "", 0, LEASE.toNanos());
    }

    /** Adds zero to the first word of the region; who holds which lock is not changed by that. */
    private static final class Addition extends VerbChain {
        private final FabricSession session;
        private volatile boolean over;
        private FabricException failure;

        Addition(FabricSession session) {
            this.session = session;
        }

        void execute() {
            over = false;
            begin(Purpose.ACQUIRE).fetchAndAdd(0, 0);
            session.memory().post(this);
            while (!over) {
                Thread.onSpinWait();
            }
            if (failure != null) {
                throw new IllegalStateException(failure);
            }
        }

        @Override
        public void completed(VerbResults results) {
            over = true;
        }

        @Override
        public void failed(FabricException cause) {
            failure = cause;
            over = true;
        }
    }

    /** Has no locks, so nothing that is said concerns it. */
    private static final class Deaf implements SessionListener {
        @Override
        public void membershipChanged(Membership membership) {}

        @Override
        public void peerMessage(PeerMessage message) {}

        @Override
        public void reclaimProposed(long round, long[] records) {}

        @Override
        public void lost(FabricException cause) {}
    }
}
