// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.Counters.Event;
import io.declock.Purpose;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.QueueEntry;
import io.declock.spi.FabricException;
import io.declock.spi.Member;
import io.declock.spi.Membership;
import io.declock.spi.PeerMessage;
import io.declock.spi.RecordMembers;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The initiator's side of one lock reset (DecLock, section 4.4 and appendix B; rules B7, B8, B9, B10, B14 and B15 of docs/protocol.md).
 *
 * <ol>
 * <li><b>Ask</b>, if it is only a suspicion that no living node holds the lock: which users hold it, and which have a position that does
 * not hold? The reset goes on if the queue is longer than all their positions while the header stood still, or if no user held the lock,
 * twice, while the head stood still.
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
 * <p>Thread-safe: every field is guarded by its own mutex, and no effect is performed under it.
 */
public final class LockReset {
    /** The outcome of a reset, or of the question before it. */
    public enum Outcome {
        /** The lock starts over in a new epoch. */
        COMPLETED,
        /** A node holds the lock, or the queue has moved: waiting goes on. */
        NOT_NEEDED,
        /** Another compute node resets the lock. */
        LEFT_TO_OTHER,
        /** The session ended. */
        ABANDONED
    }

    private enum Phase {
        READING,
        ASKING,
        PAUSING,
        MARKING,
        SIGNALLING,
        CLEARING,
        FINISHING,
        ENDED
    }

    private final CqlEnvironment env;
    private final long record;
    private long epoch;
    private final ResetReason reason;
    private final Supplier<CompletionStage<RecordMembers>> freshMembers;
    private final Consumer<Outcome> whenEnded;
    private final ReentrantLock mutex = new ReentrantLock();
    private final Step step = new Step();

