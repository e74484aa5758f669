// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs.recipes;

import jakarta.annotation.PreDestroy;
import jakarta.persistence.EntityManager;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.redisson.api.RLock;
import org.redisson.api.RLockReactive;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RedissonClient;
import org.redisson.api.RedissonReactiveClient;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import reactor.core.publisher.Mono;

/**
 * The recipes of docs/recipes.md with the library that needs the fewest lines for each. Compiled and counted, not run. No region has the bean
 * that connects to the store, although Curator, ShedLock and Spring Integration need one. Where the page shows a method only, the region has
 * besides the method the fields that the lock needs, and their assignments.
 */
@SuppressWarnings("unused")
class Peers {
    static class Job {
        interface Mail {
            void sendInvoices();
        }

        // tag::peer-job[]
        @Component
        static class Invoices {
            private final Mail mail;

            Invoices(Mail mail) {
                this.mail = mail;
            }

            @Scheduled(cron = "0 0 3 * * *")
            @SchedulerLock(name = "invoices", lockAtMostFor = "30m", lockAtLeastFor = "1m")
            public void send() {
                mail.sendInvoices();
            }
        }
        // end::peer-job[]
    }

    static class Busy {
        record Receipt(long order) {}

        // tag::peer-busy[]
        @RestController
        static class OrderController {
            private final LockRegistry<?> registry;

            OrderController(LockRegistry<?> registry) {
                this.registry = registry;
            }

            @PostMapping("/orders/{id}/shipment")
            public Receipt ship(@PathVariable long id) throws Exception {
                return registry.executeLocked("order:" + id, Duration.ZERO, () -> new Receipt(id));
            }
        }

        @RestControllerAdvice
        static class LockProblems {
            @ExceptionHandler(TimeoutException.class)
            ProblemDetail busy() {
                return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, "Another request works on this order.");
            }

