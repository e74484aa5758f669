// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs.pages;

import io.declock.DecLock;
import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.LockTemplate;
import io.declock.spring.DecLocked;
import java.time.Duration;
import java.util.concurrent.locks.ReadWriteLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;

/** The code of README.md, which only has to compile. */
@SuppressWarnings({"unused", "FutureReturnValueIgnored", "FieldCanBeFinal"})
class ReadmePage {
    private static final Logger log = LoggerFactory.getLogger(ReadmePage.class);
    private static final String PAID = "PAID";

    record Invoice(long order, long token) {}

    interface Invoices {
        Invoice create(long order, long token);
    }

    interface Reports {
        String build();
    }

    // tag::readme-annotation[]
    @Service
    static class Stock {
        @DecLocked(key = "'product:' + #product")
        void sell(long product, int quantity) {
            log.info("sold {} of {}", quantity, product);
        }
    }
    // end::readme-annotation[]

    // tag::readme-locks[]
    @Autowired
    DistributedReadWriteLock locks;
    // end::readme-locks[]

    // tag::readme-template[]
    @Autowired
    LockTemplate template;
    // end::readme-template[]

    private final JdbcTemplate jdbc;
    private final Invoices invoices;
    private final Reports reports;

    ReadmePage(JdbcTemplate jdbc, Invoices invoices, Reports reports) {
        this.jdbc = jdbc;
        this.invoices = invoices;
        this.reports = reports;
    }

    void acquire() throws InterruptedException {
        // tag::readme-acquire[]
        try (LockHandle handle = locks.acquire(LockRequest.write("order:42").waitTime(Duration.ofSeconds(5)))) {
            jdbc.update(
                    "update orders set state = ?, fence = ? where id = 42 and fence <= ?",
                    PAID,
                    handle.fencingToken(),
                    handle.fencingToken());
        }
        // end::readme-acquire[]
    }

    void call(LockHandle handle) throws InterruptedException {
        // tag::readme-calls[]
        ReadWriteLock lock = locks.lock("catalogue");
        locks.acquire(LockRequest.write("account:1").andWrite("account:2"));
        locks.acquireAsync(LockRequest.read("report"), LockOwner.named("job-7"));
        handle.isValid();
        handle.onLost((h, why) -> log.warn("lost", why));
        handle.tryUpgrade();
        handle.downgrade();
        // end::readme-calls[]
    }

    void runTemplate() {
        // tag::readme-template-calls[]
        Invoice invoice = template.execute("order:42", handle -> invoices.create(42, handle.fencingToken()));
        template.tryExecute("report", handle -> reports.build()).ifBusy(() -> log.info("another instance builds it"));
        // end::readme-template-calls[]
    }

    void withoutSpring() throws InterruptedException {
        // tag::readme-without-spring[]
        try (DecLock locks = DecLock.connect("tcp://locks.internal:7420")) {
            try (LockHandle handle = locks.acquire(LockRequest.write("order:42"))) {
                log.info("{}", handle.fencingToken());
            }
        }
        // end::readme-without-spring[]
    }
}
