// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.shop;

import io.declock.LockMode;
import io.declock.spring.DecLockContext;
import io.declock.spring.DecLocked;
import io.declock.spring.OnLost;
import org.springframework.transaction.annotation.Transactional;

/**
 * Takes orders for one product one at a time, whichever instance they arrive at. The lock is around the transaction, so the
 * next order sees what this one committed.
 *
 * <p>A lock can be lost (a pause longer than the lease, a memory node that is gone). Two mechanisms keep the shop correct then:
 * {@code ROLL_BACK} commits an order only while the lock is known to be held; and if an order's thread is too slow to notice the loss,
 * the database refuses its fencing token, because it has already stored a newer one.
 */
class LockedOrderDesk implements OrderDesk {
    private final OrderBook orders;

    LockedOrderDesk(OrderBook orders) {
        this.orders = orders;
    }

    @Override
    // tag::demo-order[]
    @DecLocked(key = "'product:' + #order.product()", onLost = OnLost.ROLL_BACK)
    @Transactional
    public Receipt place(Order order) {
        return orders.sell(order, DecLockContext.currentToken());
    }
    // end::demo-order[]

    @Override
    @DecLocked(key = "'product:' + #product", mode = LockMode.READ, onLost = OnLost.LOG)
    @Transactional(readOnly = true)
    public Product show(String product) {
        return orders.find(product);
    }
}
