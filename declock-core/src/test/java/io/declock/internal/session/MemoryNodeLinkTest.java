// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.ComputeNodeSettings;
import io.declock.MemoryNodeAddress;
import io.declock.MemoryNodeView;
import io.declock.internal.monitor.NodeCounters;
import io.declock.spi.FabricException;
import io.declock.spi.FormerMemoryNode;
import io.declock.spi.ManualTime;
import io.declock.spi.NodeSet;
import io.declock.spi.SessionListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How a link goes on when its session is over, or something goes wrong that should not. */
class MemoryNodeLinkTest {
    private static final Duration LEASE = QuietSession.LEASE;
    private static final Duration HEARTBEAT = Duration.ofMillis(200);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(480);
    private static final int SESSIONS = 300;

    private final AlwaysThere fabric = new AlwaysThere();
    private final Told listener = new Told();
    private final ManualTime time = new ManualTime();
    private final KnownNodeSet nodeSet = new KnownNodeSet(2);
    private final MemoryNodeLink link = new MemoryNodeLink(
            MemoryNodeAddress.parse("tcp://here:1"),
            fabric,
            ComputeNodeSettings.builder()
                    .name("self")
                    .lease(LEASE)
                    .heartbeatInterval(HEARTBEAT)
                    .leaseMargin(Duration.ofMillis(100))
                    .build(),
            new Surroundings(time, time, () -> 0, new NodeCounters(), 1, nodeSet, Inquiries.NONE),
            listener);

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
            SessionListener events = fabric.events;
            Thread second = new Thread(() -> events.lost(new FabricException("the connection was closed")));
            Thread first = new Thread(() -> events.lost(new HeldUp(second)));
            first.start();
            first.join();
            second.join();
            assertThat(listener.downs).as("losses told").isEqualTo(joins);
            time.advance(LONGEST_PAUSE);
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

    // ---------------------------------------------------------------- what must not go wrong, and does

    private void assertJoins(int number) {
        time.advance(LONGEST_PAUSE);
        assertThat(fabric.joins).as("attempts").isEqualTo(number);
        assertThat(link.session()).isNotNull();
        assertThat(link.view().state()).isEqualTo(MemoryNodeView.State.UP);
    }

    @Test
    void anAttemptThatThrowsIsFollowedByAnother() {
        fabric.whenJoining = session -> {
            throw new IllegalStateException("no route");
        };
        link.start();
        assertThat(link.problem()).contains("no route");
        assertThat(listener.downs).isEqualTo(1);
        fabric.whenJoining = session -> {};
        assertJoins(2);
    }

    @Test
    void aSessionThatCannotBeMadeIsClosedAndFollowedByAnother() {
        fabric.whenJoining = session -> session.whenAsked = () -> {
            throw new IllegalStateException("unheard of");
        };
        link.start();
        assertThat(fabric.latest).matches(QuietSession::isClosed, "is closed");
        assertThat(link.problem()).contains("unheard of");
        assertThat(listener.downs).isEqualTo(1);
        fabric.whenJoining = session -> {};
        assertJoins(2);
    }

    @Test
    void aSessionWhoseBeginningFailsIsEndedAndFollowedByAnotherAfterAPause() {
        listener.whenJoined = () -> {
            throw new IllegalStateException("not welcome");
        };
        link.start();
        assertThat(fabric.joins).isEqualTo(1);
        assertThat(fabric.latest).matches(QuietSession::isClosed, "is closed");
        assertThat(link.session()).isNull();
        assertThat(link.problem()).contains("not welcome");
        assertThat(listener.downs).isEqualTo(1);
        listener.whenJoined = () -> {};
        assertJoins(2);
    }

    @Test
    void aListenerThatThrowsWhenAnAttemptFailsDoesNotEndTheAttempts() {
        fabric.whenJoining = session -> {
            throw new IllegalStateException("no route");
        };
        listener.whenDown = () -> {
            throw new IllegalStateException("do not tell me");
        };
        link.start();
        fabric.whenJoining = session -> {};
        assertJoins(2);
    }

    @Test
    void aListenerThatThrowsWhenASessionIsLostDoesNotEndTheAttempts() {
        listener.whenDown = () -> {
            throw new IllegalStateException("do not tell me");
        };
        link.start();
        fabric.events.lost(new FabricException("the connection was closed"));
        assertJoins(2);
    }

    @Test
    void aSessionWhoseEndFailsIsFollowedByAnother() {
        link.start();
        fabric.latest.whenClosed = () -> {
            throw new IllegalStateException("stuck");
        };
        assertThatThrownBy(() -> fabric.events.lost(new FabricException("the connection was closed")))
                .hasMessage("stuck");
        assertThat(listener.downs).isEqualTo(1);
        assertJoins(2);
    }

