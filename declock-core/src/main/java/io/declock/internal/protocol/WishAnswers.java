// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.spi.Member;
import io.declock.spi.PeerMessage;

/** Answers those who have asked for a kept lock and do not wait (rule K4). */
final class WishAnswers {
    private WishAnswers() {}

    /** Answers those who asked without waiting, now that the position was given back, or will not be. */
    static void answerAll(LockState lock, boolean returned, Effects effects) {
        if (!lock.hasWish()) {
            return;
        }
        for (PeerMessage question : lock.wish().takeUnanswered()) {
            answer(lock, question, returned, effects);
        }
    }

    /** Answers one of them. */
    static void answer(LockState lock, PeerMessage question, boolean returned, Effects effects) {
        Member asker = lock.env.membership().byNodeId(question.fromNode());
        if (asker != null && asker.incarnation() == question.fromIncarnation()) {
            effects.send(
                    asker,
                    lock.env.message(
                            PeerMessage.Kind.RETURNED,
                            asker,
                            lock.position.record(),
                            question.epoch(),
                            question.index(),
                            2 * question.detail() + (returned ? 1 : 0)));
        }
    }
}
