// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.spring.Contexts;
import io.declock.spring.DecLockContext;
import io.declock.spring.DecLocked;
import io.declock.spring.OnLost;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Where the lock is among other advice: outside of the transaction, so that the next holder sees what was committed. */
@ExtendWith(OutputCaptureExtension.class)
class OrderTests {
    private static final List<String> EVENTS = new ArrayList<>();

    @Test
    void theLockIsOutsideOfTheTransaction() {
        runner().withBean(Accounts.class).run(context -> {
            EVENTS.clear();
            context.getBean(Accounts.class).deposit(1);
            assertThat(EVENTS).containsExactly("in transaction, locked", "committed, locked");
        });
    }

    @Test
    void theOrderCanBeTurnedRoundAndIsWarnedAbout(CapturedOutput output) {
        runner().withBean(Accounts.class)
                .withPropertyValues("declock.aop.order=2147483647")
                .withUserConfiguration(TransactionsOutside.class)
                .run(context -> {
                    EVENTS.clear();
                    context.getBean(Accounts.class).deposit(1);
                    assertThat(EVENTS).containsExactly("in transaction, locked", "committed, not locked");
                    assertThat(output).contains("the lock is inside of the transaction");
                });
    }

    @Test
    void twoInstancesOfALostUpdateDoNotLoseIt() {
        runner().withBean(Accounts.class).run(context -> {
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            jdbc.execute("create table account (id int primary key, balance int)");
            jdbc.update("insert into account values (1, 0)");
            Accounts accounts = context.getBean(Accounts.class);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Thread thread = new Thread(() -> {
                    for (int n = 0; n < 25; n++) {
                        accounts.readAndWrite(1);
                    }
                });
                threads.add(thread);
                thread.start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(jdbc.queryForObject("select balance from account where id = 1", Integer.class))
                    .isEqualTo(100);
        });
    }

    @Test
    void springsRetryIsOutsideSoThatItWaitsWithoutTheLock() {
        Contexts.locks()
                .withUserConfiguration(Resilient.class)
                .withBean(Flaky.class)
                .run(context -> {
                    Flaky flaky = context.getBean(Flaky.class);
                    assertThat(flaky.call()).isEqualTo(3);
                    assertThat(Flaky.TOKENS).hasSize(3).doesNotHaveDuplicates();
                });
    }

    @Test
    void aLockLostMeanwhileIsReportedAtTheEndUnlessItIsOnlyLogged(CapturedOutput output) {
        Contexts.locks().withBean(Slow.class).run(context -> {
            Slow slow = context.getBean(Slow.class);
            assertThatExceptionOfType(LockLostException.class).isThrownBy(slow::strict);
            assertThat(slow.lenient()).isEqualTo("done");
            assertThat(output).contains("Slow.lenient() ended after its lock had been lost");
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(slow::failing)
                    .satisfies(failure ->
                            assertThat(failure.getSuppressed()).singleElement().isInstanceOf(LockLostException.class));
            DistributedReadWriteLock lock = context.getBean(DistributedReadWriteLock.class);
            try (LockHandle handle = lock.acquire(LockRequest.write("slow"), LockOwner.named("next"))) {
                assertThat(handle.isValid()).isTrue();
            }
        });
    }

    private static ApplicationContextRunner runner() {
        return Contexts.locks()
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        JdbcTemplateAutoConfiguration.class,
                        TransactionAutoConfiguration.class))
                .withPropertyValues("spring.datasource.generate-unique-name=true");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = 0)
    static class TransactionsOutside {}

    @Configuration(proxyBeanMethods = false)
    @EnableResilientMethods
    static class Resilient {}

    static class Accounts {
        private final JdbcTemplate jdbc;

        Accounts(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Transactional
        @DecLocked(name = "account", key = "#id")
        public void deposit(int id) {
            assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                    .isTrue();
            EVENTS.add("in transaction, " + locked());
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCompletion(int status) {
                    EVENTS.add("committed, " + locked());
                }
            });
        }

        private static String locked() {
            return DecLockContext.isLocked() ? "locked" : "not locked";
        }

        @Transactional
        @DecLocked(name = "account", key = "#id")
        public void readAndWrite(int id) {
            int balance = jdbc.queryForObject("select balance from account where id = ?", Integer.class, id);
            jdbc.update("update account set balance = ? where id = ?", balance + 1, id);
        }
    }

    static class Flaky {
        private static final List<Long> TOKENS = new ArrayList<>();
        private final AtomicInteger calls = new AtomicInteger();

        Flaky() {
            TOKENS.clear();
        }

        @Retryable(maxRetries = 5, delay = 1)
        @DecLocked(name = "flaky")
        public int call() {
            TOKENS.add(DecLockContext.currentToken());
            if (calls.incrementAndGet() < 3) {
                throw new IllegalStateException("again");
            }
            return calls.get();
        }
    }

    static class Slow {
        @DecLocked(name = "slow", leaseTime = "50ms")
        public String strict() throws InterruptedException {
            Thread.sleep(300);
            return "done";
        }

        @DecLocked(name = "slow", leaseTime = "50ms", onLost = OnLost.LOG)
        public String lenient() throws InterruptedException {
            Thread.sleep(300);
            assertThat(DecLockContext.currentHandle().isValid()).isFalse();
            return "done";
        }

        @DecLocked(name = "slow", leaseTime = "50ms")
        public String failing() throws InterruptedException {
            Thread.sleep(300);
            throw new IllegalStateException("own failure");
        }
    }
}
