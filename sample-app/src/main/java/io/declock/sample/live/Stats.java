// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.live;

import io.declock.sample.shop.Sales;
import java.util.List;
import java.util.Map;

/**
 * One instance's figures since it started, and what was sold by all.
 *
 * @param instance name of the instance
 * @param locking whether orders are taken under a lock
 * @param totals what it has counted
 * @param waits how often it waited for locks, by the time in microseconds, see {@link Histogram#counts}
 * @param sales what was sold, by product
 * @param sharedTokens orders whose fencing token another order for the same product had, too
 * @param overwriting describes orders that overwrote what another one had written, the first few
 */
public record Stats(
        String instance,
        boolean locking,
        Totals totals,
        Map<Long, Long> waits,
        List<Sales> sales,
        long sharedTokens,
        List<String> overwriting) {}