            @ExceptionHandler(CannotAcquireLockException.class)
            ProblemDetail unavailable() {
                return ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, "Try again in a moment.");
            }
        }
        // end::peer-busy[]
    }

    interface Carrier {
        void book();
    }

    static class Transaction {
        private final JdbcTemplate jdbc;
        private final Carrier carrier;
        // tag::peer-transaction-fields[]
        private final LockRegistry<?> registry;
        private final TransactionTemplate transactions;
        // end::peer-transaction-fields[]

        Transaction(JdbcTemplate jdbc, Carrier carrier, LockRegistry<?> registry, TransactionTemplate transactions) {
            this.jdbc = jdbc;
            this.carrier = carrier;
            // tag::peer-transaction-assignments[]
            this.registry = registry;
            this.transactions = transactions;
            // end::peer-transaction-assignments[]
        }

        // tag::peer-transaction[]
        public void sell(long product, int quantity) throws InterruptedException {
            registry.executeLocked(
                    "stock:" + product,
                    () -> transactions.executeWithoutResult(status -> {
                        jdbc.update("update stock set quantity = quantity - ? where id = ?", quantity, product);
                        carrier.book();
                    }));
        }
        // end::peer-transaction[]
    }

    interface Balances {
        void move(String from, String to, long amount);
    }

    static class Transfer {
        private final Balances balances;
        // tag::peer-transfer-fields[]
        private final RedissonClient redisson;
        // end::peer-transfer-fields[]

        Transfer(Balances balances, RedissonClient redisson) {
            this.balances = balances;
            // tag::peer-transfer-assignments[]
            this.redisson = redisson;
            // end::peer-transfer-assignments[]
        }

        // tag::peer-transfer[]
        public void transfer(String from, String to, long amount) {
            RLock both = redisson.getMultiLock(redisson.getLock("account:" + from), redisson.getLock("account:" + to));
            both.lock();
            try {
                balances.move(from, to, amount);
            } finally {
                both.unlock();
            }
        }
        // end::peer-transfer[]
    }

    static class ReadMostly {
        interface Store {
            Map<String, Integer> readAll();

            void write(String tariff, int price);
        }

        // tag::peer-read-mostly[]
        @Service
        static class Tariffs {
            private final Store store;
            private final RReadWriteLock lock;

            Tariffs(Store store, RedissonClient redisson) {
                this.store = store;
                this.lock = redisson.getReadWriteLock("tariffs");
            }

            public Map<String, Integer> current() {
                lock.readLock().lock();
                try {
                    return store.readAll();
                } finally {
                    lock.readLock().unlock();
                }
            }

            public void replace(Map<String, Integer> prices) {
                lock.writeLock().lock();
                try {
                    prices.forEach(store::write);
                } finally {
                    lock.writeLock().unlock();
                }
            }
        }
        // end::peer-read-mostly[]
    }

    static class Latch {
        interface Outbox {
            void start();

            void stop();
        }

        // tag::peer-leader[]
        @Configuration
        static class Election {
            @Bean(initMethod = "start")
            LeaderLatch outboxLeader(CuratorFramework curator, Outbox outbox) {
                LeaderLatch latch = new LeaderLatch(curator, "/leaders/outbox");
                latch.addListener(new LeaderLatchListener() {
                    @Override
                    public void isLeader() {
                        outbox.start();
                    }

                    @Override
                    public void notLeader() {
                        outbox.stop();
                    }
                });
                return latch;
            }
        }
        // end::peer-leader[]
    }

    static class Selector {
        interface Outbox {
            void sendNext() throws InterruptedException;
        }

        // tag::peer-plain-leader[]
        @Component
        static class Leader extends LeaderSelectorListenerAdapter {
            private final Outbox outbox;
            private final LeaderSelector selector;

            Leader(CuratorFramework curator, Outbox outbox) {
                this.outbox = outbox;
                selector = new LeaderSelector(curator, "/leaders/outbox", this);
                selector.autoRequeue();
                selector.start();
            }

            @Override
            public void takeLeadership(CuratorFramework client) throws InterruptedException {
                while (true) {
                    outbox.sendNext();
                }
            }

            @PreDestroy
            public void resign() {
                selector.close();
            }
        }
        // end::peer-plain-leader[]
    }

    static class Fallback {
        record Price(String product, int cents, boolean fresh) {}

        interface Suppliers {
            int ask(String product);
        }

        // tag::peer-fallback[]
        @Service
        static class Prices {
            private final Map<String, Price> known = new ConcurrentHashMap<>();
            private final Suppliers suppliers;
            private final LockRegistry<?> registry;

            Prices(Suppliers suppliers, LockRegistry<?> registry) {
                this.suppliers = suppliers;
                this.registry = registry;
            }

            public Price price(String product) throws InterruptedException {
                try {
                    return registry.executeLocked("price:" + product, Duration.ofMillis(200), () -> {
                        Price price = new Price(product, suppliers.ask(product), true);
                        known.put(product, price);
                        return price;
                    });
                } catch (TimeoutException | CannotAcquireLockException why) {
                    return known.getOrDefault(product, new Price(product, 0, false));
                }
            }
        }
        // end::peer-fallback[]
    }

    static class Reactive {
        record Order(long id, long token) {}

        interface OrderRepository {
            Mono<Order> findById(long id);

            Mono<Order> save(Order order);
        }

        // tag::peer-reactive[]
        @Service
        static class Orders {
            private final OrderRepository orders;
            private final RedissonReactiveClient redisson;

            Orders(OrderRepository orders, RedissonReactiveClient redisson) {
                this.orders = orders;
                this.redisson = redisson;
            }

            public Mono<Order> ship(long id) {
                return locked(id, orders.findById(id).flatMap(orders::save));
            }

            Mono<Order> cancel(long id) {
                return locked(id, orders.findById(id).flatMap(orders::save));
            }

            private Mono<Order> locked(long id, Mono<Order> work) {
                return Mono.defer(() -> {
                    RLockReactive lock = redisson.getLock("order:" + id);
                    long owner = ThreadLocalRandom.current().nextLong();
                    Mono<RLockReactive> held = lock.tryLock(1, -1, TimeUnit.SECONDS, owner)
                            .flatMap(granted -> granted ? Mono.just(lock) : Mono.error(new TimeoutException()));
                    return Mono.usingWhen(held, one -> work, one -> one.unlock(owner));
                });
            }
        }
        // end::peer-reactive[]
    }

    static class Kafka {
        interface Orders {
            void ship(String id, String state);
        }

        // tag::peer-kafka[]
        @Component
        static class OrderEvents {
            private final Orders orders;
            private final LockRegistry<?> registry;

            OrderEvents(Orders orders, LockRegistry<?> registry) {
                this.orders = orders;
                this.registry = registry;
            }

            @KafkaListener(topics = "orders", groupId = "shipping")
            public void paid(ConsumerRecord<String, String> event) throws Exception {
                registry.executeLocked(
                        "order:" + event.key(), Duration.ofSeconds(10), () -> orders.ship(event.key(), event.value()));
            }
        }
        // end::peer-kafka[]
    }

    static class OpenInView {
        static class Flight {
            int seats;
        }

        private final EntityManager entities;
        // tag::peer-refresh-fields[]
        private final LockRegistry<?> registry;
        private final TransactionTemplate transactions;
        // end::peer-refresh-fields[]

        OpenInView(EntityManager entities, LockRegistry<?> registry, TransactionTemplate transactions) {
            this.entities = entities;
            // tag::peer-refresh-assignments[]
            this.registry = registry;
            this.transactions = transactions;
            // end::peer-refresh-assignments[]
        }

        // tag::peer-refresh[]
        public void book(long id) throws InterruptedException {
            registry.executeLocked(
                    "flight:" + id,
                    () -> transactions.executeWithoutResult(status -> {
                        Flight flight = entities.find(Flight.class, id);
                        entities.refresh(flight);
                        flight.seats--;
                    }));
        }
        // end::peer-refresh[]
    }
}
