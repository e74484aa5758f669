// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.shop;

import java.util.concurrent.atomic.LongAdder;
import org.springframework.stereotype.Component;

/** Counts what this instance has done. Thread-safe. */
@Component
public class Turnover {
    private final LongAdder accepted = new LongAdder();
    private final LongAdder stale = new LongAdder();
    private final LongAdder lost = new LongAdder();

    /** An order was accepted. */
    public void countAccepted() {
        accepted.increment();
    }

    /** An order was refused because its fencing token was older than one the database had seen. */
    public void countStale() {
        stale.increment();
    }

    /** An order was rolled back because its lock had been lost. */
    public void countLost() {
        lost.increment();
    }

    /** Returns how many orders were accepted. */
    public long accepted() {
        return accepted.sum();
    }

    /** Returns how many orders the fence refused. */
    public long stale() {
        return stale.sum();
    }

    /** Returns how many orders were rolled back because their lock had been lost. */
    public long lost() {
        return lost.sum();
    }
}
