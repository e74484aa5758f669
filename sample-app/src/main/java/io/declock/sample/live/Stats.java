// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.live;

import io.declock.sample.shop.Sales;
import java.util.List;
import java.util.Map;

/**
 * One instance's figures since it started, and the sales of all instances.
 *
 * @param instance name of the instance
 * @param locking whether orders are taken under a lock
 * @param totals its counters
 * @param waits buckets of a {@link Histogram} of its waits for locks
 * @param sales sales by product
 * @param sharedTokens number of orders that share their fencing token with another order for the same product
 */
public record Stats(
        String instance,
        boolean locking,
        Totals totals,
        Map<Integer, Long> waits,
        List<Sales> sales,
        long sharedTokens) {}
