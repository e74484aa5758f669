// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.peer;

import io.declock.LockMode;
import io.declock.MemoryNodeAddress;
import io.declock.Purpose;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.tcp.client.TcpFabric;
import io.declock.spi.FabricException;
import io.declock.spi.FabricSession;
import io.declock.spi.JoinRequest;
import io.declock.spi.Membership;
import io.declock.spi.PeerMessage;
import io.declock.spi.SessionListener;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * No lock: "lock" is one READ of one word, for which the calling thread parks. No acquisition over this fabric can be faster.
 */
public final class BareVerbPeer implements LockUnderTest, SessionListener {
    private static final Duration LEASE = Duration.ofSeconds(3);

    private final TcpFabric fabric;
    private final FabricSession session;
    private final PerName<Long> records;
    private final ScheduledExecutorService heart = Executors.newSingleThreadScheduledExecutor();
    private final ThreadLocal<Read> reads = ThreadLocal.withInitial(Read::new);

    /** Joins the memory node. */
    public BareVerbPeer(String address, String name, Tuning tuning) throws Exception {
        fabric = TcpFabric.open(tuning.fabric(), new NodeCounters());
        session = fabric.join(
                        MemoryNodeAddress.parse(address),
                        new JoinRequest(ThreadLocalRandom.current().nextLong(), 1, name, "", 0, LEASE.toNanos()),
                        this)
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS);
        heart.scheduleAtFixedRate(() -> session.control().heartbeat(), 500, 500, TimeUnit.MILLISECONDS);
        records = new PerName<>(this::resolve);
    }

    private long resolve(String name) {
        return session.control()
                .resolve("bench\0" + name)
                .toCompletableFuture()
                .join()
                .record();
    }

    @Override
    public Held lock(String name, LockMode mode) {
        reads.get().read(records.get(name));
        return () -> {};
    }

    @Override
    public void close() {
        heart.shutdownNow();
        session.close();
        fabric.close();
    }

    @Override
    public void membershipChanged(Membership membership) {}

    @Override
    public void peerMessage(PeerMessage message) {}

    @Override
    public void reclaimProposed(long round, long[] records) {
        session.control().answerReclaim(round, records);
    }

    @Override
    public void lost(FabricException cause) {}

    /** One thread's read. */
    private final class Read extends VerbChain {
        private final Thread thread = Thread.currentThread();
        private volatile boolean done;
        private volatile @Nullable FabricException failure;

        void read(long address) {
            done = false;
            begin(Purpose.INSPECT).read(address, 1);
            session.memory().post(this);
            while (!done) {
                LockSupport.park(this);
            }
            if (failure != null) {
                throw new IllegalStateException(failure);
            }
        }

        @Override
        public void completed(VerbResults results) {
            done = true;
            LockSupport.unpark(thread);
        }

        @Override
        public void failed(FabricException cause) {
            failure = cause;
            done = true;
            LockSupport.unpark(thread);
        }
    }
}
