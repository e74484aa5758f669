// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs.recipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockNotGrantedException;
import io.declock.spring.DecLocked;
import io.declock.spring.test.DecLockTest;
import io.declock.spring.test.TestLocks;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.listener.AcknowledgingConsumerAwareMessageListener;
import org.springframework.stereotype.Component;
import org.springframework.test.context.TestPropertySource;

/** The listener as Spring Kafka calls it, through the adapter in its container, with records of no broker. */
@DecLockTest
@Import({KafkaTests.OrderEvents.class, KafkaTests.Orders.class})
@ImportAutoConfiguration(KafkaAutoConfiguration.class)
@TestPropertySource(
        properties = {"spring.config.location=classpath:kafka.yaml", "spring.kafka.listener.auto-startup=false"})
class KafkaTests {
    static class Orders {
        final List<String> shipped = new CopyOnWriteArrayList<>();
        volatile Runnable carrier = () -> {};

        void ship(String order, String event) {
            shipped.add(order + " " + event);
            carrier.run();
        }
    }

    // tag::kafka[]
    @Component
    static class OrderEvents {
        private final Orders orders;

        OrderEvents(Orders orders) {
            this.orders = orders;
        }

        @KafkaListener(topics = "orders", groupId = "shipping")
        @DecLocked(name = "order", key = "#event.key()", waitTime = "10s")
        public void paid(ConsumerRecord<String, String> event) {
            orders.ship(event.key(), event.value());
        }
    }
    // end::kafka[]

    @Autowired
    private KafkaListenerEndpointRegistry listeners;

    @Autowired
    private Orders orders;

    @Autowired
    private TestLocks locks;

    @Test
    void anEventWaitsForItsOrderAndFailsIfTheLockIsBusyOrLost() {
        deliver("42", "paid");
        assertThat(orders.shipped).containsExactly("42 paid");
        orders.carrier = () -> locks.lose("order:43");
        assertThatThrownBy(() -> deliver("43", "paid")).hasRootCauseInstanceOf(LockLostException.class);
        orders.carrier = () -> {};
        try (LockHandle elsewhere = locks.holdElsewhere("order:44")) {
            assertThat(elsewhere.isValid()).isTrue();
            deliver("42", "cancelled");
            assertThatThrownBy(() -> deliver("44", "paid")).hasRootCauseInstanceOf(LockNotGrantedException.class);
        }
        assertThat(orders.shipped).containsExactly("42 paid", "43 paid", "42 cancelled");
    }

    @SuppressWarnings("unchecked")
    private void deliver(String key, String value) {
        var container = listeners.getListenerContainers().iterator().next();
        var listener = (AcknowledgingConsumerAwareMessageListener<String, String>)
                container.getContainerProperties().getMessageListener();
        listener.onMessage(new ConsumerRecord<>("orders", 0, 0, key, value), null, null);
    }
}
