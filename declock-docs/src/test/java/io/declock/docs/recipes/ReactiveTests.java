// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockNotGrantedException;
import io.declock.LockRequest;
import io.declock.spring.DecLocked;
import io.declock.spring.reactive.ReactiveDecLockContext;
import io.declock.spring.reactive.ReactiveLocks;
import io.declock.spring.test.DecLockTest;
import io.declock.spring.test.TestLocks;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Service;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

@DecLockTest
@Import({ReactiveTests.Orders.class, ReactiveTests.OrderRepository.class})
class ReactiveTests {
    record Order(long id, long fence) {}

    static class OrderRepository {
        private final AtomicLong saved = new AtomicLong();

        Mono<Order> findById(long id) {
            return Mono.just(new Order(id, 0)).delayElement(Duration.ofMillis(5));
        }

        Mono<Order> save(Order order) {
            return Mono.fromCallable(() -> {
                saved.set(order.fence());
                return order;
            });
        }
    }

    // tag::reactive[]
    @Service
    static class Orders {
        private final OrderRepository orders;
        private final DistributedReadWriteLock locks;

        Orders(OrderRepository orders, DistributedReadWriteLock locks) {
            this.orders = orders;
            this.locks = locks;
        }

        @DecLocked(name = "order", key = "#id", waitTime = "1s")
        public Mono<Order> ship(long id) {
            return orders.findById(id)
                    .zipWith(ReactiveDecLockContext.currentToken(), (order, token) -> new Order(order.id(), token))
                    .flatMap(orders::save);
        }

        Mono<Order> cancel(long id) {
            return orders.findById(id)
                    .flatMap(orders::save)
                    .transform(ReactiveLocks.locked(locks, LockRequest.write("order:" + id)));
        }
    }
    // end::reactive[]

    @Autowired
    private Orders orders;

    @Autowired
    private OrderRepository repository;

    @Autowired
    private TestLocks locks;

    @Test
    void eachSubscriptionHoldsTheLockUntilItHasEnded() {
        Mono<Order> shipping = orders.ship(42);
        assertThat(locks.held()).isEmpty();
        try (LockHandle elsewhere = locks.holdElsewhere("order:42")) {
            assertThat(elsewhere.isValid()).isTrue();
            StepVerifier.create(shipping)
                    .expectError(LockNotGrantedException.class)
                    .verify(Duration.ofSeconds(20));
            assertThat(repository.saved).hasValue(0);
        }
        StepVerifier.create(shipping)
                .assertNext(order -> assertThat(order.fence()).isPositive())
                .expectComplete()
                .verify(Duration.ofSeconds(20));
        assertThat(repository.saved).doesNotHaveValue(0);
        StepVerifier.create(orders.cancel(42))
                .expectNextCount(1)
                .expectComplete()
                .verify(Duration.ofSeconds(20));
        assertThat(locks.held()).isEmpty();
    }

    @Test
    void aPipelineWithoutAnAnnotationWaitsToo() {
        try (LockHandle elsewhere = locks.holdElsewhere("order:43")) {
            assertThat(elsewhere.isValid()).isTrue();
            StepVerifier.create(orders.cancel(43))
                    .expectSubscription()
                    .expectNoEvent(Duration.ofMillis(200))
                    .thenCancel()
                    .verify();
        }
    }
}
