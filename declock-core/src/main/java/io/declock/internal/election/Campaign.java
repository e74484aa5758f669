// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.election;

import io.declock.spi.election.ElectionEngine.Answer;
import io.declock.spi.election.ElectionEngine.Elected;
import io.declock.spi.election.ElectionEngine.Held;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tries to have a candidate elected, again and again while it stands by: each attempt plans the next one, until one succeeds. While a promise
 * forbids attempts it only asks the engine which candidate serves. {@link CandidateState} decides whether an attempt may be made. Thread-safe.
 */
final class Campaign {
    private static final Logger log = LoggerFactory.getLogger(Campaign.class);

    /** Takes the end of a campaign. */
    interface Success {
        /**
         * The engine has elected the candidate. The campaign goes on only if it is told to.
         *
         * @param sentAt when the attempt was sent
         */
        void elected(Elected elected, long sentAt);
    }

    private final CandidateBasics basics;
    private final CandidateState state;
    private final Success success;

    Campaign(CandidateBasics basics, CandidateState state, Success success) {
        this.basics = basics;
        this.state = state;
        this.success = success;
    }

    /** Plans the next attempt, in place of the one that is planned. */
    void attemptAfter(long nanos) {
        long number = state.nextPlan();
        basics.timer().schedule(Math.max(1, nanos), () -> attempt(number));
    }

    /** Makes the next attempt as soon as it can. */
    void attemptSoon() {
        attemptAfter(1);
    }

    /** Goes on after an election that the candidate cannot accept. */
    void notElected(String why) {
        state.attempted();
        unreached(why);
        attemptAfter(basics.attemptNanos());
    }

    private void attempt(long number) {
        long now = basics.clock().nanoTime();
        long wait = state.beginAttempt(number, now);
        if (wait == CandidateState.NO_ATTEMPT) {
            return;
        }
        if (wait > 0) {
            look(wait);
            return;
        }
        basics.engine().acquire(new Attempts.Ending<>() {
            @Override
            public void answered(Answer answer) {
                if (answer instanceof Elected elected) {
                    success.elected(elected, now);
                } else {
                    held((Held) answer);
                }
            }

            @Override
            public void failed(String why) {
                notElected("no election: " + why);
            }
        });
    }

    /** Asks who serves, while this candidate must not be elected itself. A candidate that learns it promises nothing any more. */
    private void look(long wait) {
        long pause = Math.min(wait, basics.attemptNanos());
        basics.engine().look(new Attempts.Ending<>() {
            @Override
            public void answered(Optional<Held> answer) {
                answer.ifPresentOrElse(state::learn, state::reached);
                attemptAfter(pause);
            }

            @Override
            public void failed(String why) {
                unreached("it is not known who serves: " + why);
                attemptAfter(pause);
            }
        });
    }

    private void held(Held held) {
        state.attempted();
        state.learn(held);
        attemptAfter(basics.attemptNanos());
    }

    private void unreached(String why) {
        if (state.unreached(why)) {
            log.warn("Memory node {}: {}. Trying again.", basics.memoryNode(), why);
        }
    }
}
