// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.Counters.Event;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.QueueEntry;
import io.declock.internal.protocol.ResetRun.Phase;
import io.declock.spi.Member;
import io.declock.spi.Membership;
import io.declock.spi.PeerMessage;
import io.declock.spi.RecordMembers;
import io.declock.spi.VerbResults;
import java.util.Arrays;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The initiator's side of one lock reset (DecLock, section 4.4 and appendix B; rules B7, B8, B9, B10, B14 and B15 of docs/protocol.md).
 *
 * <ol>
 * <li><b>Ask</b>, if it is only a suspicion that no living node holds the lock ({@link HoldQuestion}).
 * <li><b>Mark:</b> CAS the own node id into the reset id. A reset whose initiator is no longer a member is taken over.
 *   <li><b>Signal</b> every user, fetched after the mark, until each has acknowledged or died.
 *   <li><b>Clear</b> the queue and write the new full epoch; await it.
 * <li><b>Finish:</b> CAS the header to the next epoch with the surviving holders in it, and notify every user.
 * </ol>
 *
 * <p>A user is a member that knows the record. Other members can have no position: the memory node counts a member among the users before
 * it sends the member the address, so a member that learns the address after the users were fetched finds the mark with its first FAA (rule
 * B9).
 *
 * <p>Thread-safe: every field is guarded by the mutex of its {@link ResetRun}, and no effect is performed under it.
 */
public final class LockReset {
    private final ResetRun run;
    private final HoldQuestion question;
    private final ResetReason reason;
    private boolean tookOver;

    /**
     * Makes a reset, which begins with {@link #start}.
     *
     * @param epoch full epoch that is to be ended
     * @param freshMembers fetches the members and the record's users from the memory node
     * @param whenEnded called once with the outcome, outside the mutex
     */
    public LockReset(
            CqlEnvironment env,
            long record,
            long epoch,
            ResetReason reason,
            Supplier<CompletionStage<RecordMembers>> freshMembers,
            Consumer<ResetOutcome> whenEnded) {
        this.run = new ResetRun(env, record, epoch, freshMembers, whenEnded);
        this.question = new HoldQuestion(run);
        this.reason = reason;
    }

    /** Begins. */
    public void start() {
        run.event(this::readHeader);
    }

    /** The session ended. */
    public void abandon() {
        run.event(effects -> run.end(ResetOutcome.ABANDONED, effects));
    }

    /** The membership changed: the reset does not wait for members that have ended (rule B9). */
    public void membershipChanged(Membership current) {
        run.event(effects -> {
            if (current.version() > run.members().version() && (run.is(Phase.ASKING) || run.is(Phase.SIGNALLING))) {
                run.toMembers(current);
                proceedIfAnswered(effects);
            }
        });
    }

    /** An answer or an acknowledgement arrived. */
    public void deliver(PeerMessage message) {
        run.event(effects -> {
            if (question.isAnsweredBy(message) || isAcknowledgement(message)) {
                run.answered(message);
                proceedIfAnswered(effects);
            }
        });
    }

    private boolean isAcknowledgement(PeerMessage message) {
        return message.kind() == PeerMessage.Kind.RESET_ACK
                && run.is(Phase.SIGNALLING)
                && message.epoch() == run.epoch();
    }

    private void proceedIfAnswered(Effects effects) {
        if (!run.isAnswered()) {
            return;
        }
        if (run.is(Phase.SIGNALLING)) {
            clear(effects);
        } else if (run.is(Phase.ASKING)) {
            run.to(Phase.READING);
            run.post((results, e) -> judge(results.value(0), e), effects).read(header(), 1);
        }
    }

    private long header() {
        return run.env.layout().header(run.record);
    }

    // ---------------------------------------------------------------- 1: ask

    private void readHeader(Effects effects) {
        run.to(Phase.READING);
        run.post(this::onHeaderRead, effects).read(header(), 2);
    }

    private void onHeaderRead(VerbResults results, Effects effects) {
        long header = results.value(0);
        boolean unmarked = LockHeader.resetId(header) == 0;
        question.found(header);
        if (reason == ResetReason.STALLED_RESET) {
            run.toEpoch(LockHeader.fullEpoch(header, results.word(0, 1)));
        }
        if (!run.isOfEpoch(header) || reason.asksFirst() && unmarked && LockHeader.size(header) == 0) {
            // No position is taken, so that none can have been left behind.
            run.end(ResetOutcome.NOT_NEEDED, effects);
        } else if (reason.asksFirst() && unmarked) {
            run.fetchMembers(question::ask, effects);
        } else if (reason == ResetReason.STALLED_RESET && unmarked) {
            run.end(ResetOutcome.NOT_NEEDED, effects);
        } else {
            run.fetchMembers(e -> mark(header, e), effects);
        }
    }

    /** Every user has answered, and the header was read once more. */
    private void judge(long header, Effects effects) {
        switch (question.judge(header)) {
            case LEFT_BEHIND, NOT_HELD -> mark(header, effects);
            case HELD -> run.end(ResetOutcome.NOT_NEEDED, effects);
            case ASK_AGAIN -> {
                run.to(Phase.PAUSING);
                long pause = 4 * run.env.settings().selfCheckInterval().toNanos();
                run.later(pause, effects, e -> run.fetchMembers(question::ask, e));
            }
        }
    }

