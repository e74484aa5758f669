// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import io.declock.rdma.ManagerRig.Context;
import io.declock.rdma.ManagerRig.Owner;
import io.declock.rdma.ManagerRig.TestId;
import io.declock.spi.FabricException;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A device lives as long as a connection is on it: rdma-core frees the context of a removed device with the last id that leads to it,
 * so that all that is on it must be gone by then.
 */
@Timeout(60)
class DeviceLifeTest {
    private static final int SECONDS = ManagerRig.SECONDS;

    private ManagerRig rig;
    private List<String> log;

    @BeforeEach
    void start() throws Exception {
        rig = new ManagerRig();
        rig.backend.accepting = true;
        log = rig.backend.log;
    }

    @AfterEach
    void stop() {
        rig.close();
    }

    private void end(Connection connection) throws Exception {
        CompletableFuture<Boolean> over = new CompletableFuture<>();
        rig.manager.execute(() -> connection.endThen(new FabricException("over"), () -> over.complete(true)));
        over.get(SECONDS, TimeUnit.SECONDS);
    }

    private long times(String what) {
        return Collections.frequency(log, what);
    }

    @Test
    void theLastConnectionClosesItsDeviceBeforeItsIdIsDestroyed() throws Exception {
        Connection first = rig.established(new Owner());
        Connection second = rig.established(new Owner());
        assertThat(second.resources().device()).isSameAs(first.resources().device());
        assertThat(log).containsExactly("use adapter");

        end(first);
        assertThat(log).containsExactly("use adapter", "destroy queue", "destroy domain", "destroy id");
        log.clear();
        end(second);
        assertThat(log)
                .containsExactly(
                        "destroy queue",
                        "destroy domain",
                        "destroy channel",
                        "destroy passive queue",
                        "forget adapter",
                        "destroy id");
        assertThat(second.resources().device().completions().hasEnded()).isTrue();

        Connection third = rig.established(new Owner());
        assertThat(third.resources().device()).isNotSameAs(first.resources().device());
        assertThat(third.resources().device().completions().hasEnded()).isFalse();
    }

    @Test
    void whatIsAcceptedCountsToo() throws Exception {
        CompletableFuture<Connection> accepted = new CompletableFuture<>();
        Listener.start(
                rig.manager,
                (id, privateData) -> {
                    Connection connection =
                            new Connection(rig.manager, "the other side", QueueSizes.PASSIVE, new byte[0], new Owner());
                    connection.accept(id, made -> new byte[0]);
                    accepted.complete(connection);
                },
                0);
        rig.request(new byte[0]);
        Connection passive = accepted.get(SECONDS, TimeUnit.SECONDS);
        Connection active = rig.established(new Owner());
        assertThat(passive.resources().device()).isSameAs(active.resources().device());
        end(active);
        assertThat(log).doesNotContain("destroy passive queue", "forget adapter");
        end(passive);
        assertThat(log).endsWith("destroy channel", "destroy passive queue", "forget adapter", "destroy id");
    }

    /** The thread that takes completions has ended: the next connection opens the device again, and the old one ends with its users. */
    @Test
    void aDeviceWhoseThreadHasEndedIsReplaced() throws Exception {
        Connection old = rig.established(new Owner());
        rig.backend.completionsFail = true;
        await().atMost(ManagerRig.PATIENCE)
                .until(() -> old.resources().device().completions().hasEnded());
        rig.backend.completionsFail = false;

        Connection next = rig.established(new Owner());
        assertThat(next.resources().device()).isNotSameAs(old.resources().device());
        assertThat(next.resources().device().completions().hasEnded()).isFalse();
        assertThat(log).doesNotContain("forget adapter");

        end(old);
        assertThat(log).endsWith("destroy channel", "destroy passive queue", "forget adapter", "destroy id");
        Connection another = rig.established(new Owner());
        assertThat(another.resources().device())
                .as("the new one is still known")
                .isSameAs(next.resources().device());
        end(next);
        end(another);
        assertThat(times("use adapter")).isEqualTo(2);
        assertThat(times("forget adapter")).isEqualTo(2);
        assertThat(times("destroy channel")).isEqualTo(2);
    }

    @Test
    void closingTheManagerClosesEachDeviceOnceAndBeforeTheId() throws Exception {
        rig.established(new Owner());
        rig.established(new Owner());
        rig.manager.close();
        assertClosedOnce();
    }

    @Test
    void soDoesTheFailureOfItsThread() throws Exception {
        rig.established(new Owner());
        rig.established(new Owner());
        rig.backend.outcomes.add(() -> {
            throw new IOException("rdma_get_cm_event: the channel is gone");
        });
        await().atMost(ManagerRig.PATIENCE).until(() -> rig.channel.destroyed);
        assertClosedOnce();
    }

    private void assertClosedOnce() {
        assertThat(log).endsWith("destroy channel", "destroy passive queue", "forget adapter", "destroy id");
        for (String once : List.of("destroy channel", "destroy passive queue", "forget adapter")) {
            assertThat(times(once)).as(once).isEqualTo(1);
        }
        assertThat(times("destroy id")).isEqualTo(2);
    }

    @Test
    void aDeviceThatCannotBeUsedIsLetGo() throws Exception {
        rig.backend.portDown = true;
        Owner owner = new Owner();
        TestId id = rig.connect(rig.connection(owner));
        rig.happens(EventType.RDMA_CM_EVENT_ADDR_RESOLVED, id);
        assertThat(owner.ended.get(SECONDS, TimeUnit.SECONDS)).hasMessageContaining("adapter is down");
        rig.settle();
        assertThat(log).containsExactly("use adapter", "forget adapter", "destroy id");
    }

    @Test
    void theRemovalOfADeviceIsToldBeforeItIsLetGo() throws Exception {
        Listener.start(rig.manager, (id, privateData) -> {}, 0);
        Owner owner = new Owner();
        rig.established(owner);
        Context another = new Context("another", log);
        rig.channel.context = another;
        Owner elsewhere = new Owner();
        rig.established(elsewhere);

        rig.happens(EventType.RDMA_CM_EVENT_DEVICE_REMOVAL, rig.channel.ids.get(1));
        assertThat(owner.ended.get(SECONDS, TimeUnit.SECONDS)).hasMessageContaining("removed");
        rig.happens(EventType.RDMA_CM_EVENT_DEVICE_REMOVAL, rig.channel.ids.get(0));
        await().atMost(ManagerRig.PATIENCE).until(() -> rig.channel.ids.get(0).destroyed);
        await().atMost(ManagerRig.PATIENCE).until(() -> rig.channel.ids.get(1).destroyed);
        assertThat(log).containsSubsequence("removed adapter", "forget adapter");
        assertThat(log).doesNotContain("removed another", "forget another");
        assertThat(elsewhere.ended).isNotDone();
    }
}
