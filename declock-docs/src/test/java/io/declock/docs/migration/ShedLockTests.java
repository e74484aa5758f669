// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.shedlock.DecLockProvider;
import io.declock.spring.DecLocked;
import io.declock.spring.OnFailure;
import io.declock.spring.test.DecLockTest;
import io.declock.spring.test.TestLocks;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** ShedLock's table and DecLock side by side. */
@DecLockTest(properties = "spring.datasource.generate-unique-name=true")
@Import({
    ShedLockTests.During.class,
    ShedLockTests.Before.class,
    ShedLockTests.After.class,
    ShedLockTests.Mail.class,
    ShedLockTests.Table.class
})
@ImportAutoConfiguration({DataSourceAutoConfiguration.class, JdbcTemplateAutoConfiguration.class})
class ShedLockTests {
    static class Mail {
        private final AtomicInteger sent = new AtomicInteger();

        void sendInvoices() {
            sent.incrementAndGet();
        }
    }

    static class Table {
        Table(JdbcTemplate jdbc) {
            jdbc.execute("create table shedlock (name varchar(64) primary key, lock_until timestamp,"
                    + " locked_at timestamp, locked_by varchar(255))");
        }
    }

    @Component
    static class Before {
        private final Mail mail;

        Before(Mail mail) {
            this.mail = mail;
        }

        // tag::shedlock-before[]
        @Scheduled(cron = "0 0 3 * * *")
        @SchedulerLock(name = "invoices", lockAtMostFor = "30m", lockAtLeastFor = "1m")
        public void sendInvoices() {
            mail.sendInvoices();
        }
        // end::shedlock-before[]
    }

    @Component
    static class After {
        private final Mail mail;

        After(Mail mail) {
            this.mail = mail;
        }

        // tag::shedlock-after[]
        @Scheduled(cron = "0 0 3 * * *")
        @DecLocked(name = "shedlock:invoices", waitTime = "0", onFailure = OnFailure.SKIP, holdAtLeast = "1m")
        public void sendInvoices() {
            mail.sendInvoices();
        }
        // end::shedlock-after[]
    }

    // tag::shedlock-both[]
    /** Takes the lock of two providers as one, the former one first. */
    record BothProviders(LockProvider former, LockProvider next) implements LockProvider {
        @Override
        public Optional<SimpleLock> lock(LockConfiguration configuration) {
            Optional<SimpleLock> first = former.lock(configuration);
            if (first.isEmpty()) {
                return Optional.empty();
            }
            Optional<SimpleLock> second = Optional.empty();
            try {
                second = next.lock(configuration);
            } finally {
                if (second.isEmpty()) {
                    first.get().unlock();
                }
            }
            return second.map(lock -> new Both(first.get(), lock));
        }

        record Both(SimpleLock first, SimpleLock second) implements SimpleLock {
            @Override
            public void unlock() {
                try {
                    second.unlock();
                } finally {
                    first.unlock();
                }
            }

            @Override
            public Optional<SimpleLock> extend(Duration lockAtMostFor, Duration lockAtLeastFor) {
                Optional<SimpleLock> longer = first.extend(lockAtMostFor, lockAtLeastFor);
                if (longer.isEmpty()) {
                    return Optional.empty();
                }
                return second.extend(lockAtMostFor, lockAtLeastFor).map(lock -> new Both(longer.get(), lock));
            }
        }
    }

    @Configuration
    @EnableSchedulerLock(defaultLockAtMostFor = "30m")
    static class During {
        @Bean
        LockProvider lockProvider(JdbcTemplate jdbc, DistributedReadWriteLock locks) {
            return new BothProviders(new JdbcTemplateLockProvider(jdbc), new DecLockProvider(locks));
        }
    }
    // end::shedlock-both[]

    @Autowired
    private Before job;

    @Autowired
    private After jobAfter;

    @Autowired
    private Mail mail;

    @Autowired
    private JdbcTemplate jdbc;

    @Autowired
    private LockProvider both;

    @Autowired
    private DistributedReadWriteLock locks;

    @Autowired
    private TestLocks testLocks;

    @BeforeEach
    void free() {
        testLocks.reset();
        mail.sent.set(0);
        jdbc.update("delete from shedlock");
    }

    @Test
    void bothExcludesTheReleaseBeforeAndTheReleaseAfter() {
        LockProvider former = new JdbcTemplateLockProvider(jdbc);
        LockProvider next = new DecLockProvider(locks);
        SimpleLock held = both.lock(configuration("report")).orElseThrow();
        assertThat(former.lock(configuration("report"))).isEmpty();
        assertThat(next.lock(configuration("report"))).isEmpty();
        held.unlock();
        assertThat(former.lock(configuration("report"))).isPresent();
        assertThat(both.lock(configuration("report"))).isEmpty();
        assertThat(next.lock(configuration("report"))).isPresent();
    }

    @Test
    void anExtensionIsOneOfBothOrNone() {
        SimpleLock held = both.lock(configuration("extended")).orElseThrow();
        SimpleLock longer = held.extend(Duration.ofMinutes(40), Duration.ZERO).orElseThrow();
        assertThat(new JdbcTemplateLockProvider(jdbc).lock(configuration("extended")))
                .isEmpty();
        assertThat(new DecLockProvider(locks).lock(configuration("extended"))).isEmpty();
        longer.unlock();
        SimpleLock again = both.lock(configuration("extended")).orElseThrow();
        jdbc.update("delete from shedlock");
        assertThat(again.extend(Duration.ofMinutes(40), Duration.ZERO)).isEmpty();
        // The former lock has ended, and says so; DecLock's is released.
        assertThatThrownBy(again::unlock).isInstanceOf(IllegalStateException.class);
        assertThat(new DecLockProvider(locks).lock(configuration("extended"))).isPresent();
    }

    @Test
    void aJobRunsUnderBothAndIsSkippedWhileTheNextReleaseRunsIt() {
        try (LockHandle elsewhere = testLocks.holdElsewhere("shedlock:invoices")) {
            assertThat(elsewhere.isValid()).isTrue();
            job.sendInvoices();
            jobAfter.sendInvoices();
            assertThat(mail.sent).hasValue(0);
        }
    }

    @Test
    void whatRanUnderBothIsNotRunAgainByTheNextRelease() {
        job.sendInvoices();
        assertThat(mail.sent).hasValue(1);
        jobAfter.sendInvoices();
        assertThat(mail.sent).hasValue(1);
    }

    private static LockConfiguration configuration(String name) {
        return new LockConfiguration(Instant.now(), name, Duration.ofMinutes(30), Duration.ZERO);
    }
}
