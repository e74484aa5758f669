// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.declock.ComputeNodeSettings;
import io.declock.LockHandle;
import io.declock.LockRequest;
import io.declock.testkit.TcpProxy;
import io.declock.testkit.TcpProxy.Flow;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A reader dies beside a living one, which hardly ever lets go (rule B10): the question who holds the lock finds the surplus position while
 * the living reader holds, so that a writer that only tries gets in at the next gap, however short.
 */
@Timeout(60)
class DeadReaderTest {
    private static final Duration LEASE = Duration.ofMillis(600);
    private static final Duration HOLD = Duration.ofMillis(300);
    private static final Duration GAP = Duration.ofMillis(15);
    private static final Duration BOUND = LEASE.plusSeconds(5);

    @Test
    void aWriterThatOnlyTriesGetsInThoughALivingReaderAlmostAlwaysHolds() throws Exception {
        try (LockRig rig = LockRig.overTcp(settings -> settings.maxLease(LEASE).leaseMargin(Duration.ofMillis(50)));
                TcpProxy proxy = new TcpProxy(rig.port())) {
            ComputeNode dying = rig.joinBy(proxy.port(), DeadReaderTest::withShortLease);
            ComputeNode living = rig.join(DeadReaderTest::withShortLease);
            ComputeNode trying = rig.join(DeadReaderTest::withShortLease);
            dying.acquire(LockRequest.read("x"));
            proxy.set(Flow.LOST);

            AtomicBoolean over = new AtomicBoolean();
            Thread reader = new Thread(() -> read(living, over));
            reader.start();
            long end = System.nanoTime() + BOUND.toNanos();
            Optional<LockHandle> written = Optional.empty();
            while (written.isEmpty() && System.nanoTime() < end) {
                written = trying.tryAcquire(LockRequest.write("x").waitTime(Duration.ZERO));
                MILLISECONDS.sleep(1);
            }
            over.set(true);
            reader.join();

            assertThat(written)
                    .as("a gap of %s behind each read of %s", GAP, HOLD)
                    .isPresent();
            written.ifPresent(LockHandle::close);
        }
    }

    private static void read(ComputeNode node, AtomicBoolean over) {
        while (!over.get()) {
            try (LockHandle handle = node.acquire(LockRequest.read("x"))) {
                MILLISECONDS.sleep(HOLD.toMillis());
                assertThat(handle.isValid()).isTrue();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            LockSupport.parkNanos(GAP.toNanos());
        }
    }

    private static void withShortLease(ComputeNode.Builder builder) {
        builder.settings(ComputeNodeSettings.builder()
                .lease(LEASE)
                .heartbeatInterval(LEASE.dividedBy(5))
                .leaseMargin(LEASE.dividedBy(5))
                .build());
    }
}
