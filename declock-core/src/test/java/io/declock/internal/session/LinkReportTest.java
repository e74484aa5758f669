// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.ComputeNodeSettings;
import io.declock.MemoryNodeAddress;
import io.declock.MemoryNodeView;
import io.declock.MemoryNodeView.State;
import io.declock.internal.monitor.NodeCounters;
import io.declock.spi.FabricException;
import io.declock.spi.HeartbeatReply;
import io.declock.spi.ManualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What people are told of a link, from its start to its end. {@code LinkStateTest} shows which messages are news. */
class LinkReportTest {
    private static final MemoryNodeAddress ADDRESS = MemoryNodeAddress.parse("tcp://here:1");
    private static final FabricException BROKEN = new FabricException("broken");
    private static final FabricException.Refused REFUSED =
            new FabricException.Refused(FabricException.Reason.BAD_SECRET, "wrong secret");

    private final ManualTime time = new ManualTime();
    private final LinkReport report = new LinkReport(ADDRESS, new MemoryNodeIdentity(ADDRESS), time);
    private final QuietSession fabric =
            new QuietSession(3, () -> CompletableFuture.completedFuture(new HeartbeatReply(0, 41, 64, 1)));
    private final NodeSession session = new NodeSession(
            fabric,
            ComputeNodeSettings.builder()
                    .lease(QuietSession.LEASE)
                    .heartbeatInterval(Duration.ofMillis(200))
                    .leaseMargin(Duration.ofMillis(100))
                    .build(),
            new Surroundings(time, time, () -> 0, new NodeCounters(), 1, new KnownNodeSet(1), Inquiries.NONE),
            time.nanoTime(),
            epoch -> {},
            (broken, cause) -> {});

    @Test
    void beforeItsFirstSessionALinkIsDownSinceItsStart() {
        time.jump(Duration.ofMillis(100));
        report.started();
        assertThat(report.downNanos(null)).as("never 0 without a session").isEqualTo(1);
        time.jump(Duration.ofMillis(7));
        MemoryNodeView view = report.view(null);
        assertThat(view.state()).isEqualTo(State.JOINING);
        assertThat(view.downFor()).isEqualTo(Duration.ofMillis(7));
        assertThat(view.address()).isEqualTo("tcp://here:1");
        assertThat(view.problem()).isEmpty();
        assertThat(view.leaseLeft()).isZero();
    }

    @Test
    void aSessionTellsWhatItKnowsAndEndsTheProblem() {
        report.notJoined("no route", REFUSED);
        report.up();
        session.heartbeat();
        time.jump(Duration.ofMillis(300));
        MemoryNodeView view = report.view(session);
        assertThat(view.state()).isEqualTo(State.UP);
        assertThat(view.problem()).isEmpty();
        assertThat(report.refusal()).isNull();
        assertThat(view.downFor()).isZero();
        assertThat(view.nodeId()).isEqualTo(1);
        assertThat(view.incarnation()).isEqualTo(3);
        assertThat(view.members()).isEqualTo(1);
        assertThat(view.recordsInUse()).isEqualTo(41);
        assertThat(view.recordsTotal()).isEqualTo(64);
        assertThat(view.leaseLeft()).isEqualTo(Duration.ofMillis(600));
    }

    @Test
    void aSessionWithoutAConnectionIsResuming() {
        report.up();
        fabric.disconnectedNanos = 3_000_000;
        MemoryNodeView view = report.view(session);
        assertThat(view.state()).isEqualTo(State.RESUMING);
        assertThat(view.downFor()).isEqualTo(Duration.ofMillis(3));
        assertThat(view.problem()).isEqualTo(report.problem(session)).contains("trying to resume the session");
    }

    @Test
    void aLinkWhoseSessionIsOverIsDownOrLeft() {
        report.up();
        time.jump(Duration.ofMillis(100));
        report.down(BROKEN, true);
        time.jump(Duration.ofMillis(7));
        assertThat(report.view(null).state()).isEqualTo(State.DOWN);
        assertThat(report.view(null).downFor()).isEqualTo(Duration.ofMillis(7));
        assertThat(report.problem(null)).isEqualTo("broken");
        report.up();
        report.down(BROKEN, false);
        assertThat(report.view(null).state()).isEqualTo(State.LEFT);
    }

    @Test
    void aLinkThatWasNeverJoinedIsJoiningAlsoAfterAFailure() {
        report.started();
        report.notJoined("no route", null);
        assertThat(report.view(null).state()).isEqualTo(State.JOINING);
        assertThat(report.view(null).problem()).isEqualTo("no route");
        report.up();
        report.down(BROKEN, true);
        report.notJoined("no route", null);
        assertThat(report.view(null).state()).isEqualTo(State.DOWN);
    }

    @Test
    void aLastingRefusalIsToldUntilTheMemoryNodeSaysSomethingElse() {
        report.started();
        report.notJoined("wrong secret", REFUSED);
        assertThat(report.view(null).state()).isEqualTo(State.REFUSED);
        assertThat(report.refusal()).isSameAs(REFUSED);
        report.notJoined("no route", null);
        assertThat(report.refusal()).isNull();
        assertThat(report.view(null).state()).isEqualTo(State.DOWN);
    }

    @Test
    void aRefusalInTheSessionIsToldBesideIt() {
        report.up();
        report.refused(REFUSED);
        assertThat(report.refusal()).isSameAs(REFUSED);
        assertThat(report.view(session).state()).isEqualTo(State.UP);
    }

    @Test
    void aLinkThatWasStoppedWithoutASessionHasLeft() {
        report.started();
        report.left();
        assertThat(report.view(null).state()).isEqualTo(State.LEFT);
    }
}
