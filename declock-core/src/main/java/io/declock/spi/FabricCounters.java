// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import io.declock.Counters;
import io.declock.Purpose;
import io.declock.Verb;

/** Counters in which a fabric counts the verbs it posts and the messages it sends and receives. Thread-safe. */
public interface FabricCounters {
    /**
     * Counts one verb that was posted.
     *
     * @param purpose why it was posted
     * @param verb the kind of verb
     */
    void verb(Purpose purpose, Verb verb);

    /**
     * Counts one event.
     *
     * @param event the event
     */
    void count(Counters.Event event);
}