    @Test
    void aHeartbeatThatThrowsIsFollowedByTheNext() {
        fabric.heartbeats = () -> {
            fabric.beats++;
            throw new IllegalStateException("arrhythmia");
        };
        link.start();
        time.advance(HEARTBEAT.multipliedBy(3));
        assertThat(fabric.beats).isEqualTo(4);
        time.advance(LEASE);
        assertThat(fabric.joins)
                .as("attempts, as no heartbeat was ever answered")
                .isEqualTo(2);
    }

    /** Rule C6: joining tells the memory node that whatever was held in the session before is over here. */
    @Test
    void nobodyJoinsAgainBeforeEveryLockHasBeenToldOfTheLoss() {
        link.start();
        time.advance(Duration.ofMillis(400));
        NodeSession first = link.session();
        List<String> order = new ArrayList<>();
        fabric.latest.whenClosed = () -> {
            // In the middle of telling the locks: somebody else wants a session.
            link.start();
            link.stop(false);
            link.start();
            order.add(first.isOver() && fabric.joins == 1 ? "over, not joined" : "joined too early");
        };
        fabric.whenJoining = session -> order.add("joins");
        fabric.events.lost(new FabricException("the connection was closed"));
        assertThat(order).containsExactly("over, not joined", "joins");
        assertThat(link.session()).isNotNull();
    }

    /** What a session ended for is no answer to the requests that it had. */
    @Test
    void aDeclarationThatMeetsTheEndOfItsSessionIsNotRefused() {
        link.start();
        time.advance(Duration.ofMillis(400));
        link.declareNodeSet();
        List<Boolean> refused = new ArrayList<>();
        fabric.whenJoining = session -> refused.add(link.refusal() != null);
        FabricException.Refused over = new FabricException.Refused(FabricException.Reason.SESSION_OVER, "no session");
        fabric.latest.declared.completeExceptionally(new FabricException("the session is over", over));
        assertJoins(2);
        assertThat(refused).as("before joining again").containsExactly(false);
    }

    // ---------------------------------------------------------------- the set of memory nodes

    private static final NodeSet TWO = NodeSet.of(List.of("mn", "other"));

    @Test
    void noSessionIsUsedBeforeItsMemoryNodeAgreedToTheSetThatItTold() {
        fabric.whenJoining = session -> session.nodeSet = TWO;
        link.start();
        assertThat(nodeSet.get()).isEqualTo(TWO);
        assertThat(fabric.latest.declarations).containsExactly(TWO);
        assertThat(link.session()).isNull();
        fabric.latest.declared.complete(null);
        assertThat(link.session()).isNotNull();
        fabric.events.lost(new FabricException("the connection was closed"));
        time.advance(LONGEST_PAUSE);
        assertThat(fabric.request.nodeSet()).as("declared when joining again").isEqualTo(TWO);
        assertThat(fabric.latest.declarations).isEmpty();
        assertThat(link.session()).isNotNull();
    }

    @Test
    void aSetThatIsNotAgreedToIsARefusal() {
        fabric.whenJoining = session -> session.nodeSet = TWO;
        link.start();
        FabricException.Refused no = new FabricException.Refused(FabricException.Reason.BAD_NODE_SET, "no");
        fabric.latest.declared.completeExceptionally(no);
        assertThat(link.refusal()).isSameAs(no);
        assertThat(link.view().state()).isEqualTo(MemoryNodeView.State.REFUSED);
        assertThat(fabric.latest).matches(QuietSession::isClosed, "is closed");
        assertThat(listener.downs).isEqualTo(1);
    }

    @Test
    void aDeclarationThatThrowsIsFollowedByAnotherAttempt() {
        fabric.whenJoining = session -> {
            session.nodeSet = TWO;
            session.whenDeclared = () -> {
                throw new IllegalStateException("no route");
            };
        };
        link.start();
        assertThat(link.problem()).contains("no route");
        fabric.whenJoining = session -> {};
        assertJoins(2);
    }

    @Test
    void aDeclarationWithoutAnAnswerIsFollowedByAnotherAttemptAfterTheLease() {
        fabric.whenJoining = session -> session.nodeSet = TWO;
        link.start();
        QuietSession silent = fabric.latest;
        fabric.whenJoining = session -> {};
        time.advance(LEASE.minusMillis(101));
        assertThat(fabric.joins).isEqualTo(1);
        time.advance(Duration.ofMillis(1));
        assertThat(silent).matches(QuietSession::isClosed, "is closed");
        assertThat(link.problem()).contains("did not answer within the lease");
        assertJoins(2);
        silent.declared.complete(null);
        assertThat(link.session().fabric()).as("the late one is not used").isSameAs(fabric.latest);
    }

