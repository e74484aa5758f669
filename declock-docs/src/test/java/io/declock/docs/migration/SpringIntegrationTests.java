// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.spring.DecLocked;
import io.declock.spring.integration.DecLockRegistry;
import io.declock.spring.test.DecLockTest;
import io.declock.spring.test.TestLocks;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.stereotype.Service;

/** Spring Integration's lock in a table and DecLock side by side. */
@DecLockTest(
        properties = {
            "spring.datasource.generate-unique-name=true",
            "spring.sql.init.schema-locations=classpath:org/springframework/integration/jdbc/schema-h2.sql"
        })
@Import({SpringIntegrationTests.During.class, SpringIntegrationTests.Orders.class, SpringIntegrationTests.After.class})
@ImportAutoConfiguration({
    DataSourceAutoConfiguration.class,
    DataSourceTransactionManagerAutoConfiguration.class,
    JdbcTemplateAutoConfiguration.class,
    org.springframework.boot.jdbc.autoconfigure.DataSourceInitializationAutoConfiguration.class
})
@Timeout(60)
class SpringIntegrationTests {
    static class BeforeJdbc {
        // tag::integration-before[]
        @Bean
        DefaultLockRepository lockRepository(DataSource database) {
            return new DefaultLockRepository(database);
        }

        @Bean
        JdbcLockRegistry lockRegistry(DefaultLockRepository repository) {
            return new JdbcLockRegistry(repository, Duration.ofSeconds(60));
        }
        // end::integration-before[]
    }

    static class BeforeRedis {
        // tag::integration-before-redis[]
        @Bean
        RedisLockRegistry lockRegistry(RedisConnectionFactory redis) {
            return new RedisLockRegistry(redis, "orders", 60_000);
        }
        // end::integration-before-redis[]
    }

    // tag::integration-both[]
    @Configuration
    static class During {
        @Bean
        @DependsOnDatabaseInitialization
        DefaultLockRepository lockRepository(DataSource database) {
            return new DefaultLockRepository(database);
        }

        @Bean
        LockRegistry<Lock> lockRegistry(DefaultLockRepository repository, DistributedReadWriteLock locks) {
            JdbcLockRegistry former = new JdbcLockRegistry(repository, Duration.ofSeconds(60));
            DecLockRegistry next = new DecLockRegistry(locks);
            return key -> new BothLocks(former.obtain(key), next.obtain(key));
        }
    }
    // end::integration-both[]

    // tag::integration-use[]
    @Service
    static class Orders {
        private final LockRegistry<?> registry;

        Orders(LockRegistry<?> registry) {
            this.registry = registry;
        }

        void ship(long id, Runnable shipment) throws InterruptedException {
            registry.executeLocked("order:" + id, shipment::run);
        }
    }
    // end::integration-use[]

    @Service
    static class After {
        // tag::integration-own[]
        @DecLocked(name = "integration:order", key = "#id")
        public void ship(long id, Runnable shipment) {
            shipment.run();
        }
        // end::integration-own[]
    }

    @Autowired
    private Orders orders;

    @Autowired
    private After after;

    @Autowired
    private LockRegistry<Lock> both;

    @Autowired
    private DataSource database;

    @Autowired
    private org.springframework.transaction.PlatformTransactionManager transactions;

    @Autowired
    private TestLocks testLocks;

    @Test
    void bothExcludesTheReleaseBeforeAndTheReleaseAfter() throws Exception {
        DefaultLockRepository repository = new DefaultLockRepository(database);
        repository.setTransactionManager(transactions);
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        repository.start();
        JdbcLockRegistry former = new JdbcLockRegistry(repository);
        orders.ship(42, () -> {
            assertThat(CompletableFuture.supplyAsync(
                                    () -> former.obtain("order:42").tryLock())
                            .join())
                    .isFalse();
            CompletableFuture<Void> later = CompletableFuture.runAsync(() -> after.ship(42, () -> {}));
            org.awaitility.Awaitility.await().until(() -> !testLocks.waiting().isEmpty());
            assertThat(later).isNotDone();
        });
        assertThat(former.obtain("order:42").tryLock(5, TimeUnit.SECONDS)).isTrue();
        assertThat(CompletableFuture.supplyAsync(() -> both.obtain("order:42").tryLock())
                        .join())
                .isFalse();
        former.obtain("order:42").unlock();
        try (LockHandle elsewhere = testLocks.holdElsewhere("integration:order:42")) {
            assertThat(elsewhere.isValid()).isTrue();
            assertThat(both.obtain("order:42").tryLock()).isFalse();
            assertThat(former.obtain("order:42").tryLock()).isTrue();
            former.obtain("order:42").unlock();
        }
    }
}
