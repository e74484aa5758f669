// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.Purpose;
import io.declock.Verb;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.ResetClaim;
import io.declock.internal.time.RandomSource;
import io.declock.internal.time.TimerService;
import io.declock.spi.FabricException;
import io.declock.spi.Member;
import io.declock.spi.Membership;
import io.declock.spi.PeerMessage;
import io.declock.spi.RecordMembers;
import io.declock.spi.VerbChain;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** The initiator's claim (rules B14 and B16), and that a reset goes on until it is over (rule B15), and that one user asks for all (rule B17). */
class LockResetTest {
    private static final long EPOCH = 5;
    private static final int OTHER = 2;
    private static final int TRUSTEE = 3;

    private final Node node = new Node();
    private final List<ResetOutcome> outcomes = new ArrayList<>();
    private long header = LockHeader.pack(EPOCH, 7, 0, 0);
    private long claim = ResetClaim.NONE;
    private final BitSet users = new BitSet();
    private boolean membersFail;
    private Runnable whenClaimed = () -> {};
    /** What the memory node answers about the users, before it answers what is so. */
    private final Deque<RecordMembers> answersBefore = new ArrayDeque<>();

    private final class Node extends StillNode {
        final Deque<VerbChain> posted = new ArrayDeque<>();
        final Deque<Runnable> due = new ArrayDeque<>();
        final Deque<PeerMessage> answers = new ArrayDeque<>();
        final List<Integer> signalled = new ArrayList<>();
        final BitSet silent = new BitSet();
        Membership current = super.membership();
        final List<Long> delays = new ArrayList<>();
        boolean messagesAreLost;
        int asked;
        long drawn;

        Node() {
            super(8, 3);
        }

        @Override
        public Membership membership() {
            return current;
        }

        @Override
        public TimerService timer() {
            return (delay, task) -> {
                delays.add(delay);
                due.add(task);
            };
        }

        @Override
        public RandomSource random() {
            return () -> drawn;
        }

        @Override
        public void sawEpoch(long epoch) {}

        @Override
        public void post(VerbChain chain) {
            posted.add(chain);
        }

        @Override
        public void send(Member to, PeerMessage message) {
            boolean asks = message.kind() == PeerMessage.Kind.HOLD_QUESTION;
            asked += asks ? 1 : 0;
            if (message.kind() == PeerMessage.Kind.RESET_SIGNAL) {
                signalled.add(to.nodeId());
            }
            if (messagesAreLost || silent.get(to.nodeId())) {
                return;
            }
            answers.add(new PeerMessage(
                    asks ? PeerMessage.Kind.HOLD_ANSWER : PeerMessage.Kind.RESET_ACK,
                    memoryNode(),
                    to.nodeId(),
                    to.incarnation(),
                    NODE,
                    INCARNATION,
                    message.record(),
                    message.epoch(),
                    PeerMessage.HAS_POSITION,
                    asks ? message.detail() : 0));
        }

        @Override
        public void requestReset(long record, long epoch, ResetReason reason) {}
    }

    private CompletionStage<RecordMembers> members() {
        RecordMembers before = answersBefore.poll();
        if (before != null) {
            return CompletableFuture.completedStage(before);
        }
        return membersFail
                ? CompletableFuture.failedStage(new FabricException("no answer in time"))
                : CompletableFuture.completedStage(RecordMembers.of(node.membership(), users));
    }

    private LockReset reset(ResetReason reason) {
        LockReset reset = new LockReset(node, 0, EPOCH, reason, this::members, outcomes::add);
        reset.start();
        return reset;
    }

    /** Executes all chains on a record of two words; every user answers that it waits. */
    private void execute(LockReset reset) {
        while (!node.posted.isEmpty() || !node.answers.isEmpty()) {
            if (node.posted.isEmpty()) {
                reset.deliver(node.answers.remove());
                continue;
            }
            VerbChain chain = node.posted.remove();
            assertThat(chain.purpose()).isEqualTo(Purpose.RESET);
            long[] found = new long[chain.size()];
            for (int i = 0; i < chain.size(); i++) {
                boolean ofClaim = chain.address(i) == node.layout().claim(0);
                found[i] = ofClaim ? claim : header;
                if (chain.verb(i) == Verb.COMPARE_AND_SWAP && found[i] == chain.operand(i)) {
                    claim = ofClaim ? chain.desired(i) : claim;
                    header = ofClaim ? header : chain.desired(i);
                }
                if (ofClaim && chain.verb(i) == Verb.COMPARE_AND_SWAP) {
                    whenClaimed.run();
                    whenClaimed = () -> {};
                }
            }
            chain.completed((verb, word) -> word == 1 ? EPOCH : found[verb]);
        }
    }

