// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.shop;

import java.util.concurrent.atomic.LongAdder;
import org.springframework.stereotype.Component;

/** Counts the orders of this instance. Thread-safe. */
@Component
public class Turnover {
    private final LongAdder accepted = new LongAdder();
    private final LongAdder stale = new LongAdder();
    private final LongAdder lost = new LongAdder();

    /** Counts an accepted order. */
    public void countAccepted() {
        accepted.increment();
    }

    /** Counts an order that was refused because its fencing token was older than the one in the database. */
    public void countStale() {
        stale.increment();
    }

    /** Counts an order that was rolled back because its lock had been lost. */
    public void countLost() {
        lost.increment();
    }

    /** Returns the number of accepted orders. */
    public long accepted() {
        return accepted.sum();
    }

    /** Returns the number of orders that the fence refused. */
    public long stale() {
        return stale.sum();
    }

    /** Returns the number of orders that were rolled back because their lock had been lost. */
    public long lost() {
        return lost.sum();
    }
}
