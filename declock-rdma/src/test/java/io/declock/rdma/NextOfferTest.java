// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.internal.memorynode.MemoryNodeSession;
import io.declock.internal.rdma.RdmaOffer;
import io.declock.rdma.ManagerRig.TestId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A memory node offers a session another connection only when no verb of the last one can be executed any more (rule G1). Without a device. */
@Timeout(60)
class NextOfferTest {
    private ServerRig serving;
    private MemoryNodeSession session;

    @BeforeEach
    void start() throws Exception {
        serving = new ServerRig();
        session = serving.join(1);
    }

    @AfterEach
    void stop() {
        serving.rig.channel.stuck = false;
        serving.close();
    }

    private CompletableFuture<RdmaOffer> offer() {
        CompletableFuture<RdmaOffer> offer = new CompletableFuture<>();
        serving.server.offer(session, offer::complete, offer::completeExceptionally);
        return offer;
    }

    private static byte[] token(CompletableFuture<RdmaOffer> offer) throws Exception {
        return offer.get(10, TimeUnit.SECONDS).token();
    }

    /** The compute node connects; returns the memory node's end. */
    private TestId connect(byte[] token) throws Exception {
        int before = serving.backend.accepts.size();
        TestId id = serving.rig.request(Greetings.toMemoryNode(token));
        await().atMost(ManagerRig.PATIENCE).until(() -> serving.backend.accepts.size() == before + 1);
        serving.rig.settle();
        return id;
    }

    @Test
    void theLastConnectionIsDestroyedBeforeTheNextOneIsOffered() throws Exception {
        TestId last = connect(token(offer()));
        List<Boolean> gone = new ArrayList<>();
        CompletableFuture<RdmaOffer> next = new CompletableFuture<>();
        serving.server.offer(
                session,
                offer -> {
                    gone.add(last.destroyed);
                    next.complete(offer);
                },
                next::completeExceptionally);
        TestId present = connect(token(next));
        assertThat(gone).containsExactly(true);
        assertThat(present.destroyed).isFalse();
    }

    @Test
    void nothingIsOfferedWhileTheLastQueuePairCanNeitherBeStoppedNorDestroyed() throws Exception {
        TestId last = connect(token(offer()));
        serving.backend.stuck = true;
        serving.rig.channel.stuck = true;
        CompletableFuture<RdmaOffer> next = offer();
        CompletableFuture<RdmaOffer> again = offer();
        serving.rig.settle();
        serving.rig.settle();
        assertThat(next).isNotDone();
        assertThat(again).as("the compute node asks once more").isNotDone();

        serving.rig.channel.stuck = false;
        token(next);
        assertThat(last.destroyed).isTrue();
        connect(token(again));
    }

    @Test
    void aTokenThatWasNotUsedIsWorthNothingAfterTheNextOffer() throws Exception {
        byte[] unused = token(offer());
        byte[] next = token(offer());
        TestId late = serving.rig.request(Greetings.toMemoryNode(unused));
        await().atMost(ManagerRig.PATIENCE).until(() -> late.destroyed);
        assertThat(serving.backend.rejections).singleElement().asString().contains("belongs to no session");
        connect(next);
    }
}
