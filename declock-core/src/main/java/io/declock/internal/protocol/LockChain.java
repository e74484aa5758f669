// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.Verb;
import io.declock.spi.FabricException;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;

/** One of a lock's reusable chains, in flight at most once. Guarded by the lock's mutex, except its completion, which takes it. */
class LockChain extends VerbChain {
    /** The step that a completion ends. */
    enum Step {
        ENQUEUED,
        REQUEUED,
        RELEASED,
        EPOCH_LEARNT,
        ENTRY_WRITTEN,
        TRY_READ,
        TRY_SWAPPED,
        DOWNGRADED,
        UPGRADE_READ,
        UPGRADE_SWAPPED,
        PREFETCHED,
        CHECKED,
        EPOCH_POLLED,
        REFETCHED,
        /** The own entry was marked as kept, and the header was looked at after that. */
        MARKED,
        /** The readers' mark was set, and the header was looked at after that. */
        READERS_MARKED,
        /** A writer has taken the readers' mark away. */
        READERS_UNMARKED,
        /** A caller that must not wait has looked for a mark. */
        TRY_MARK_READ,
        /** A reader that wants to be the writer has looked for the readers' mark. */
        UPGRADE_MARK_READ
    }

    /** Receives what a lock has started: its chains and timers come back as events, each outside of the mutex. */
    interface Events {
        /** A chain was executed. */
        void completed(LockChain chain, VerbResults results);

        /** A chain failed. */
        void failed(LockChain chain);

        /** It will never be known whether the verbs of a chain were executed; they are not executed any more. */
        void outcomeUnknown(LockChain chain);

        /**
         * A timer has run.
         *
         * @param tenure number of the tenure in which it was started
         */
        void due(LockTimer timer, int tenure);

        /** So many compute nodes were asked that question. */
        void usersAsked(long question, int users);

        /** The answers to that question should have come by now. */
        void answersDue(long question);

        /** The pause before a chain is posted again is over. */
        void due(LockChain chain);
    }

    private final Events events;
    private Step step = Step.ENQUEUED;
    private boolean inFlight;
    private long header;
    private int subject;

    LockChain(Events events, int mostVerbs) {
        super(mostVerbs);
        this.events = events;
    }

    /** Schedules the chain for posting; the caller fills it now. It must not be in flight. */
    final LockChain use(Step next, Effects effects) {
        if (inFlight) {
            throw new IllegalStateException(
                    "a chain is in flight already: " + this + ", wanted " + next + " for " + events);
        }
        step = next;
        inFlight = true;
        effects.post(this);
        return this;
    }

    /** Remembers the tenure or index that the chain is about. The lock may have another one when the chain completes. */
    final LockChain about(int tenureOrIndex) {
        subject = tenureOrIndex;
        return this;
    }

    final boolean isAbout(int tenureOrIndex) {
        return subject == tenureOrIndex;
    }

    /** Remembers the header that the chain relies on: the expected value of its CAS, or the header before a position was taken. */
    final LockChain goingBy(long found) {
        header = found;
        return this;
    }

    final long header() {
        return header;
    }

    final boolean isInFlight() {
        return inFlight;
    }

    /** Returns whether the chain is in flight for that step. */
    final boolean isUnderWay(Step which) {
        return inFlight && step == which;
    }

    /** Marks the chain as completed and returns its step. */
    final Step land() {
        inFlight = false;
        return step;
    }

    @Override
    public final void completed(VerbResults results) {
        events.completed(this, results);
    }

    @Override
    public final void failed(FabricException cause) {
        events.failed(this);
    }

    @Override
    public final void outcomeUnknown(FabricException cause) {
        events.outcomeUnknown(this);
    }

    /** Returns whether one of its verbs is an FAA or a CAS. */
    final boolean hasAtomic() {
        for (int i = 0; i < size(); i++) {
            if (verb(i) == Verb.FETCH_AND_ADD || verb(i) == Verb.COMPARE_AND_SWAP) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether none of its verbs changes anything. */
    final boolean onlyReads() {
        return verb(0) == Verb.READ;
    }
}
