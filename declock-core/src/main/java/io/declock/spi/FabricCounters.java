// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import io.declock.Counters;
import io.declock.Purpose;
import io.declock.Verb;

/** Where a fabric counts what it posts, sends and receives. Thread-safe. */
public interface FabricCounters {
    /** Counts one verb that was posted. */
    void verb(Purpose purpose, Verb verb);

    /** Counts one event. */
    void count(Counters.Event event);
}
