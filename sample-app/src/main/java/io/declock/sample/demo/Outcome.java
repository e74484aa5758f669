// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.demo;

import io.declock.sample.live.Histogram;
import io.declock.sample.live.Stats;
import io.declock.sample.live.Totals;
import io.declock.sample.shop.Sales;
import java.util.List;

/**
 * What came of a demonstration.
 *
 * @param sales what was sold, by product
 * @param totals what all instances have counted
 * @param waits how long they waited for locks
 * @param sharedTokens orders whose fencing token another order for the same product had, too
 */
record Outcome(List<Sales> sales, Totals totals, Histogram waits, long sharedTokens) {
    /**
     * Makes it of what every instance said before and after: each has waited for a lock to make the tables, too.
     *
     * @param before empty where instances were started again meanwhile and count from zero
     */
    static Outcome of(List<Stats> before, List<Stats> after) {
        Totals totals = Totals.ZERO;
        Histogram waits = new Histogram();
        for (int i = 0; i < after.size(); i++) {
            waits.add(after.get(i).waits());
            if (i < before.size()) {
                totals = totals.plus(after.get(i).totals().minus(before.get(i).totals()));
                waits.subtract(before.get(i).waits());
            } else {
                totals = totals.plus(after.get(i).totals());
            }
        }
        Stats last = after.get(after.size() - 1);
        return new Outcome(List.copyOf(last.sales()), totals, waits, last.sharedTokens());
    }

    /** Returns how many orders the database has. */
    long orders() {
        return sales.stream().mapToLong(Sales::orders).sum();
    }

    long sold() {
        return sales.stream().mapToLong(Sales::sold).sum();
    }

    long oversold() {
        return sales.stream().mapToLong(Sales::oversold).sum();
    }

    /** Returns by how much what was sold and what is left miss what there was. */
    long lost() {
        return sales.stream()
                .mapToLong(product -> Math.abs(product.sold() + product.stock() - product.initialStock()))
                .sum();
    }

    boolean consistent() {
        return sales.stream().allMatch(Sales::consistent) && sharedTokens == 0;
    }
}
