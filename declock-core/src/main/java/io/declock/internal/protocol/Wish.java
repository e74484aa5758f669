// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.internal.layout.LockHeader;
import io.declock.spi.PeerMessage;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a node remembers of its wish for a lock that another one keeps, and of the wishes of others that it has to answer. Guarded by the lock's mutex. */
final class Wish {
    private static final int NOBODY = -1;

    /** Index of the one position before the own one, which may be kept; or none. */
    private int keeper = NOBODY;

    /** Whether the own position is a writer's with nothing but readers before it. */
    private boolean behindReaders;

    private boolean seesReadersMark;

    /** A caller that must not wait has asked for the lock, and awaits the answer. */
    private boolean awaitsAnswer;

    private boolean hasAsked;
    /** Identifies the question; 0 is that of a position that waits. */
    private long question;
    /** How many answers are still to come; negative if some came before it was known how many were asked. */
    private int missing;

    private boolean knowsMissing;
    /** The messages to answer when the position was given back. */
    private @Nullable List<PeerMessage> toAnswer;

    /** A position was taken that waits behind what the header shows. */
    void begin(long before, boolean exclusive) {
        keeper = mayBeKept(before) ? LockHeader.head(before) : NOBODY;
        behindReaders = exclusive && hasOnlyReaders(before);
        seesReadersMark = false;
    }

    /** Returns whether a header shows positions of readers, and of nobody else: any of them may be kept. */
    static boolean hasOnlyReaders(long header) {
        return LockHeader.size(header) > 0 && LockHeader.writers(header) == 0;
    }

    /** Returns whether the own position is a writer's with nothing but readers before it. */
    boolean isBehindReaders() {
        return behindReaders;
    }

    /** Returns whether a header shows one position that may be kept for a single user: an exclusive one. */
    static boolean mayBeKept(long header) {
        return LockHeader.size(header) == 1 && LockHeader.writers(header) == 1;
    }

    /** Notes whether the readers' mark is set. */
    void seesReadersMark(boolean set) {
        seesReadersMark = set;
    }

    boolean hasSeenReadersMark() {
        return seesReadersMark;
    }

    /** Returns whether the position before the own one may be kept. */
    boolean hasKeeper() {
        return keeper != NOBODY;
    }

    /** Returns the index of that position. */
    int keeper() {
        return keeper;
    }

    // ---------------------------------------------------------------- callers that must not wait

    void beginToTry() {
        hasAsked = false;
        awaitsAnswer = false;
    }

    boolean hasAsked() {
        return hasAsked;
    }

    /** One compute node or all users are asked; returns what identifies the question. */
    long ask() {
        hasAsked = true;
        awaitsAnswer = true;
        missing = 0;
        knowsMissing = false;
        return ++question;
    }

    /** Returns whether an answer to that question is awaited. */
    boolean awaitsAnswerTo(long asked) {
        return awaitsAnswer && question == asked;
    }

    /** So many were asked. */
    void expect(int answers) {
        missing += answers;
        knowsMissing = true;
    }

    /** One of them has answered. */
    void countAnswer() {
        missing--;
    }

    /** Returns whether all have answered. */
    boolean hasAllAnswers() {
        return knowsMissing && missing <= 0;
    }

    void answered() {
        awaitsAnswer = false;
    }

    // ---------------------------------------------------------------- the wishes of others

    void answerLater(PeerMessage question) {
        if (toAnswer == null) {
            toAnswer = new ArrayList<>(1);
        }
        toAnswer.add(question);
    }

    List<PeerMessage> takeUnanswered() {
        List<PeerMessage> all = toAnswer;
        toAnswer = null;
        return all == null ? List.of() : all;
    }
}
