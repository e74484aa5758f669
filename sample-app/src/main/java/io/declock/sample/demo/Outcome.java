// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.demo;

import io.declock.sample.live.Histogram;
import io.declock.sample.live.Stats;
import io.declock.sample.live.Totals;
import io.declock.sample.shop.Sales;
import java.util.List;

/**
 * The outcome of a demonstration.
 *
 * @param sales sales by product
 * @param totals sums of the counters of all instances
 * @param waits their waits for locks
 * @param sharedTokens number of orders that share their fencing token with another order for the same product
 * @param overwriting describes orders that overwrote what another one had written, the first few
 */
record Outcome(List<Sales> sales, Totals totals, Histogram waits, long sharedTokens, List<String> overwriting) {
    /**
     * Calculates the outcome from the figures of every instance before and after. The difference matters because each instance also
     * waited for a lock to make the tables.
     *
     * @param before empty if instances were started again meanwhile and count from zero
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
        return new Outcome(
                List.copyOf(last.sales()), totals, waits, last.sharedTokens(), List.copyOf(last.overwriting()));
    }

    /** Returns the number of orders in the database. */
    long orders() {
        return sales.stream().mapToLong(Sales::orders).sum();
    }

    long sold() {
        return sales.stream().mapToLong(Sales::sold).sum();
    }

    long oversold() {
        return sales.stream().mapToLong(Sales::oversold).sum();
    }

    /** Returns the difference between the initial stock and the sum of sold and left. */
    long lost() {
        return sales.stream()
                .mapToLong(product -> Math.abs(product.sold() + product.stock() - product.initialStock()))
                .sum();
    }

    boolean consistent() {
        return sales.stream().allMatch(Sales::consistent) && sharedTokens == 0;
    }
}
