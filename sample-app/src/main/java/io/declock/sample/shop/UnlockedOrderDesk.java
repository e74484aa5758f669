// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.shop;

import org.springframework.transaction.annotation.Transactional;

/**
 * The same without the lock and without the fence, as in an application that ignores concurrency. Two orders read the same stock,
 * and each writes back its own result: one of the two updates is lost.
 */
class UnlockedOrderDesk implements OrderDesk {
    private final OrderBook orders;

    UnlockedOrderDesk(OrderBook orders) {
        this.orders = orders;
    }

    @Override
    @Transactional
    public Receipt place(Order order) {
        return orders.sellUnfenced(order);
    }

    @Override
    @Transactional(readOnly = true)
    public Product show(String product) {
        return orders.find(product);
    }
}