    @Test
    void takesTheClaimMarksAndFinishes() {
        claim = ResetClaim.pack(OTHER, 7, EPOCH - 1);
        LockReset reset = reset(ResetReason.GUARD);
        execute(reset);
        assertThat(outcomes).containsExactly(ResetOutcome.COMPLETED);
        assertThat(header).isEqualTo(LockHeader.pack(EPOCH + 1, 0, 0, 0));
        assertThat(ResetClaim.isOf(claim, node.nodeId(), node.incarnation())).isTrue();
        assertThat(ResetClaim.epoch(claim)).isEqualTo(EPOCH);
    }

    @Test
    void leavesTheResetOfAMemberToIt() {
        claim = ResetClaim.pack(OTHER, node.incarnation(), EPOCH);
        long before = claim;
        LockReset reset = reset(ResetReason.GUARD);
        execute(reset);
        assertThat(outcomes).containsExactly(ResetOutcome.LEFT_TO_OTHER);
        assertThat(claim).isEqualTo(before);
    }

    @Test
    void takesTheResetOfTheDeadOverAlsoWhenTheirNodeIdHasANewOwner() {
        claim = ResetClaim.pack(OTHER, node.incarnation() - 1, EPOCH);
        header = LockHeader.inReset(header);
        LockReset reset = reset(ResetReason.STALLED_RESET);
        execute(reset);
        assertThat(outcomes).containsExactly(ResetOutcome.COMPLETED);
        assertThat(ResetClaim.nodeId(claim)).isEqualTo(node.nodeId());
    }

    @Test
    void leavesALaterEpochAlone() {
        claim = ResetClaim.pack(OTHER, 1, EPOCH + 1);
        LockReset reset = reset(ResetReason.GUARD);
        execute(reset);
        assertThat(outcomes).containsExactly(ResetOutcome.NOT_NEEDED);
    }

    @Test
    void asksForTheMembersAgainIfThatFails() {
        membersFail = true;
        LockReset reset = reset(ResetReason.GUARD);
        execute(reset);
        assertThat(LockHeader.isInReset(header)).as("marked").isTrue();
        assertThat(outcomes).isEmpty();
        membersFail = false;
        node.due.remove().run();
        execute(reset);
        assertThat(outcomes).containsExactly(ResetOutcome.COMPLETED);
    }

    /** An answer of before does not tell which user the memory node has in place of one that has ended (rule R2). */
    @Test
    void asksAgainForTheUsersIfTheAnswerIsOlderThanTheMembersItKnows() {
        header = LockHeader.pack(EPOCH, 7, 1, 1);
        users.set(OTHER);
        RecordMembers before = RecordMembers.of(node.membership(), users);
        node.silent.set(OTHER);
        LockReset reset = reset(ResetReason.GUARD);
        execute(reset);
        assertThat(outcomes).as("a user has not answered").isEmpty();

        node.current = new Membership(
                2,
                node.membership().members().stream()
                        .filter(member -> member.nodeId() != OTHER)
                        .toList());
        users.clear(OTHER);
        users.set(TRUSTEE);
        answersBefore.add(before);
        reset.membershipChanged(node.current);
        execute(reset);
        assertThat(outcomes).containsExactly(ResetOutcome.COMPLETED);
        assertThat(node.signalled).containsExactly(OTHER, TRUSTEE);
    }

    /** A signal that the only user did not get. */
    private LockReset signalledInVain() {
        users.set(OTHER);
        node.messagesAreLost = true;
        LockReset reset = reset(ResetReason.GUARD);
        execute(reset);
        assertThat(node.signalled).hasSize(1);
        assertThat(outcomes).isEmpty();
        return reset;
    }

    @Test
    void signalsAgainUntilItIsAnswered() {
        LockReset reset = signalledInVain();
        node.due.remove().run();
        assertThat(node.signalled).hasSize(2);
        assertThat(outcomes).isEmpty();
        node.messagesAreLost = false;
        node.due.remove().run();
        execute(reset);
        assertThat(outcomes).containsExactly(ResetOutcome.COMPLETED);
    }