    // ---------------------------------------------------------------- 2: mark

    private void mark(long header, Effects effects) {
        run.to(Phase.MARKING);
        int resetId = LockHeader.resetId(header);
        if (!run.isOfEpoch(header) || resetId == 0 && reason.asksFirst() && !question.stillDemandsReset(header)) {
            run.end(ResetOutcome.NOT_NEEDED, effects);
            return;
        }
        if (isOwn(resetId)) {
            tookOver = true;
            marked(effects);
        } else if (resetId != 0) {
            run.fetchMembers(e -> takeOver(header, e), effects);
        } else {
            swapResetId(header, effects);
        }
    }

    /**
     * The members were fetched after the reset id was seen, so an initiator that is not among them was cut off. An initiator that is among
     * them may be a newcomer with the id of a dead initiator, and perhaps never uses this lock: it is sent RESET_STALLED, so that it takes
     * the reset over.
     */
    private void takeOver(long header, Effects effects) {
        int resetId = LockHeader.resetId(header);
        Member initiator = run.members().byNodeId(resetId);
        if (isMember(resetId)) {
            if (initiator != null && reason == ResetReason.STALLED_RESET) {
                run.send(initiator, PeerMessage.Kind.RESET_STALLED, run.epoch(), resetId, 0, effects);
            }
            run.end(ResetOutcome.LEFT_TO_OTHER, effects);
            return;
        }
        tookOver = true;
        swapResetId(header, effects);
    }

    private boolean isMember(int nodeId) {
        return run.members().byNodeId(nodeId) != null;
    }

    /**
     * Returns whether the reset id is this node's own. This object has not set it yet, so an earlier owner of the id or an earlier attempt
     * of this node began that reset.
     */
    private boolean isOwn(int resetId) {
        return resetId == run.env.nodeId();
    }

    private void swapResetId(long header, Effects effects) {
        long desired = LockHeader.withResetId(header, run.env.nodeId());
        run.post(
                        (results, e) -> {
                            if (results.value(0) == header) {
                                marked(e);
                            } else {
                                mark(results.value(0), e);
                            }
                        },
                        effects)
                .compareAndSwap(header(), header, desired);
    }

    private void marked(Effects effects) {
        run.env.counters().count(tookOver ? Event.RESET_TAKEN_OVER : Event.RESET_STARTED);
        run.forgetAnswers();
        run.fetchMembers(this::signal, effects);
    }

    // ---------------------------------------------------------------- 3: signal

    private void signal(Effects effects) {
        run.to(Phase.SIGNALLING);
        signalUnanswered(effects);
        proceedIfAnswered(effects);
    }

    private void signalUnanswered(Effects effects) {
        run.sendToUnanswered(PeerMessage.Kind.RESET_SIGNAL, run.env.nodeId(), 0, effects);
        run.later(run.env.settings().resetResendInterval().toNanos(), effects, e -> {
            if (run.is(Phase.SIGNALLING)) {
                run.fetchMembers(
                        e2 -> {
                            if (run.is(Phase.SIGNALLING)) {
                                signalUnanswered(e2);
                                proceedIfAnswered(e2);
                            }
                        },
                        e);
            }
        });
    }

    // ---------------------------------------------------------------- 4: clear

    private void clear(Effects effects) {
        run.to(Phase.CLEARING);
        // An acknowledgement tells 0 for no hold, 1 for a shared one, 2 for an exclusive one.
        int survivors =
                (int) run.answers().stream().filter(ack -> ack.detail() > 0).count();
        int writers =
                (int) run.answers().stream().filter(ack -> ack.detail() > 1).count();
        long[] empty = new long[run.env.layout().capacity()];
        Arrays.fill(empty, QueueEntry.INITIAL);
        run.post(
                        (results, e) -> {
                            run.to(Phase.FINISHING);
                            finish(results.word(2, 0), survivors, writers, e);
                        },
                        effects)
                .write(run.env.layout().entries(run.record), empty)
                .write(run.env.layout().epoch(run.record), run.epoch() + 1)
                .read(header(), 1);
    }

    // ---------------------------------------------------------------- 5: finish

    private void finish(long header, int survivors, int writers, Effects effects) {
        if (!run.isOfEpoch(header) || LockHeader.resetId(header) != run.env.nodeId()) {
            run.end(ResetOutcome.LEFT_TO_OTHER, effects);
            return;
        }
        long next = LockHeader.pack(run.epoch() + 1, 0, survivors, writers, 0);
        run.post(
                        (results, e) -> {
                            if (results.value(0) == header) {
                                finished(e);
                            } else {
                                finish(results.value(0), survivors, writers, e);
                            }
                        },
                        effects)
                .compareAndSwap(header(), header, next);
    }

    private void finished(Effects effects) {
        run.env.counters().count(Event.RESET_COMPLETED);
        for (Member member : run.users().members()) {
            run.send(member, PeerMessage.Kind.RESET_DONE, run.epoch() + 1, run.env.nodeId(), 0, effects);
        }
        run.end(ResetOutcome.COMPLETED, effects);
    }

    @Override
    public String toString() {
        return "reset because " + reason + " of " + run;
    }
}
