// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs.pages;

import static io.declock.LockMode.READ;
import static io.declock.spring.OnFailure.FALLBACK;
import static io.declock.spring.OnFailure.SKIP;
import static io.declock.spring.OnLost.LOG;

import io.declock.LockHandle;
import io.declock.LockOutcome;
import io.declock.LockRequest;
import io.declock.LockTemplate;
import io.declock.spring.AcquisitionInterceptor;
import io.declock.spring.DecLockContext;
import io.declock.spring.DecLocked;
import io.declock.spring.OnFailure;
import io.declock.spring.jdbc.FencedUpdate;
import io.declock.spring.metrics.AcquisitionContext;
import io.declock.spring.metrics.AcquisitionConvention;
import io.declock.spring.metrics.DefaultAcquisitionConvention;
import io.micrometer.common.KeyValues;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** The code of docs/spring.md, which only has to compile. */
@SuppressWarnings("unused")
class SpringPage {
    record Price(long id, int cents) {}

    record Invoice(long order, long token) {}

    record Report(String text) {}

    record Page(String text) {}

    static class Attributes {
        record Order(long id) {}

        // tag::spring-attributes[]
        @Service
        static class Orders {
            @DecLocked(name = "order", key = "#id")
            @Transactional
            public void ship(long id) {}

            @DecLocked(name = "order", key = "#id", mode = READ)
            public Order load(long id) {
                return new Order(id);
            }

            @DecLocked(
                    name = "account",
                    key = {"#from", "#to"})
            @DecLocked(name = "ledger", mode = READ)
            public void transfer(String from, String to) {}

            @DecLocked(name = "report", waitTime = "0", onFailure = SKIP)
            @Scheduled(cron = "0 0 * * * *")
            public void report() {}

            @DecLocked(name = "price", key = "#id", waitTime = "200ms", onFailure = FALLBACK, fallback = "lastKnown")
            public Price price(long id) {
                return new Price(id, 100);
            }

            private Price lastKnown(long id) {
                return new Price(id, 0);
            }
        }
        // end::spring-attributes[]
    }

    static class Job {
        // tag::spring-job[]
        @Scheduled(cron = "0 0 * * * *")
        @DecLocked(name = "report", waitTime = "0", onFailure = OnFailure.SKIP, holdAtLeast = "1m")
        public void report() {}
        // end::spring-job[]
    }

    record Closing(Attributes.Orders orders) {
        // tag::spring-callers-transaction[]
        @Transactional
        public void close(long id) {
            orders.ship(id);
        }
        // end::spring-callers-transaction[]
    }

    record Stock(JdbcTemplate jdbc) {
        // tag::spring-token[]
        @DecLocked(name = "stock", key = "#product", onLost = LOG)
        public void sell(long product, int quantity) {
            FencedUpdate.of("stock")
                    .set("quantity", "quantity - ?", quantity)
                    .where("id = ?", product)
                    .onlyIf("quantity >= ?", quantity)
                    .execute(jdbc, DecLockContext.currentToken());
        }
        // end::spring-token[]
    }

    interface Invoices {
        Invoice create(long order, long token);
    }

    interface Reports {
        Report build();

        Report latest();
    }

    interface Client {
        CompletionStage<Page> fetch();
    }

    record Template(LockTemplate template, Invoices invoices, Reports reports, Client client) {
        void call() {
            // tag::spring-template[]
            Invoice invoice = template.execute("order:42", handle -> invoices.create(42, handle.fencingToken()));

            template.run(
                    LockRequest.write("account:1").andWrite("account:2").waitTime(Duration.ofSeconds(2)),
                    handle -> transfer(1, 2));

            LockOutcome<Report> outcome = template.tryExecute("report", handle -> reports.build());
            Report report = outcome.orElseGet(reports::latest);

            CompletableFuture<Page> page =
                    template.executeAsync(LockRequest.read("catalogue"), handle -> client.fetch());
            // end::spring-template[]
        }

        private void transfer(long from, long to) {}
    }

    static class Names {
        // tag::spring-convention[]
        @Bean
        AcquisitionConvention lockNames() {
            return new DefaultAcquisitionConvention() {
                @Override
                public KeyValues getLowCardinalityKeyValues(AcquisitionContext context) {
                    return super.getLowCardinalityKeyValues(context)
                            .and("kind", context.request().name().replaceAll(":.*", ""));
                }
            };
        }
        // end::spring-convention[]
    }

    static class Completions {
        // tag::spring-completions[]
        @Bean(defaultCandidate = false)
        Executor decLockCompletionExecutor() {
            return Runnable::run;
        }
        // end::spring-completions[]
    }

    // tag::spring-interceptor[]
    @Component
    @Order(-1)
    static class Quota implements AcquisitionInterceptor {
        @Override
        public boolean acquire(LockRequest request, Acquisition next) throws InterruptedException {
            check(request);
            return next.acquire(request);
        }

        @Override
        public CompletionStage<LockHandle> acquireAsync(LockRequest request, AsyncAcquisition next) {
            check(request);
            return next.acquire(request);
        }

        private void check(LockRequest request) {
            if (request.names().size() > 100) {
                throw new IllegalArgumentException("too many names");
            }
        }
    }
    // end::spring-interceptor[]
}
