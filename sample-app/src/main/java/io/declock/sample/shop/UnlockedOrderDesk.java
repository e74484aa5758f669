// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.shop;

import org.springframework.transaction.annotation.Transactional;

/**
 * The same without the lock and without the fence, as an application looks that nobody thought about. Two orders read the same
 * stock, and both write back what each has calculated: one of them is forgotten.
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
