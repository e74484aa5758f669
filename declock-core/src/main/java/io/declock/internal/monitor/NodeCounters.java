// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.monitor;

import io.declock.Counters;
import io.declock.Purpose;
import io.declock.Verb;
import io.declock.spi.FabricCounters;

/**
 * The counters of a compute node. The fabric that posts a verb counts it, the protocol counts the other events. Thread-safe; the counters
 * are striped, so that threads which count at the same time do not wait for each other.
 */
public final class NodeCounters implements Counters, FabricCounters {
    private static final int VERBS = Verb.values().length;

    private static final int EVENTS = Event.values().length;

    /** First all events, then the verbs of each purpose. */
    private final StripedSums sums = new StripedSums(EVENTS + Purpose.values().length * VERBS);

    /** Makes counters at zero. */
    public NodeCounters() {}

    @Override
    public void verb(Purpose purpose, Verb verb) {
        sums.add(index(purpose, verb), 1);
    }

    private static int index(Purpose purpose, Verb verb) {
        return EVENTS + purpose.ordinal() * VERBS + verb.ordinal();
    }

    @Override
    public void count(Event event) {
        sums.add(event.ordinal(), 1);
    }

    @Override
    public long verbs(Purpose purpose, Verb verb) {
        return sums.sum(index(purpose, verb));
    }

    @Override
    public long get(Event event) {
        return sums.sum(event.ordinal());
    }
}
