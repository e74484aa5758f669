// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.election;

import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one term going (rules H6 and H9 of docs/protocol.md): renews it at the engine, asks the other candidates to promise not to take over
 * while the engine does not answer, and has the mandate's end noticed although nobody asks it. There is one for each term, and its work ends
 * with the mandate. Thread-safe.
 */
final class TermKeeper {
    private static final Logger log = LoggerFactory.getLogger(TermKeeper.class);

    /** The other candidates. */
    interface Others {
        /**
         * Asks each of them to promise not to take over for the length of a lease.
         *
         * @param all runs once if all have promised, else never; at once if there is none
         */
        void askToPromise(long term, Runnable all);
    }

    private final CandidateBasics basics;
    private final CandidateState state;
    private final Mandate mandate;
    private final Others others;
    private final Consumer<String> ended;

    /** @param ended runs with the reason when the engine has ended the term */
    TermKeeper(CandidateBasics basics, CandidateState state, Mandate mandate, Others others, Consumer<String> ended) {
        this.basics = basics;
        this.state = state;
        this.mandate = mandate;
        this.others = others;
        this.ended = ended;
    }

    void begin() {
        watch();
        basics.timer().schedule(basics.attemptNanos(), this::renew);
    }

    /** Ends the mandate at its end even if nobody asks it. */
    private void watch() {
        if (mandate.lasts()) {
            basics.timer().schedule(Math.max(1, mandate.leftNanos()), this::watch);
        }
    }

    private void renew() {
        if (!state.isPresent(mandate)) {
            return;
        }
        long sentAt = basics.clock().nanoTime();
        basics.timer().schedule(basics.attemptNanos(), this::renew);
        basics.engine().renew(mandate.number(), new Attempts.Ending<>() {
            @Override
            public void answered(Boolean lasts) {
                if (lasts) {
                    mandate.extend(basics.counted(sentAt));
                    renewed();
                } else {
                    ended.accept(basics.engine().title() + " has ended the term");
                }
            }

            @Override
            public void failed(String why) {
                notRenewed(why);
            }
        });
    }

    private void renewed() {
        if (state.renewed()) {
            log.info(
                    "Memory node {}: {} answers again",
                    basics.memoryNode(),
                    basics.engine().title());
        }
    }

    private void notRenewed(String why) {
        if (state.notRenewed(why)) {
            log.warn(
                    "Memory node {}: term {} was not renewed: {}. This candidate goes on while every other one promises"
                            + " not to take over; no process can join meanwhile.",
                    basics.memoryNode(),
                    mandate.number(),
                    why);
        }
        askForPromises();
    }

    private void askForPromises() {
        long askedAt = basics.clock().nanoTime();
        others.askToPromise(mandate.number(), () -> {
            mandate.extend(basics.counted(askedAt));
            state.othersPromised();
        });
    }
}
