// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.election;

import io.declock.spi.election.ElectionEngine.Answer;
import io.declock.spi.election.ElectionEngine.Held;
import java.util.Map;
import java.util.Optional;

/**
 * An {@link io.declock.spi.election.ElectionEngine} for one memory node, without blocking: each attempt ends later, once, on any thread.
 */
public interface Attempts {
    /** Takes the end of an attempt. */
    interface Ending<T> {
        /** The engine has answered. */
        void answered(T answer);

        /** The engine did not answer, or refused. Perhaps it has carried the attempt out nevertheless. */
        void failed(String why);
    }

    /** Tries to begin a term. */
    void acquire(Ending<Answer> ending);

    /** Asks who has the present term, without beginning one. */
    void look(Ending<Optional<Held>> ending);

    /** Tries to renew the lease of a term; the answer is false if the term is over. */
    void renew(long term, Ending<Boolean> ending);

    /** Tries to change what is kept; the answer is false if the term is over. */
    void keep(long term, Map<String, Optional<byte[]>> changes, Ending<Boolean> ending);

    /** Tries to end a term; failing that, it ends with its lease. */
    void resign(long term, Runnable ended);

    /** Has a task run whenever a term may have ended, if the engine can tell. */
    void watch(Runnable mayHaveEnded);

    /** Returns what the engine is and where. */
    String title();
}
