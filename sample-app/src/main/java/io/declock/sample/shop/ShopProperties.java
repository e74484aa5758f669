// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.shop;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties of the shop.
 *
 * @param locking Whether orders are guarded by a lock. OFF exists to show the damage: the shop sells more than it has.
 * @param instance Name of this instance, shown on the page. By default, the port it listens on.
 * @param products Number of products with which the shop starts, if its database is empty.
 * @param stock Initial stock of each product.
 */
@ConfigurationProperties("shop")
public record ShopProperties(
        @DefaultValue("on") Locking locking,
        @Nullable String instance,
        @DefaultValue("4") int products,
        @DefaultValue("1000") int stock) {

    /** Whether orders are guarded by a lock. */
    public enum Locking {
        /** Orders are guarded by a lock. */
        ON,
        /** Orders are not guarded, which shows what happens then. */
        OFF
    }

    /** Returns whether orders are guarded by a lock. */
    public boolean isLocking() {
        return locking == Locking.ON;
    }
}
