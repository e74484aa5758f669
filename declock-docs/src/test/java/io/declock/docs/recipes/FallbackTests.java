// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs.recipes;

import static io.declock.spring.OnFailure.FALLBACK;
import static org.assertj.core.api.Assertions.assertThat;

import io.declock.DecLockException;
import io.declock.LockHandle;
import io.declock.LockTemplate;
import io.declock.spring.DecLocked;
import io.declock.spring.test.DecLockTest;
import io.declock.spring.test.TestLocks;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Service;

@DecLockTest(properties = "declock.fail-fast=true")
@Import({FallbackTests.Prices.class, FallbackTests.Suppliers.class})
class FallbackTests {
    record Price(String product, int cents, boolean fresh) {}

    static class Suppliers {
        int ask(String product) {
            return product.length() * 100;
        }
    }

    // tag::fallback[]
    @Service
    static class Prices {
        private final Map<String, Price> known = new ConcurrentHashMap<>();
        private final Suppliers suppliers;

        Prices(Suppliers suppliers) {
            this.suppliers = suppliers;
        }

        @DecLocked(name = "price", key = "#product", waitTime = "200ms", onFailure = FALLBACK, fallback = "last")
        public Price price(String product) {
            Price price = new Price(product, suppliers.ask(product), true);
            known.put(product, price);
            return price;
        }

        Price last(String product, DecLockException why) {
            return known.getOrDefault(product, new Price(product, 0, false));
        }
    }
    // end::fallback[]

    static class Plain {
        private final LockTemplate template;
        private final Suppliers suppliers;

        Plain(LockTemplate template, Suppliers suppliers) {
            this.template = template;
            this.suppliers = suppliers;
        }

        // tag::fallback-plain[]
        int price(String product, int last) {
            return template.tryExecute("price:" + product, handle -> suppliers.ask(product))
                    .orElse(last);
        }
        // end::fallback-plain[]
    }

    @Autowired
    private Prices prices;

    @Autowired
    private LockTemplate template;

    @Autowired
    private Suppliers suppliers;

    @Autowired
    private TestLocks locks;

    @Test
    void theFallbackAnswersForABusyLockAndForAnOutage() {
        Plain plain = new Plain(template, suppliers);
        try (LockHandle elsewhere = locks.holdElsewhere("price:nut")) {
            assertThat(elsewhere.isValid()).isTrue();
            assertThat(prices.price("nut")).isEqualTo(new Price("nut", 0, false));
            assertThat(plain.price("nut", 7)).isEqualTo(7);
        }
        assertThat(prices.price("nut")).isEqualTo(new Price("nut", 300, true));
        assertThat(plain.price("nut", 7)).isEqualTo(300);
        try (TestLocks.Outage outage = locks.unavailable()) {
            assertThat(outage).isNotNull();
            assertThat(prices.price("bolt")).isEqualTo(new Price("bolt", 0, false));
        }
    }
}
