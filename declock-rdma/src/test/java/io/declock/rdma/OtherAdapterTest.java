// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.internal.rdma.RdmaOffer;
import io.declock.rdma.ManagerRig.Context;
import io.declock.rdma.ManagerRig.TestId;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A memory node with two adapters: their atomics are not atomic against each other, so all connections must come to one of them. */
@Timeout(60)
class OtherAdapterTest {
    private ServerRig serving;
    private LoopbackEvents backend;
    private ManagerRig rig;

    @BeforeEach
    void start() throws Exception {
        serving = new ServerRig();
        backend = serving.backend;
        rig = serving.rig;
    }

    @AfterEach
    void stop() {
        serving.close();
    }

    private byte[] token(long process) throws Exception {
        CompletableFuture<RdmaOffer> offer = new CompletableFuture<>();
        serving.server.offer(serving.join(process), offer::complete, offer::completeExceptionally);
        return offer.get(10, TimeUnit.SECONDS).token();
    }

    private Context adapter(String name) throws IOException {
        Context context = new Context(name, backend.log);
        rig.channel.context = context;
        return context;
    }

    @Test
    void aConnectionThatComesToAnotherAdapterIsRejected() throws Exception {
        assertThat(serving.server.isHealthy()).isTrue();
        Context first = rig.channel.context;
        int before = backend.accepts.size();

        adapter("another");
        TestId strange = rig.request(Greetings.toMemoryNode(token(1)));
        await().atMost(ManagerRig.PATIENCE).until(() -> strange.destroyed);
        assertThat(backend.accepts).hasSize(before);
        assertThat(backend.rejections)
                .singleElement()
                .asString()
                .contains("executes verbs on RDMA device adapter", "device another");

        rig.channel.context = first;
        TestId right = rig.request(Greetings.toMemoryNode(token(2)));
        await().atMost(ManagerRig.PATIENCE).until(() -> backend.accepts.size() == before + 1);
        assertThat(right.destroyed).isFalse();
        assertThat(backend.rejections).hasSize(1);
    }
}