    @Test
    void goesOnWithoutAUserThatHasEndedBeforeItIsSignalledAgain() {
        LockReset reset = signalledInVain();
        users.clear(OTHER);
        node.due.remove().run();
        execute(reset);
        assertThat(outcomes).containsExactly(ResetOutcome.COMPLETED);
    }

    @Test
    void endsWithItsSession() {
        membersFail = true;
        LockReset reset = reset(ResetReason.GUARD);
        execute(reset);
        reset.abandon();
        assertThat(outcomes).containsExactly(ResetOutcome.ABANDONED);
        node.due.forEach(Runnable::run);
        assertThat(node.posted).isEmpty();
    }

    @Test
    void withdrawsAClaimThatLeadsToNoReset() {
        header = LockHeader.pack(EPOCH, 7, 1, 1);
        whenClaimed = () -> header = LockHeader.pack(EPOCH, 8, 1, 1);
        users.set(node.nodeId());
        LockReset reset = reset(ResetReason.SUSPECTED);
        execute(reset);
        // Nobody holds the lock, and everybody is asked once more after a pause.
        node.due.removeLast().run();
        execute(reset);
        assertThat(outcomes)
                .as("the queue moves, so that somebody held the lock")
                .containsExactly(ResetOutcome.NOT_NEEDED);
        assertThat(claim).isEqualTo(ResetClaim.NONE);
    }

    /** Two users, of which this node is one, and it may be that nobody holds the lock. */
    private LockReset suspect() {
        header = LockHeader.pack(EPOCH, 7, 1, 1);
        users.set(node.nodeId());
        users.set(OTHER);
        LockReset reset = reset(ResetReason.SUSPECTED);
        execute(reset);
        assertThat(node.asked).as("it waits a while before it asks").isZero();
        return reset;
    }

    @Test
    void asksAfterAWhile() {
        LockReset reset = suspect();
        node.due.remove().run();
        execute(reset);
        assertThat(node.asked).isEqualTo(2);
    }

    @Test
    void doesNotAskIfAnotherUserHasAskedMeanwhile() {
        LockReset reset = suspect();
        reset.othersAsk();
        node.due.remove().run();
        execute(reset);
        assertThat(node.asked).isZero();
        assertThat(outcomes).containsExactly(ResetOutcome.NOT_NEEDED);
    }

    @Test
    void doesNotAskIfTheQueueHasMovedMeanwhile() {
        LockReset reset = suspect();
        header = LockHeader.pack(EPOCH, 8, 1, 1);
        node.due.remove().run();
        execute(reset);
        assertThat(node.asked).isZero();
        assertThat(outcomes).containsExactly(ResetOutcome.NOT_NEEDED);
    }

    @Test
    void doesNotAskIfTheEpochHasEndedMeanwhile() {
        LockReset reset = suspect();
        header = LockHeader.pack(EPOCH + 1, 7, 1, 1);
        node.due.remove().run();
        execute(reset);
        assertThat(node.asked).isZero();
        assertThat(outcomes).containsExactly(ResetOutcome.NOT_NEEDED);
    }

    @Test
    void aQuestionThatCameBeforeItWaitedDoesNotCount() {
        membersFail = true;
        header = LockHeader.pack(EPOCH, 7, 1, 1);
        users.set(node.nodeId());
        users.set(OTHER);
        LockReset reset = reset(ResetReason.SUSPECTED);
        execute(reset);
        reset.othersAsk();
        membersFail = false;
        node.due.remove().run();
        node.due.remove().run();
        execute(reset);
        assertThat(node.asked).isEqualTo(2);
    }

    @Test
    void asksAtOnceIfAGrantWasRefused() {
        header = LockHeader.pack(EPOCH, 7, 1, 1);
        users.set(node.nodeId());
        users.set(OTHER);
        execute(reset(ResetReason.GRANT_REFUSED));
        assertThat(node.asked).isEqualTo(2);
    }

    @Test
    void waitsARandomTimeUpToASixteenthOfTheInterval() {
        long longest = 2 * (node.settings().selfCheckInterval().toNanos() / 16);
        for (long drawn : new long[] {0, 1, longest / 2, longest, longest + 1}) {
            node.drawn = drawn;
            suspect();
        }
        assertThat(node.delays).as("for two users").containsExactly(0L, 1L, longest / 2, longest, 0L);
    }
}
