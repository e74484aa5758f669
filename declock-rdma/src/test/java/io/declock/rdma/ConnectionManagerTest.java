// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import io.declock.rdma.ManagerRig.Channel;
import io.declock.rdma.ManagerRig.Events;
import io.declock.rdma.ManagerRig.Owner;
import io.declock.rdma.ManagerRig.TestId;
import io.declock.spi.FabricException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of connections when the thread that talks to the connection manager cannot go on, without a device. */
@Timeout(60)
class ConnectionManagerTest {
    private static final int SECONDS = 10;

    private ManagerRig rig;
    private Events backend;
    private Channel channel;
    private ConnectionManager manager;

    @BeforeEach
    void start() throws Exception {
        rig = new ManagerRig();
        backend = rig.backend;
        channel = rig.channel;
        manager = rig.manager;
    }

    @Test
    void sessionsAreToldWhenWaitingForEventsFails() throws Exception {
        Owner up = new Owner();
        Owner connecting = new Owner();
        TestId first = rig.connect(rig.connection(up));
        TestId second = rig.connect(rig.connection(connecting));
        rig.happens(EventType.RDMA_CM_EVENT_ESTABLISHED, first);
        assertThat(up.established.get(SECONDS, TimeUnit.SECONDS)).isNotNull();

        backend.outcomes.add(() -> {
            throw new IOException("rdma_get_cm_event: the channel is gone");
        });

        assertThat(up.ended.get(SECONDS, TimeUnit.SECONDS)).hasMessageContaining("closed");
        assertThat(connecting.ended.get(SECONDS, TimeUnit.SECONDS)).hasMessageContaining("closed");
        await().atMost(Duration.ofSeconds(SECONDS)).until(() -> channel.destroyed);
        assertThat(first.disconnected).isTrue();
        assertThat(first.destroyed).isTrue();
        assertThat(second.destroyed).isTrue();
        manager.close();
    }

    /** Rule B2: a memory node that cuts a session tells the others when no operation of it can land any more, not when it has tried. */
    @Test
    void aQueuePairThatCannotBeStoppedIsNotTakenForStopped() throws Exception {
        Owner owner = new Owner();
        Connection connection = rig.established(owner);
        TestId id = channel.ids.get(0);

        backend.stuck = true;
        channel.stuck = true;
        CompletableFuture<Boolean> fenced = new CompletableFuture<>();
        manager.execute(() -> connection.endThen(new FabricException("cut"), () -> fenced.complete(true)));
        assertThat(owner.ended.get(SECONDS, TimeUnit.SECONDS)).hasMessage("cut");
        // A route that is resolved now leads nowhere.
        rig.happens(EventType.RDMA_CM_EVENT_ROUTE_RESOLVED, id);
        assertThatThrownBy(() -> fenced.get(500, TimeUnit.MILLISECONDS))
                .as("told while the queue pair lives")
                .isInstanceOf(TimeoutException.class);
        assertThat(backend.connects).isEmpty();
        assertThat(id.destroyed).isFalse();

        channel.stuck = false;
        assertThat(fenced.get(SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(id.destroyed).isTrue();
        manager.close();
    }

    @Test
    void anExceptionWhileAcceptingEndsThatRequestAndNotTheListener() throws Exception {
        CompletableFuture<RdmaCmId> second = new CompletableFuture<>();
        AtomicInteger requests = new AtomicInteger();
        Listener.start(
                manager,
                (id, privateData) -> {
                    if (requests.incrementAndGet() == 1) {
                        throw new IllegalStateException("on purpose");
                    }
                    second.complete(id);
                },
                0);
        TestId listening = channel.ids.get(0);
        TestId first = rig.request(new byte[0]);
        TestId next = rig.request(new byte[0]);
        assertThat(second.get(SECONDS, TimeUnit.SECONDS)).isSameAs(next);
        assertThat(first.destroyed).isTrue();
        assertThat(backend.rejections).hasSize(1);
        assertThat(listening.destroyed).isFalse();
        manager.close();
    }

    /** A session that notices a failure afterwards is not left waiting for a thread that has ended. */
    @Test
    void whatIsAskedOfItAfterwardsIsDoneAtOnce() throws Exception {
        backend.outcomes.add(() -> {
            throw new IOException("rdma_get_cm_event: the channel is gone");
        });
        await().atMost(Duration.ofSeconds(SECONDS)).until(() -> channel.destroyed);
        manager.close();
        CompletableFuture<Thread> ran = new CompletableFuture<>();
        manager.execute(() -> ran.complete(Thread.currentThread()));
        assertThat(ran).isCompletedWithValue(Thread.currentThread());
        // Nothing is made on the channel, which is destroyed.
        Owner late = new Owner();
        manager.execute(() -> rig.connection(late).connect(new InetSocketAddress("127.0.0.1", 1)));
        assertThat(late.ended.get(SECONDS, TimeUnit.SECONDS)).hasMessageContaining("the RDMA fabric is closed");
        assertThatThrownBy(() -> manager.timer().schedule(() -> {}, 1, TimeUnit.SECONDS))
                .isInstanceOf(java.util.concurrent.RejectedExecutionException.class);
    }
}
