// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.internal.layout.LockHeader;
import io.declock.internal.protocol.ResetRun.Phase;
import io.declock.spi.PeerMessage;

/**
 * The question before a reset that is only suspected to be needed (rule B10 of docs/protocol.md): which users hold the lock, and which have
 * a position that does not hold? The reset goes on if the queue is longer than all their positions while the header stood still, or if no
 * user held the lock, twice, while the head stood still. Guarded by the run's mutex.
 */
final class HoldQuestion {
    /** What the answers show. */
    enum Verdict {
        /** A position was left behind by a dead user: the lock is reset. */
        LEFT_BEHIND,
        /** A user holds the lock: no reset is needed. */
        HELD,
        /** No user held the lock, asked once: the users are asked again after a pause. */
        ASK_AGAIN,
        /** No user holds the lock: it is reset. */
        NOT_HELD
    }

    private final ResetRun run;
    private long askedHeader;
    private boolean leftBehind;
    private int rounds;
    private long question;

    HoldQuestion(ResetRun run) {
        this.run = run;
    }

    /** Notes the header that was found before the users are asked. */
    void found(long header) {
        askedHeader = header;
    }

    /** Asks every user, until each has answered or ended. */
    void ask(Effects effects) {
        run.to(Phase.ASKING);
        rounds++;
        question = run.env.random().nextLong();
        run.forgetAnswers();
        askUnanswered(effects);
    }

    private void askUnanswered(Effects effects) {
        run.sendToUnanswered(PeerMessage.Kind.HOLD_QUESTION, 0, question, effects);
        long asked = question;
        run.later(run.nextResendNanos(), effects, e -> {
            if (run.is(Phase.ASKING) && question == asked) {
                askUnanswered(e);
            }
        });
    }

    boolean isAnsweredBy(PeerMessage message) {
        return message.kind() == PeerMessage.Kind.HOLD_ANSWER && run.is(Phase.ASKING) && message.detail() == question;
    }

    /** Judges the answers of all users, with the header that was read after them. */
    Verdict judge(long header) {
        leftBehind = hasMorePositionsThanClaimed(header);
        if (leftBehind) {
            return Verdict.LEFT_BEHIND;
        }
        if (claims(PeerMessage.HOLDS) > 0) {
            return Verdict.HELD;
        }
        return rounds == 1 ? Verdict.ASK_AGAIN : Verdict.NOT_HELD;
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

    private long claims(int claim) {
        return run.answers().stream().filter(answer -> answer.index() == claim).count();
    }

    /**
     * Returns whether the verdict for a reset still stands. A position that was left behind stays until a reset; the finding that no user
     * holds the lock may be outdated.
     */
    boolean stillDemandsReset(long header) {
        return leftBehind || LockHeader.head(header) == LockHeader.head(askedHeader);
    }
}
