// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.Purpose;
import io.declock.TcpFabricSettings;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.tcp.client.TcpFabric;
import io.declock.spi.FabricContract;
import io.declock.spi.FabricRig;
import io.declock.spi.FabricSession;
import io.declock.spi.RecordingListener;
import io.declock.spi.TestChain;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Compute nodes on DiSNI's native library, at a memory node that calls the libraries by itself. */
@Timeout(180)
@EnabledIfSystemProperty(named = OwnLibraries.DISNI, matches = ".+", disabledReason = "there is no libdisni.so")
class DisniFabricIT extends FabricContract {
    @Override
    protected boolean executesExtendedAtomics() {
        return false;
    }

    @Override
    protected FabricRig start(MemoryNodeSettings settings) {
        return new RdmaRig(settings, time, RdmaFabric.SCHEME, OwnLibraries::disni);
    }

    @Override
    protected int lockRounds() {
        return 100;
    }

    @Override
    protected int roundTrips() {
        return 2_000;
    }

    private static long completionThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("declock-rdma-completions"))
                .count();
    }

    /** Shows that the contract's tests ran on libdisni. A queue whose events were not all acknowledged would never be destroyed. */
    @Test
    void theVerbsGoThroughThatLibraryAndNothingIsLeftBehind() throws Exception {
        long threads = completionThreads();
        TcpFabric tcp = TcpFabric.open(TcpFabricSettings.DEFAULTS, counters);
        try (var fabric = OwnLibraries.disni(tcp, counters)) {
            assertThat(fabric.details()).containsEntry("provider", "disni");
            assertThat(fabric.getClass()).isNotEqualTo(RdmaFabric.class);
            FabricSession session = get(fabric.join(rig().address(), request("a"), new RecordingListener()));
            long record = get(session.control().resolve("ns:x")).record();
            TestChain chain = TestChain.forPurpose(Purpose.ACQUIRE);
            chain.fetchAndAdd(record, 1);
            session.memory().post(chain);
            chain.future().get(10, TimeUnit.SECONDS);
            assertThat(fabric.details()).containsEntry("device", "rxe0").containsEntry("connections", 1L);
            assertThat(completionThreads()).isEqualTo(threads + 1);
            // Two memory nodes' worth of queues: each has a channel of its own.
            get(fabric.join(rig().address(), request("b"), new RecordingListener()));
            assertThat(completionThreads()).isEqualTo(threads + 2);

            get(session.control().leave());
            await().untilAsserted(() -> assertThat(completionThreads()).isEqualTo(threads + 1));
        }
        assertThat(completionThreads()).isEqualTo(threads);
    }
}
