// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.Counters.Event;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.QueueEntry;
import io.declock.internal.layout.ResetClaim;
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
 * The initiator's side of one lock reset (DecLock, section 4.4 and appendix B; rules B7, B8, B9, B10, B14, B15, B16 and B17 of docs/protocol.md).
 *
 * <ol>
 * <li><b>Ask</b>, if it is only a suspicion that no living node holds the lock ({@link HoldQuestion}).
 * <li><b>Claim:</b> CAS the own node id, incarnation and the epoch into the claim word. A claim of an earlier epoch, or of a node that is no
 *   longer a member, gives way; that of a member stays.
 * <li><b>Mark:</b> CAS the reset bit into the header.
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
    /** How many users may ask in the time of one self-check interval if all of them have reason to. */
    private static final int QUESTIONS_PER_CHECK = 16;

    private final ResetRun run;
    private final HoldQuestion question;
    private final ResetReason reason;
    private boolean tookOver;
    private boolean waitsToAsk;
    private boolean askedByOther;
    /** How many times the users are being fetched again because one has ended. */
    private int refetches;

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

    /**
     * The membership changed: the reset does not wait for members that have ended (rule B9). The memory node may have taken over what one of them
     * held, so the users are fetched again before the reset goes on (rule R2).
     */
    public void membershipChanged(Membership current) {
        run.event(effects -> {
            if (current.version() <= run.members().version()) {
                return;
            }
            if (run.is(Phase.ASKING)) {
                run.toMembers(current);
                proceedIfAnswered(effects);
            } else if (run.is(Phase.SIGNALLING)) {
                if (run.toMembers(current)) {
                    refetches++;
                    run.fetchMembers(this::signalOthers, effects);
                }
                proceedIfAnswered(effects);
            }
        });
    }

    private void signalOthers(Effects effects) {
        refetches--;
        if (run.is(Phase.SIGNALLING)) {
            run.sendToUnanswered(PeerMessage.Kind.RESET_SIGNAL, run.env.nodeId(), 0, effects);
            proceedIfAnswered(effects);
        }
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
        if (!run.isAnswered() || refetches > 0) {
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

    private long claim() {
        return run.env.layout().claim(run.record);
    }

    // ---------------------------------------------------------------- 1: ask

    private void readHeader(Effects effects) {
        run.to(Phase.READING);
        run.post(this::onHeaderRead, effects).read(header(), 2).read(claim(), 1);
    }

    private void onHeaderRead(VerbResults results, Effects effects) {
        long header = results.value(0);
        long claim = results.word(1, 0);
        boolean unmarked = !LockHeader.isInReset(header);
        question.found(header);
        if (reason == ResetReason.STALLED_RESET) {
            run.toEpoch(LockHeader.fullEpoch(header, results.word(0, 1)));
        }
        if (!isNeeded(header)) {
            run.end(ResetOutcome.NOT_NEEDED, effects);
        } else if (reason.asksFirst() && unmarked) {
            run.fetchMembers(this::askSoon, effects);
        } else {
            claim(claim, effects);
        }
    }

    private boolean isNeeded(long header) {
        boolean unmarked = !LockHeader.isInReset(header);
        if (reason.asksFirst() && unmarked && LockHeader.size(header) == 0) {
            // No position is taken, so that none can have been left behind.
            return false;
        }
        return run.isOfEpoch(header) && !(reason == ResetReason.STALLED_RESET && unmarked);
    }

    /**
     * Asks at once, or after a while in which another user may ask: what makes one user suspicious often makes all of them so, and each
     * question is a message to each of them (rule B17).
     */
    private void askSoon(Effects effects) {
        int users = run.users().members().size();
        if (reason == ResetReason.GRANT_REFUSED || users <= 1) {
            question.ask(effects);
            return;
        }
        run.to(Phase.PAUSING);
        waitsToAsk = true;
        long longest = users * (run.env.settings().selfCheckInterval().toNanos() / QUESTIONS_PER_CHECK);
        run.later(run.env.random().below(longest + 1), effects, this::askUnlessAsked);
    }

    private void askUnlessAsked(Effects effects) {
        waitsToAsk = false;
        if (isAskedByOther()) {
            run.end(ResetOutcome.NOT_NEEDED, effects);
            return;
        }
        run.to(Phase.READING);
        run.post(
                        (results, e) -> {
                            if (question.stillDemandsReset(results.value(0)) && run.isOfEpoch(results.value(0))) {
                                question.found(results.value(0));
                                run.fetchMembers(question::ask, e);
                            } else {
                                // The queue has moved: whoever has the lock is alive.
                                run.end(ResetOutcome.NOT_NEEDED, e);
                            }
                        },
                        effects)
                .read(header(), 1);
    }

    private boolean isAskedByOther() {
        return askedByOther;
    }

    /** Another user asks whether anybody holds the lock, and will reset it if nobody does. */
    public void othersAsk() {
        run.event(effects -> askedByOther |= waitsToAsk);
    }

    /** Every user has answered, and the header was read once more. */
    private void judge(long header, Effects effects) {
        switch (question.judge(header)) {
            case LEFT_BEHIND, NOT_HELD -> {
                run.to(Phase.MARKING);
                run.post((results, e) -> claim(results.value(0), e), effects).read(claim(), 1);
            }
            case HELD -> run.end(ResetOutcome.NOT_NEEDED, effects);
            case ASK_AGAIN -> {
                run.to(Phase.PAUSING);
                long pause = 4 * run.env.settings().selfCheckInterval().toNanos();
                run.later(pause, effects, e -> run.fetchMembers(question::ask, e));
            }
        }
    }

    // ---------------------------------------------------------------- 2 and 3: claim and mark

    private void claim(long found, Effects effects) {
        run.to(Phase.MARKING);
        if (ResetClaim.epoch(found) > run.epoch()) {
            run.end(ResetOutcome.NOT_NEEDED, effects);
        } else if (isOwn(found)) {
            run.post((results, e) -> mark(results.value(0), e), effects).read(header(), 1);
        } else if (isOfEarlierEpoch(found)) {
            swapClaim(found, effects);
        } else {
            run.fetchMembers(e -> takeOver(found, e), effects);
        }
    }

    /** Returns whether this session's claim stands already: the answer to the CAS that took it was lost (rule G6). */
    private boolean isOwn(long claim) {
        return claim == ownClaim();
    }

    private boolean isOfEarlierEpoch(long claim) {
        return ResetClaim.epoch(claim) < run.epoch();
    }

    /** The members were fetched after the claim was seen, so a claimant that is not among them was cut off. */
    private void takeOver(long found, Effects effects) {
        if (isMembers(found)) {
            run.end(ResetOutcome.LEFT_TO_OTHER, effects);
            return;
        }
        tookOver = true;
        swapClaim(found, effects);
    }

    private boolean isMembers(long claim) {
        Member claimant = run.members().byNodeId(ResetClaim.nodeId(claim));
        return claimant != null && ResetClaim.isOf(claim, claimant.nodeId(), claimant.incarnation());
    }

    private void swapClaim(long found, Effects effects) {
        run.post(
                        (results, e) -> {
                            if (results.value(0) == found) {
                                mark(results.word(1, 0), e);
                            } else {
                                claim(results.value(0), e);
                            }
                        },
                        effects)
                .compareAndSwap(claim(), found, ownClaim())
                .read(header(), 1);
    }

    private long ownClaim() {
        return ResetClaim.pack(run.env.nodeId(), run.env.incarnation(), run.epoch());
    }

    /** The lock is this node's to reset in this epoch, and this header was read after that. */
    private void mark(long header, Effects effects) {
        boolean unmarked = !LockHeader.isInReset(header);
        if (!run.isOfEpoch(header) || unmarked && reason.asksFirst() && !question.stillDemandsReset(header)) {
            giveUp(effects);
        } else if (unmarked) {
            swapHeader(header, LockHeader.inReset(header), this::marked, this::mark, effects);
        } else {
            tookOver = true;
            marked(effects);
        }
    }

    private void swapHeader(long header, long desired, Consumer<Effects> swapped, OtherHeader other, Effects effects) {
        run.post(
                        (results, e) -> {
                            if (results.value(0) == header) {
                                swapped.accept(e);
                            } else {
                                other.found(results.value(0), e);
                            }
                        },
                        effects)
                .compareAndSwap(header(), header, desired);
    }

    /** Goes on with the header that a CAS has found in place of the expected one. */
    private interface OtherHeader {
        void found(long header, Effects effects);
    }

    /** Withdraws the claim, as long as which the others leave the lock to this node, and ends without a reset. */
    private void giveUp(Effects effects) {
        run.post((results, e) -> run.end(ResetOutcome.NOT_NEEDED, e), effects)
                .compareAndSwap(claim(), ownClaim(), ResetClaim.NONE);
    }

    private void marked(Effects effects) {
        run.env.counters().count(tookOver ? Event.RESET_TAKEN_OVER : Event.RESET_STARTED);
        run.forgetAnswers();
        run.fetchMembers(this::signal, effects);
    }

    // ---------------------------------------------------------------- 4: signal

    private void signal(Effects effects) {
        run.to(Phase.SIGNALLING);
        signalUnanswered(effects);
        proceedIfAnswered(effects);
    }

    private void signalUnanswered(Effects effects) {
        run.sendToUnanswered(PeerMessage.Kind.RESET_SIGNAL, run.env.nodeId(), 0, effects);
        run.later(run.nextResendNanos(), effects, e -> {
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

    // ---------------------------------------------------------------- 5: clear

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

    // ---------------------------------------------------------------- 6: finish

    private void finish(long header, int survivors, int writers, Effects effects) {
        if (!run.isOfEpoch(header) || !LockHeader.isInReset(header)) {
            if (run.isRepeated()) {
                // The header was changed, but the answer was lost.
                finished(effects);
            } else {
                run.end(ResetOutcome.LEFT_TO_OTHER, effects);
            }
            return;
        }
        long next = LockHeader.pack(run.epoch() + 1, 0, survivors, writers);
        swapHeader(header, next, this::finished, (found, e) -> finish(found, survivors, writers, e), effects);
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
