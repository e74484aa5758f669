// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs.recipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.LockHandle;
import io.declock.spring.test.DecLockTest;
import io.declock.spring.test.TestLocks;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.test.context.EmbeddedKafka;
import org.springframework.test.context.TestPropertySource;
import org.springframework.util.backoff.FixedBackOff;

/** The listener of {@link KafkaTests} with a broker. */
@DecLockTest
@EmbeddedKafka(topics = "orders", partitions = 1, bootstrapServersProperty = "spring.kafka.bootstrap-servers")
@Import({KafkaTests.OrderEvents.class, KafkaTests.Orders.class, KafkaBrokerTests.Patient.class})
@ImportAutoConfiguration(KafkaAutoConfiguration.class)
@TestPropertySource(
        properties = {"spring.config.location=classpath:kafka.yaml", "spring.kafka.consumer.auto-offset-reset=earliest"
        })
class KafkaBrokerTests {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Delivers an event again and again, as the recipe advises. */
    static class Patient {
        @Bean
        DefaultErrorHandler again() {
            return new DefaultErrorHandler(new FixedBackOff(100, FixedBackOff.UNLIMITED_ATTEMPTS));
        }
    }

    @Autowired
    private KafkaTemplate<String, String> kafka;

    @Autowired
    private KafkaTests.Orders orders;

    @Autowired
    private TestLocks locks;

    @Test
    void eventsWaitForTheLockInTheirOrderAndComeAgainWhenItWasLost() throws Exception {
        kafka.send("orders", "42", "paid").get();
        shows("42 paid");
        try (LockHandle elsewhere = locks.holdElsewhere("order:43")) {
            kafka.send("orders", "43", "paid").get();
            kafka.send("orders", "42", "cancelled").get();
            await().atMost(PATIENCE).until(() -> !locks.waiting().isEmpty());
            assertThat(elsewhere.isValid()).isTrue();
            assertThat(orders.shipped).as("while the event before waits").containsExactly("42 paid");
        }
        shows("42 paid", "43 paid", "42 cancelled");
        orders.carrier = () -> {
            orders.carrier = () -> {};
            locks.lose("order:44");
        };
        kafka.send("orders", "44", "paid").get();
        shows("42 paid", "43 paid", "42 cancelled", "44 paid", "44 paid");
    }

    private void shows(String... shipped) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(orders.shipped).containsExactly(shipped));
    }
}
