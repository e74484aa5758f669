// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.Purpose;
import io.declock.internal.layout.LockHeader;
import io.declock.spi.FabricException;
import io.declock.spi.Member;
import io.declock.spi.Membership;
import io.declock.spi.PeerMessage;
import io.declock.spi.RecordMembers;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One run of a {@link LockReset} with the question before it: its phase, the users of the record and their answers, and the means by which a
 * step leads to the next one. Every field is guarded by the run's own mutex, and no effect is performed under it.
 */
final class ResetRun {
    /** The phases of a run. */
    enum Phase {
        READING,
        ASKING,
        PAUSING,
        MARKING,
        SIGNALLING,
        CLEARING,
        FINISHING,
        ENDED
    }

    private static final int MOST_DOUBLINGS = 4;

    final CqlEnvironment env;
    final long record;
    private final Supplier<CompletionStage<RecordMembers>> freshMembers;
    private final Consumer<ResetOutcome> whenEnded;
    private final ReentrantLock mutex = new ReentrantLock();
    private final Step step = new Step();

    private long epoch;
    private Phase phase = Phase.READING;
    private Membership members = new Membership(-1, List.of());
    private Membership users = members;
    private final Map<Integer, PeerMessage> answers = new HashMap<>();
    private int resends;
    /** A step may have been executed twice. */
    private boolean repeated;

    ResetRun(
            CqlEnvironment env,
            long record,
            long epoch,
            Supplier<CompletionStage<RecordMembers>> freshMembers,
            Consumer<ResetOutcome> whenEnded) {
        this.env = env;
        this.record = record;
        this.epoch = epoch;
        this.freshMembers = freshMembers;
        this.whenEnded = whenEnded;
    }

    // ---------------------------------------------------------------- phase and epoch

    boolean is(Phase asked) {
        return phase == asked;
    }

    void to(Phase next) {
        phase = next;
    }

    /** Returns the full epoch that is to be ended. */
    long epoch() {
        return epoch;
    }

    void toEpoch(long known) {
        epoch = known;
    }

    boolean isOfEpoch(long header) {
        return LockHeader.epoch(header) == (int) (epoch & LockHeader.EPOCH_MASK);
    }

    /** Returns whether a step may have been executed twice. */
    boolean isRepeated() {
        return repeated;
    }

    void end(ResetOutcome outcome, Effects effects) {
        if (phase != Phase.ENDED) {
            phase = Phase.ENDED;
            effects.run(() -> whenEnded.accept(outcome));
        }
    }

    // ---------------------------------------------------------------- members, users and their answers

    Membership members() {
        return members;
    }

    Membership users() {
        return users;
    }

    /**
     * Fetches the members and the record's users from the memory node, then goes on. It asks again if that fails: the others leave the lock
     * to this node as long as its session lasts (rule B15).
     */
    void fetchMembers(Consumer<Effects> then, Effects effects) {
        effects.run(() -> freshMembers
                .get()
                .whenComplete((fresh, failure) -> event(e -> {
                    if (failure != null) {
                        long pause = env.settings().resetResendInterval().toNanos();
                        later(pause, e, again -> fetchMembers(then, again));
                    } else {
                        accept(fresh, then, e);
                    }
                })));
    }

    /** An answer that was sent before the newest change of the members does not tell who is a user in place of one that has ended (rule R2). */
    private void accept(RecordMembers fresh, Consumer<Effects> then, Effects effects) {
        if (isOutdated(fresh)) {
            fetchMembers(then, effects);
            return;
        }
        users = fresh.users();
        members = fresh.all();
        then.accept(effects);
    }

    private boolean isOutdated(RecordMembers fresh) {
        return fresh.all().version() < members.version();
    }

    /**
     * Forgets the members and users that have ended.
     *
     * @return whether a user has ended
     */
    boolean toMembers(Membership current) {
        int before = users.members().size();
        users = new Membership(
                current.version(),
                users.members().stream()
                        .filter(user -> current.isLive(user.nodeId(), user.incarnation()))
                        .toList());
        members = current;
        return users.members().size() < before;
    }

    void forgetAnswers() {
        answers.clear();
        resends = 0;
    }

    /** Returns when what is unanswered is sent again: each time doubles it, up to a limit, because many users answer slowly. */
    long nextResendNanos() {
        return env.settings().resetResendInterval().toNanos() << Math.min(resends++, MOST_DOUBLINGS);
    }

    void answered(PeerMessage message) {
        answers.put(message.fromNode(), message);
    }

    private boolean hasAnswered(Member user) {
        PeerMessage answer = answers.get(user.nodeId());
        return answer != null && answer.fromIncarnation() == user.incarnation();
    }

    /** Returns whether every user has answered. */
    boolean isAnswered() {
        return users.members().stream().allMatch(this::hasAnswered);
    }

    /** Returns the users' answers. */
    List<PeerMessage> answers() {
        return users.members().stream()
                .filter(user -> answers.containsKey(user.nodeId()))
                .map(user -> answers.get(user.nodeId()))
                .toList();
    }

    void sendToUnanswered(PeerMessage.Kind kind, int index, long detail, Effects effects) {
        for (Member user : users.members()) {
            if (!hasAnswered(user)) {
                send(user, kind, epoch, index, detail, effects);
            }
        }
    }

    void send(Member to, PeerMessage.Kind kind, long ofEpoch, int index, long detail, Effects effects) {
        effects.send(to, env.message(kind, to, record, ofEpoch, index, detail));
    }

    // ---------------------------------------------------------------- from one step to the next

    /** Posts the run's only chain, which the caller fills now; then goes on. */
    VerbChain post(Continuation then, Effects effects) {
        return step.next(then, effects);
    }

    /** Goes on later. */
    void later(long delay, Effects effects, Consumer<Effects> then) {
        effects.run(() -> env.timer().schedule(delay, () -> event(then)));
    }

    /** Handles one event under the mutex, unless the run has ended, and performs its effects outside of it. */
    void event(Consumer<Effects> handler) {
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
        return "record " + record + " epoch " + epoch + ", " + phase + ", answered " + answers.keySet();
    }

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
            event(effects -> end(ResetOutcome.ABANDONED, effects));
        }

        /** Posts the step again, because its session's claim still stands: each step that was executed can be repeated (rule G6). */
        @Override
        public void outcomeUnknown(FabricException cause) {
            event(effects -> {
                repeated = true;
                effects.post(this);
            });
        }
    }

    /** Handles what a chain has read. */
    interface Continuation {
        void accept(VerbResults results, Effects effects);
    }
}