    private Phase phase = Phase.READING;
    private long askedHeader;
    private boolean leftBehind;
    private int rounds;
    private long question;
    private boolean tookOver;
    private Membership members = new Membership(-1, List.of());
    private Membership users = members;
    private final Map<Integer, PeerMessage> answers = new HashMap<>();
    private int survivors;
    private int survivingWriters;

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
            Consumer<Outcome> whenEnded) {
        this.env = env;
        this.record = record;
        this.epoch = epoch;
        this.reason = reason;
        this.freshMembers = freshMembers;
        this.whenEnded = whenEnded;
    }

    /** Begins. */
    public void start() {
        event(this::readHeader);
    }

    /** The session ended. */
    public void abandon() {
        event(effects -> end(Outcome.ABANDONED, effects));
    }

    /** The membership changed: the reset does not wait for members that have ended (rule B9). */
    public void membershipChanged(Membership current) {
        event(effects -> {
            if (current.version() > members.version() && (phase == Phase.ASKING || phase == Phase.SIGNALLING)) {
                members = current;
                users = stillLive(current);
                proceedIfAnswered(effects);
            }
        });
    }

    private Membership stillLive(Membership current) {
        return new Membership(
                current.version(),
                users.members().stream()
                        .filter(user -> current.isLive(user.nodeId(), user.incarnation()))
                        .toList());
    }

    /** An answer or an acknowledgement arrived. */
    public void deliver(PeerMessage message) {
        event(effects -> {
            boolean expected = message.kind() == PeerMessage.Kind.HOLD_ANSWER
                            && phase == Phase.ASKING
                            && message.detail() == question
                    || message.kind() == PeerMessage.Kind.RESET_ACK
                            && phase == Phase.SIGNALLING
                            && message.epoch() == epoch;
            if (expected) {
                answers.put(message.fromNode(), message);
                proceedIfAnswered(effects);
            }
        });
    }

    // ---------------------------------------------------------------- 1: ask

    private void readHeader(Effects effects) {
        phase = Phase.READING;
        step.next(this::onHeaderRead, effects).read(env.layout().header(record), 2);
    }

    private void onHeaderRead(VerbResults results, Effects effects) {
        long header = results.value(0);
        askedHeader = header;
        if (reason == ResetReason.STALLED_RESET) {
            epoch = ResetMember.fullEpoch(header, results.word(0, 1));
        }
        if (!isOfEpoch(header) || reason.asksFirst() && isFree(header)) {
            end(Outcome.NOT_NEEDED, effects);
        } else if (reason.asksFirst() && LockHeader.resetId(header) == 0) {
            fetchMembers(this::ask, effects);
        } else if (reason == ResetReason.STALLED_RESET && LockHeader.resetId(header) == 0) {
            end(Outcome.NOT_NEEDED, effects);
        } else {
            fetchMembers(e -> mark(header, e), effects);
        }
    }

    /** Returns whether no position is taken, so that none can have been left behind. */
    private static boolean isFree(long header) {
        return LockHeader.resetId(header) == 0 && LockHeader.size(header) == 0;
    }

    private void ask(Effects effects) {
        phase = Phase.ASKING;
        rounds++;
        question = env.random().nextLong();
        answers.clear();
        askUnanswered(effects);
    }

    private void askUnanswered(Effects effects) {
        sendToUnanswered(PeerMessage.Kind.HOLD_QUESTION, 0, question, effects);
        long asked = question;
        later(env.settings().resetResendInterval().toNanos(), effects, e -> {
            if (phase == Phase.ASKING && question == asked) {
                askUnanswered(e);
            }
        });
    }

    private void proceedIfAnswered(Effects effects) {
        for (Member member : users.members()) {
            PeerMessage answer = answers.get(member.nodeId());
            if (answer == null || answer.fromIncarnation() != member.incarnation()) {
                return;
            }
        }
        if (phase == Phase.SIGNALLING) {
            clear(effects);
        } else if (phase == Phase.ASKING) {
            phase = Phase.READING;
            step.next((results, e) -> judge(results.value(0), e), effects)
                    .read(env.layout().header(record), 1);
        }
    }

    /** Every user has answered, and the header was read once more. */
    private void judge(long header, Effects effects) {
        leftBehind = hasMorePositionsThanClaimed(header);
        if (leftBehind) {
            mark(header, effects);
        } else if (claims(PeerMessage.HOLDS) > 0) {
            end(Outcome.NOT_NEEDED, effects);
        } else if (rounds == 1) {
            phase = Phase.PAUSING;
            later(4 * env.settings().selfCheckInterval().toNanos(), effects, e -> fetchMembers(this::ask, e));
        } else {
            mark(header, effects);
        }
    }

    /**
     * Returns whether the queue has a position without a living owner. A header that has not changed while the users were asked shows that
     * no position was taken or released meanwhile: every addition moves the head on or makes the queue longer. So each living user claimed
     * its position by its answer, also if its FAA was still in flight, and a surplus position was left behind by a dead user.
     */
    private boolean hasMorePositionsThanClaimed(long header) {
        return header == askedHeader
                && LockHeader.size(header) > claims(PeerMessage.HOLDS) + claims(PeerMessage.HAS_POSITION);
    }

    private int claims(int claim) {
        int claims = 0;
        for (Member member : users.members()) {
            PeerMessage answer = answers.get(member.nodeId());
            claims += answer != null && answer.index() == claim ? 1 : 0;
        }
        return claims;
    }

    // ---------------------------------------------------------------- 2: mark

    private void mark(long header, Effects effects) {
        phase = Phase.MARKING;
        int resetId = LockHeader.resetId(header);
        if (!isOfEpoch(header) || resetId == 0 && !isStillNeeded(header)) {
            end(Outcome.NOT_NEEDED, effects);
            return;
        }
        if (isOwn(resetId)) {
            tookOver = true;
            marked(effects);
        } else if (resetId != 0) {
            fetchMembers(e -> takeOver(header, e), effects);
        } else {
            swapResetId(header, effects);
        }
    }

    /**
     * Returns whether the reason for the reset still stands. A position that was left behind stays until a reset; the finding that no user
     * holds the lock may be outdated.
     */
    private boolean isStillNeeded(long header) {
        return !reason.asksFirst() || leftBehind || LockHeader.head(header) == LockHeader.head(askedHeader);
    }

    /**
     * The members were fetched after the reset id was seen, so an initiator that is not among them was cut off. An initiator that is among
     * them may be a newcomer with the id of a dead initiator, and perhaps never uses this lock: it is sent RESET_STALLED, so that it takes
     * the reset over.
     */
    private void takeOver(long header, Effects effects) {
        int resetId = LockHeader.resetId(header);
        Member initiator = members.byNodeId(resetId);
        if (isMember(resetId)) {
            if (initiator != null && reason == ResetReason.STALLED_RESET) {
                send(initiator, PeerMessage.Kind.RESET_STALLED, epoch, resetId, 0, effects);
            }
            end(Outcome.LEFT_TO_OTHER, effects);
            return;
        }
        tookOver = true;
        swapResetId(header, effects);
    }

    private boolean isMember(int nodeId) {
        return members.byNodeId(nodeId) != null;
    }

    /**
     * Returns whether the reset id is this node's own. This object has not set it yet, so an earlier owner of the id or an earlier attempt
     * of this node began that reset.
     */
    private boolean isOwn(int resetId) {
        return resetId == env.nodeId();
    }

    private void swapResetId(long header, Effects effects) {
        long desired = LockHeader.withResetId(header, env.nodeId());
        step.next(
                        (results, e) -> {
                            if (results.value(0) == header) {
                                marked(e);
                            } else {
                                mark(results.value(0), e);
                            }
                        },
                        effects)
                .compareAndSwap(env.layout().header(record), header, desired);
    }

    private void marked(Effects effects) {
        env.counters().count(tookOver ? Event.RESET_TAKEN_OVER : Event.RESET_STARTED);
        answers.clear();
        fetchMembers(this::signal, effects);
    }

    // ---------------------------------------------------------------- 3: signal

    private void signal(Effects effects) {
        phase = Phase.SIGNALLING;
        signalUnanswered(effects);
        proceedIfAnswered(effects);
    }

    private void signalUnanswered(Effects effects) {
        sendToUnanswered(PeerMessage.Kind.RESET_SIGNAL, env.nodeId(), 0, effects);
        later(env.settings().resetResendInterval().toNanos(), effects, e -> {
            if (phase == Phase.SIGNALLING) {
                fetchMembers(
                        e2 -> {
                            if (phase == Phase.SIGNALLING) {
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
        phase = Phase.CLEARING;
        survivors = 0;
        survivingWriters = 0;
        for (Member member : users.members()) {
            PeerMessage ack = answers.get(member.nodeId());
            long hold = ack == null ? 0 : ack.detail();
            survivors += hold > 0 ? 1 : 0;
            survivingWriters += hold > 1 ? 1 : 0;
        }
        long[] empty = new long[env.layout().capacity()];
        Arrays.fill(empty, QueueEntry.INITIAL);
        step.next(
                        (results, e) -> {
                            phase = Phase.FINISHING;
                            finish(results.word(2, 0), e);
                        },
                        effects)
                .write(env.layout().entries(record), empty)
                .write(env.layout().epoch(record), epoch + 1)
                .read(env.layout().header(record), 1);
    }

    // ---------------------------------------------------------------- 5: finish

    private void finish(long header, Effects effects) {
        if (!isOfEpoch(header) || LockHeader.resetId(header) != env.nodeId()) {
            end(Outcome.LEFT_TO_OTHER, effects);
            return;
        }
        long next = LockHeader.pack(epoch + 1, 0, survivors, survivingWriters, 0);
        step.next(
                        (results, e) -> {
                            if (results.value(0) == header) {
                                finished(e);
                            } else {
                                finish(results.value(0), e);
                            }
                        },
                        effects)
                .compareAndSwap(env.layout().header(record), header, next);
    }

    private void finished(Effects effects) {
        env.counters().count(Event.RESET_COMPLETED);
        for (Member member : users.members()) {
            send(member, PeerMessage.Kind.RESET_DONE, epoch + 1, env.nodeId(), 0, effects);
        }
        end(Outcome.COMPLETED, effects);
    }

    // ---------------------------------------------------------------- helpers

    private boolean isOfEpoch(long header) {
        return LockHeader.epoch(header) == (int) (epoch & LockHeader.EPOCH_MASK);
    }

    private void end(Outcome outcome, Effects effects) {
        if (phase != Phase.ENDED) {
            phase = Phase.ENDED;
            effects.run(() -> whenEnded.accept(outcome));
        }
    }

    private void fetchMembers(Consumer<Effects> then, Effects effects) {
        effects.run(() -> freshMembers
                .get()
                .whenComplete((fresh, failure) -> event(e -> {
                    if (failure != null) {
                        end(Outcome.ABANDONED, e);
                    } else {
                        // A member that is known to have ended since the answer was sent stays ended.
                        boolean newest = fresh.all().version() >= members.version();
                        Membership current = newest ? fresh.all() : members;
                        users = fresh.users();
                        users = stillLive(current);
                        members = current;
                        then.accept(e);
                    }
                })));
    }

    private void sendToUnanswered(PeerMessage.Kind kind, int index, long detail, Effects effects) {
        for (Member member : users.members()) {
            PeerMessage answer = answers.get(member.nodeId());
            if (answer == null || answer.fromIncarnation() != member.incarnation()) {
                send(member, kind, epoch, index, detail, effects);
            }
        }
    }

    private void send(Member to, PeerMessage.Kind kind, long ofEpoch, int index, long detail, Effects effects) {
        effects.send(
                to,
                new PeerMessage(
                        kind,
                        env.memoryNode(),
                        env.nodeId(),
                        env.incarnation(),
                        to.nodeId(),
                        to.incarnation(),
                        record,
                        ofEpoch,
                        index,
                        detail));
    }

    private void later(long delay, Effects effects, Consumer<Effects> then) {
        effects.run(() -> env.timer().schedule(delay, () -> event(then)));
    }

    private void event(Consumer<Effects> handler) {
        Effects effects = new Effects(env.clock());
        mutex.lock();
        try {
            if (phase != Phase.ENDED) {
                handler.accept(effects);
            }
        } finally {
            mutex.unlock();
        }
        effects.perform(env);
    }

    @Override
    public String toString() {
        return "reset of record " + record + " epoch " + epoch + " because " + reason + ", " + phase + ", answered "
                + answers.keySet();
    }

    /** The only chain of a reset. */
    private final class Step extends VerbChain {
        private Continuation then = (results, effects) -> {};

        VerbChain next(Continuation continuation, Effects effects) {
            then = continuation;
            effects.post(this);
            return begin(Purpose.RESET);
        }

        @Override
        public void completed(VerbResults results) {
            event(effects -> then.accept(results, effects));
        }

        @Override
        public void failed(FabricException cause) {
            abandon();
        }
    }

    private interface Continuation {
        void accept(VerbResults results, Effects effects);
    }
}
