// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.laboratory.program;

import io.declock.fabric.Fabric;
import io.declock.fabric.FabricException;
import io.declock.fabric.FabricSession;
import io.declock.fabric.JoinRequest;
import io.declock.fabric.Membership;
import io.declock.fabric.MemoryNodeAddress;
import io.declock.fabric.PeerMessage;
import io.declock.fabric.Purpose;
import io.declock.fabric.SessionListener;
import io.declock.fabric.VerbChain;
import io.declock.fabric.VerbResults;
import io.declock.fabric.tcp.ControlSession;
import io.declock.fabric.tcp.TcpFabric;
import io.declock.monitor.Counters;
import io.declock.rdma.BareVerb;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What one fetch-and-add costs in Java below the locks: by the binding alone, and as a chain of the fabric. */
final class VerbFigures {
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final int SECONDS = 60;

    private final MemoryNodeAddress address;
    private final int warmUp;
    private final int cycles;

    VerbFigures(MemoryNodeAddress address, int warmUp, int cycles) {
        this.address = address;
        this.warmUp = warmUp;
        this.cycles = cycles;
    }

    /** Returns the median in microseconds of verbs that are posted and polled for without anything around it. */
    double binding() throws Exception {
        try (TcpFabric tcp = Fabrics.tcp(new Counters())) {
            MemoryNodeAddress control = new MemoryNodeAddress(TcpFabric.SCHEME, address.host(), address.port());
            ControlSession session = tcp.joinControl(control, request(), new Deaf())
                    .toCompletableFuture()
                    .get(SECONDS, TimeUnit.SECONDS);
            ControlSession.DirectWay way = session.directWay()
                    .toCompletableFuture()
                    .get(SECONDS, TimeUnit.SECONDS)
                    .orElseThrow();
            try (BareVerb verb = new BareVerb(address.host(), way)) {
                return median(session, verb::fetchAndAdd);
            }
        }
    }

    /** Returns the same of chains through a session of the fabric, taken by the thread that posts. */
    double fabric() throws Exception {
        Counters counters = new Counters();
        try (TcpFabric tcp = Fabrics.tcp(counters);
                Fabric fabric = Fabrics.rdma(Map.of("poll-time", "PT0.005S"), tcp, counters)) {
            FabricSession session = fabric.join(address, request(), new Deaf())
                    .toCompletableFuture()
                    .get(SECONDS, TimeUnit.SECONDS);
            Addition addition = new Addition(session);
            return median(session, addition::execute);
        }
    }

    private double median(FabricSession session, Runnable verb) {
        long[] nanos = new long[cycles];
        for (int i = -warmUp; i < cycles; i++) {
            if (i % 1000 == 0) {
                session.control().heartbeat();
            }
            long start = System.nanoTime();
            verb.run();
            if (i >= 0) {
                nanos[i] = System.nanoTime() - start;
            }
        }
        Arrays.sort(nanos);
        return nanos[cycles / 2] / 1000.0;
    }

    private static JoinRequest request() {
        return new JoinRequest(System.nanoTime(), "verbs", "", 0, 0, LEASE.toNanos());
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
