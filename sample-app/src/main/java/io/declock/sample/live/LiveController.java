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

/** Serves the data for the page and for the demonstration's closing table. */
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

    /** Returns every instance and the sales, for the page. */
    @GetMapping("/live")
    Live live() {
        return new Live(name.get(), System.currentTimeMillis(), orders.sales(), registry.instances());
    }

    /** Returns this instance's counters since it started, and the sales of all instances. */
    @GetMapping("/stats")
    Stats stats() {
        return new Stats(
                name.get(),
                properties.isLocking(),
                Totals.of(monitor, turnover),
                waits.all().counts(),
                orders.sales(),
                orders.ordersThatShareAToken(),
                orders.overwritingOrders());
    }

    /**
     * The data of the page.
     *
     * @param from instance that answers
     * @param at when, in milliseconds since 1970
     * @param sales sales by product
     * @param instances every instance
     */
    record Live(String from, long at, List<Sales> sales, List<InstanceSnapshot> instances) {}
}
