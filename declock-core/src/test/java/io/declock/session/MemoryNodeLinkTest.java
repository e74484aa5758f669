// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.fabric.ControlPlane;
import io.declock.fabric.Fabric;
import io.declock.fabric.FabricException;
import io.declock.fabric.FabricSession;
import io.declock.fabric.JoinReply;
import io.declock.fabric.JoinRequest;
import io.declock.fabric.ManualTime;
import io.declock.fabric.Member;
import io.declock.fabric.Membership;
import io.declock.fabric.MemoryNodeAddress;
import io.declock.fabric.PeerMessage;
import io.declock.fabric.RemoteMemory;
import io.declock.fabric.SessionListener;
import io.declock.monitor.Counters;
import io.declock.protocol.CqlSettings;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How a link goes on when its session is over. */
class MemoryNodeLinkTest {
    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final int SESSIONS = 300;

    private final AlwaysThere fabric = new AlwaysThere();
    private final Downs downs = new Downs();
    private final ManualTime time = new ManualTime();
    private final MemoryNodeLink link = new MemoryNodeLink(
            MemoryNodeAddress.parse("tcp://here:1"),
            fabric,
            new SessionSettings(
                    "self",
                    1,
                    LEASE,
                    Duration.ofMillis(200),
                    Duration.ofMillis(100),
                    Duration.ofSeconds(1),
                    CqlSettings.DEFAULTS),
            new Surroundings(time, time, () -> 0, new Counters()),
            downs);

    /**
     * After a pause the lease has run out and the memory node has closed the connection: both are noticed at the same moment, by two
     * threads. The first is held up in the mutex until the second waits for it, and so is likely to be overtaken by it afterwards.
     */
    @Test
    @Timeout(60)
    void aLossNoticedByTwoThreadsAtOnceIsFollowedByOneNewSession() throws InterruptedException {
        link.start();
        for (int joins = 1; joins <= SESSIONS; joins++) {
            assertThat(fabric.joins).as("sessions").isEqualTo(joins);
            SessionListener listener = fabric.latest;
            Thread second = new Thread(() -> listener.lost(new FabricException("the connection was closed")));
            Thread first = new Thread(() -> listener.lost(new HeldUp(second)));
            first.start();
            first.join();
            second.join();
            assertThat(downs.count).as("losses told").isEqualTo(joins);
        }
        assertThat(link.session()).isNotNull();
    }

    /** Its message is asked for in the mutex. */
    private static final class HeldUp extends FabricException {
        private static final long serialVersionUID = 1;

        private final transient Thread other;

        HeldUp(Thread other) {
            super("the lease ran out");
            this.other = other;
        }

        @Override
        public String getMessage() {
            if (other.getState() == Thread.State.NEW) {
                other.start();
                while (other.getState() != Thread.State.WAITING && other.isAlive()) {
                    Thread.onSpinWait();
                }
            }
            return String.valueOf(super.getMessage());
        }
    }

    private static final class Downs implements MemoryNodeLink.Listener {
        volatile int count;

        @Override
        public void joined(MemoryNodeLink joined, NodeSession session) {}

        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate") // One at a time, or the test fails.
        public void down(MemoryNodeLink lost) {
            count++;
        }

        @Override
        public void reclaimProposed(NodeSession session, long round, long[] records) {}
    }

    /** A fabric whose memory node answers every join at once. */
    private static final class AlwaysThere implements Fabric {
        volatile int joins;
        volatile SessionListener latest;

        @Override
        public boolean supports(MemoryNodeAddress address) {
            return true;
        }

        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate") // One at a time, or the test fails.
        public CompletionStage<FabricSession> join(
                MemoryNodeAddress address, JoinRequest request, SessionListener listener) {
            joins++;
            latest = listener;
            return CompletableFuture.completedFuture(new Session(joins));
        }

        @Override
        public String peerAddress() {
            return "";
        }

        @Override
        public void close() {}
    }

    private record Session(int incarnation) implements FabricSession {
        @Override
        public JoinReply joined() {
            Member self = new Member(1, incarnation, "", "self");
            return new JoinReply(
                    "mn", 5, 1, incarnation, 8, 1 << 20, LEASE.toNanos(), 0, new Membership(1, List.of(self)));
        }

        @Override
        public RemoteMemory memory() {
            return chain -> {};
        }

        @Override
        public ControlPlane control() {
            return (ControlPlane) Proxy.newProxyInstance(
                    ControlPlane.class.getClassLoader(),
                    new Class<?>[] {ControlPlane.class},
                    (proxy, method, args) -> new CompletableFuture<Object>());
        }

        @Override
        public void send(Member to, PeerMessage message) {}

        @Override
        public void close() {}
    }
}
