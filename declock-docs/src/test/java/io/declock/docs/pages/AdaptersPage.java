// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs.pages;

import io.declock.spring.integration.DecLockRegistry;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.scheduling.annotation.Scheduled;

/** The code of docs/adapters.md, which only has to compile. */
@SuppressWarnings("unused")
class AdaptersPage {
    interface Orders {
        void ship(long id);

        void ship(long id, long token);
    }

    // tag::adapters-registry[]
    @Autowired
    DecLockRegistry registry;
    // end::adapters-registry[]

    private final Orders orders;

    AdaptersPage(Orders orders) {
        this.orders = orders;
    }

    void execute() throws InterruptedException {
        // tag::adapters-execute[]
        registry.executeLocked("order:42", () -> orders.ship(42));
        // end::adapters-execute[]
    }

    void obtain() throws InterruptedException {
        // tag::adapters-obtain[]
        Lock lock = registry.obtain("order:42");
        if (lock.tryLock(2, TimeUnit.SECONDS)) {
            try {
                orders.ship(42, registry.fencingToken("order:42"));
            } finally {
                lock.unlock();
            }
        }
        // end::adapters-obtain[]
    }

    // tag::adapters-job[]
    @Scheduled(cron = "0 0 3 * * *")
    @SchedulerLock(name = "invoices", lockAtMostFor = "30m", lockAtLeastFor = "1m")
    void sendInvoices() {
        orders.ship(42);
    }
    // end::adapters-job[]
}
