// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.spring.DecLocked;
import io.declock.spring.OnLost;
import io.declock.spring.test.shop.Shop;
import io.declock.spring.test.shop.ShopApplication;
import io.declock.spring.test.shop.Warehouse;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.context.annotation.FilterType;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.transaction.annotation.Transactional;

class DecLockTestTests {
    @Nested
    @DecLockTest
    @ContextConfiguration(classes = ShopApplication.class)
    @Import(Shop.class)
    class WithAnImport {
        @Autowired
        private ApplicationContext context;

        @Autowired
        private Shop shop;

        @Autowired
        private TestLocks testLocks;

        @Test
        void hasLocksAndWhatIsImportedAndNothingElse() {
            assertThat(context.getBeansOfType(DistributedReadWriteLock.class)).hasSize(1);
            assertThat(context.getBeansOfType(Warehouse.class)).isEmpty();
            assertThat(context.getBeansOfType(javax.sql.DataSource.class)).isEmpty();
            testLocks.holdElsewhere("order:42");
            assertThat(shop.tryShip(42)).isEqualTo("later");
        }
    }

    @Nested
    @DecLockTest(
            properties = "declock.namespace=slice",
            includeFilters = @Filter(type = FilterType.ASSIGNABLE_TYPE, classes = Shop.class))
    @ContextConfiguration(classes = ShopApplication.class)
    class WithAFilter {
        @Autowired
        private ApplicationContext context;

        @Test
        void hasWhatTheFilterIncludes() {
            assertThat(context.getBeansOfType(Shop.class)).hasSize(1);
            assertThat(context.getBeansOfType(Warehouse.class)).isEmpty();
            assertThat(context.getEnvironment().getProperty("declock.namespace"))
                    .isEqualTo("slice");
        }
    }

    @Nested
    @SpringBootTest(classes = Shop.class)
    @OverrideAutoConfiguration(enabled = false)
    @AutoConfigureDecLock
    class InAnotherSlice {
        @Autowired
        private Shop shop;

        @Autowired
        private TestLocks testLocks;

        @Test
        void locksCanBeAdded() {
            try (LockHandle elsewhere = testLocks.holdElsewhere("order:42")) {
                assertThat(elsewhere.isValid()).isTrue();
                assertThat(shop.tryShip(42)).isEqualTo("later");
            }
        }
    }

    @Nested
    @DecLockTest(properties = "spring.datasource.generate-unique-name=true")
    @ContextConfiguration(classes = ShopApplication.class)
    @Import(WithADatabase.Notes.class)
    @ImportAutoConfiguration({
        DataSourceAutoConfiguration.class,
        DataSourceTransactionManagerAutoConfiguration.class,
        JdbcTemplateAutoConfiguration.class
    })
    class WithADatabase {
        static class Notes {
            private final JdbcTemplate jdbc;

            Notes(JdbcTemplate jdbc) {
                this.jdbc = jdbc;
            }

            @DecLocked(name = "note", onLost = OnLost.ROLL_BACK)
            @Transactional
            public void write(Runnable afterwards) {
                jdbc.update("insert into note values (1)");
                afterwards.run();
            }
        }

        @Autowired
        private Notes notes;

        @Autowired
        private JdbcTemplate jdbc;

        @Autowired
        private TestLocks testLocks;

        @Test
        void aTransactionIsRolledBackIfItsLockIsLost() {
            jdbc.execute("create table note (id int)");
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> notes.write(() -> testLocks.lose("note")))
                    .withMessageContaining("rolled back");
            assertThat(jdbc.queryForObject("select count(*) from note", Integer.class))
                    .isZero();
            notes.write(() -> {});
            assertThat(jdbc.queryForObject("select count(*) from note", Integer.class))
                    .isOne();
        }
    }
}