    @Test
    void theMemoryNodeOfTheLastSessionIsReported() {
        FabricException.Refused no = new FabricException.Refused(FabricException.Reason.NOT_YET, "later");
        fabric.answers = session -> CompletableFuture.failedFuture(no);
        link.start();
        assertThat(fabric.request.former()).isEqualTo(FormerMemoryNode.NONE);
        fabric.answers = CompletableFuture::completedFuture;
        assertThat(attemptsWithin(LONGEST_PAUSE)).isPositive();
        fabric.answers = session -> CompletableFuture.failedFuture(no);
        fabric.events.lost(new FabricException("the connection was closed"));
        attemptsWithin(Duration.ofSeconds(2));
        assertThat(fabric.request.former())
                .as("also after attempts that were refused")
                .isEqualTo(new FormerMemoryNode(5, QuietSession.ADDRESS));
    }

    @Test
    void whoIsToldOfTwoMemoryNodesGoesOnAsking() {
        FabricException.Refused two = new FabricException.Refused(FabricException.Reason.TWO_MEMORY_NODES, "stop one");
        fabric.answers = session -> CompletableFuture.failedFuture(two);
        link.start();
        assertThat(attemptsWithin(Duration.ofMinutes(1))).isGreaterThan(120);
        assertThat(link.refusal()).isNull();
        assertThat(link.problem()).contains("stop one");
    }

    @Test
    void sessionsThatDoNotLastAreNotTriedInALoop() {
        link.start();
        int before = fabric.joins;
        for (int millis = 0; millis < 60_000; millis += 20) {
            time.advance(Duration.ofMillis(20));
            if (link.session() != null) {
                fabric.events.lost(new FabricException("the connection was closed"));
            }
        }
        assertThat(fabric.joins - before).as("sessions in a minute").isBetween(120, 200);
        // One that lasted is followed by the next at once.
        time.advance(LONGEST_PAUSE);
        time.advance(Duration.ofMillis(300));
        before = fabric.joins;
        fabric.events.lost(new FabricException("the connection was closed"));
        assertThat(fabric.joins).isEqualTo(before + 1);
    }

    private int attemptsWithin(Duration time) {
        int before = fabric.joins;
        for (long millis = 0; millis < time.toMillis(); millis += 20) {
            this.time.advance(Duration.ofMillis(20));
        }
        return fabric.joins - before;
    }

    @Test
    void whoIsRefusedForGoodAsksLessAndLessOften() {
        FabricException.Refused no = new FabricException.Refused(FabricException.Reason.BAD_SECRET, "no");
        fabric.answers = session -> CompletableFuture.failedFuture(no);
        link.start();
        assertThat(attemptsWithin(Duration.ofSeconds(1)))
                .as("attempts in the first second")
                .isBetween(3, 6);
        assertThat(attemptsWithin(Duration.ofMinutes(1)))
                .as("attempts in the next minute")
                .isBetween(8, 20);
        assertThat(link.refusal()).isSameAs(no);
        // Once the configuration was mended it is back within one pause.
        fabric.answers = CompletableFuture::completedFuture;
        time.advance(Duration.ofMillis(7_680));
        assertThat(link.session()).isNotNull();
        assertThat(link.refusal()).isNull();
    }

    @Test
    void whoIsToldToTryAgainLaterAsksAsOftenAsOneThatReachesNobody() {
        FabricException.Refused notYet = new FabricException.Refused(FabricException.Reason.NOT_YET, "later");
        fabric.answers = session -> CompletableFuture.failedFuture(notYet);
        link.start();
        assertThat(attemptsWithin(Duration.ofMinutes(1))).isGreaterThan(120);
        assertThat(link.refusal()).isNull();
        // A refusal that follows begins with short pauses, and so does what follows a refusal.
        fabric.answers = session ->
                CompletableFuture.failedFuture(new FabricException.Refused(FabricException.Reason.BAD_NODE_SET, "no"));
        attemptsWithin(Duration.ofMinutes(1));
        fabric.answers = session -> CompletableFuture.failedFuture(notYet);
        attemptsWithin(Duration.ofSeconds(8));
        assertThat(attemptsWithin(Duration.ofMinutes(1))).isGreaterThan(120);
    }

    // ---------------------------------------------------------------- surroundings

    private static final class Told implements MemoryNodeLink.Listener {
        volatile int downs;
        Runnable whenJoined = () -> {};
        Runnable whenDown = () -> {};

        @Override
        public void joined(MemoryNodeLink joined, NodeSession session) {
            whenJoined.run();
        }

        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate") // One at a time, or the test fails.
        public void down(MemoryNodeLink lost) {
            downs++;
            whenDown.run();
        }

        @Override
        public void reclaimProposed(NodeSession session, long round, long[] records) {}
    }
}
