// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.GrantKind;
import io.declock.LockHandle;
import io.declock.LockMode;
import io.declock.LockRequest;
import io.declock.MemoryNodeAddress;
import io.declock.Purpose;
import io.declock.spi.Fabric;
import io.declock.spi.FabricSession;
import io.declock.spi.ForwardingFabric;
import io.declock.spi.ForwardingSession;
import io.declock.spi.JoinRequest;
import io.declock.spi.LockObserver;
import io.declock.spi.SessionListener;
import io.declock.spi.VerbChain;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A session that ends when a lock has just been granted: the caller, who has not got it yet, waits on as if it had never been. */
@Timeout(60)
class LostBeforeReturnTest {
    /** Less than a lease. */
    private static final long JUMP_NANOS = Duration.ofSeconds(1).toNanos();

    private final AtomicInteger cuts = new AtomicInteger();
    private final AtomicInteger sessions = new AtomicInteger();
    private final AtomicLong later = new AtomicLong();
    private volatile long waited;
    private LockRig rig;
    private ComputeNode node;

    @BeforeEach
    void start() throws Exception {
        rig = LockRig.inProcess();
        LockObserver observer = new LockObserver() {
            @Override
            public void granted(String name, LockMode mode, GrantKind kind, long waitNanos) {
                waited = waitNanos;
            }
        };
        node = rig.ready(rig.node(
                Cutting::new, builder -> builder.observer(observer).time(this::now, rig.timer(), LockRig.RANDOM)));
        // Finds the record.
        node.acquire(LockRequest.write("x")).close();
    }

    @AfterEach
    void stop() {
        rig.close();
    }

    private long now() {
        return System.nanoTime() + later.get();
    }

    @Test
    void theCallerIsGivenAnotherHoldThatCounts() throws Exception {
        cuts.set(3);
        long began = now();
        try (LockHandle handle = node.acquire(LockRequest.write("x"))) {
            assertThat(handle.isValid()).isTrue();
            assertThat(node.monitor().heldNow()).isEqualTo(1);
            assertThat(waited).as("from the first try on").isBetween(now() - began - JUMP_NANOS / 2, now() - began);
        }
        assertThat(sessions).as("the first one and one after each cut").hasValue(4);
        assertThat(node.monitor().heldNow()).isZero();
        assertThat(node.monitor().waitingNow()).isZero();
    }

    /** Ends the session when it has completed a chain that acquires, as often as was asked for. */
    private final class Cutting extends ForwardingFabric {
        Cutting(Fabric fabric) {
            super(fabric);
        }

        @Override
        public CompletionStage<FabricSession> join(
                MemoryNodeAddress address, JoinRequest request, SessionListener listener) {
            sessions.incrementAndGet();
            return super.join(address, request, listener).thenApply(CutSession::new);
        }
    }

    private final class CutSession extends ForwardingSession {
        CutSession(FabricSession session) {
            super(session);
        }

        @Override
        public void post(VerbChain chain) {
            super.post(chain);
            if (chain.purpose() == Purpose.ACQUIRE && cuts.get() > 0) {
                cuts.decrementAndGet();
                later.addAndGet(JUMP_NANOS);
                close();
            }
        }
    }
}
