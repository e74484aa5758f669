// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.shop;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcOperations;

/** Chooses the order desk. */
@Configuration(proxyBeanMethods = false)
class ShopConfiguration {
    @Bean
    OrderBook orderBook(JdbcOperations operations, InstanceName instance) {
        return new OrderBook(operations, instance);
    }

    @Bean
    @ConditionalOnProperty(name = "shop.locking", havingValue = "on", matchIfMissing = true)
    OrderDesk lockedOrderDesk(OrderBook orders) {
        return new LockedOrderDesk(orders);
    }

    @Bean
    @ConditionalOnProperty(name = "shop.locking", havingValue = "off")
    OrderDesk unlockedOrderDesk(OrderBook orders) {
        return new UnlockedOrderDesk(orders);
    }
}
