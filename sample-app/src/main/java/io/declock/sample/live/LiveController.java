// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.live;

import io.declock.ComputeNodeMonitor;
import io.declock.sample.shop.InstanceName;
import io.declock.sample.shop.OrderBook;
import io.declock.sample.shop.Sales;
import io.declock.sample.shop.ShopProperties;
import io.declock.sample.shop.Turnover;
import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** What the page shows, and what the demonstration's closing table is made of. */
@RestController
class LiveController {
    private final InstanceRegistry registry;
    private final OrderBook orders;
    private final ComputeNodeMonitor monitor;
    private final WaitTimes waits;
    private final Turnover turnover;
    private final InstanceName name;
    private final ShopProperties properties;

    LiveController(
            InstanceRegistry registry,
            OrderBook orders,
            ComputeNodeMonitor monitor,
            WaitTimes waits,
            Turnover turnover,
            InstanceName name,
            ShopProperties properties) {
        this.registry = registry;
        this.orders = orders;
        this.monitor = monitor;
        this.waits = waits;
        this.turnover = turnover;
        this.name = name;
        this.properties = properties;
    }

    /** Returns every instance and what was sold, for the page. */
    @GetMapping("/live")
    Live live() {
        return new Live(name.get(), System.currentTimeMillis(), orders.sales(), registry.instances());
    }

    /** Returns what this instance has counted since it started, and what was sold by all. */
    @GetMapping("/stats")
    Stats stats() {
        return new Stats(
                name.get(),
                properties.isLocking(),
                Totals.of(monitor, turnover),
                waits.all().counts(),
                orders.sales(),
                orders.ordersThatShareAToken());
    }

    /**
     * What the page shows.
     *
     * @param from instance that answers
     * @param at when, in milliseconds since 1970
     * @param sales what was sold, by product
     * @param instances every instance
     */
    record Live(String from, long at, List<Sales> sales, List<InstanceSnapshot> instances) {}
}
