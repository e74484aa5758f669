// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.shedlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.DistributedReadWriteLock;
import io.declock.LockNotGrantedException;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.spring.autoconfigure.DecLockAutoConfiguration;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.core.LockExtender;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** The provider as a bean, under ShedLock's annotation, and what docs/adapters.md says of its properties. */
@Timeout(60)
class SchedulerLockTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(DecLockAutoConfiguration.class, DecLockShedLockAutoConfiguration.class))
            .withPropertyValues(
                    "declock.embedded.port=0",
                    "spring.main.cloud-platform=none",
                    "declock.embedded.directory="
                            + Path.of("target", "embedded").toAbsolutePath(),
                    "declock.shutdown.timeout=30s");

    @Test
    void aTaskRunsUnderTheLockAndIsSkippedWhereAnotherHasIt() {
        runner.withUserConfiguration(TaskConfiguration.class).run(context -> {
            Tasks tasks = context.getBean(Tasks.class);
            DistributedReadWriteLock locks = context.getBean(DistributedReadWriteLock.class);
            tasks.invoices(locks);
            assertThat(tasks.runs()).hasValue(1);
            try (var held =
                    locks.acquire(LockRequest.write("shedlock:invoices"), LockOwner.named("another instance"))) {
                tasks.invoices(locks);
                assertThat(held.isValid()).isTrue();
            }
            assertThat(tasks.runs()).hasValue(1);
            tasks.invoices(locks);
            assertThat(tasks.runs()).hasValue(2);
        });
    }

    @Test
    void aScheduledTaskRunsUnderTheLock() {
        runner.withUserConfiguration(ScheduledConfiguration.class).run(context -> {
            assertThat(context.getBean(ScheduledTask.class).ranTwice()).isTrue();
        });
    }

    @Test
    void aShutdownDoesNotWaitForALockThatIsOnlyKept() {
        AtomicInteger runs = new AtomicInteger();
        long[] began = new long[1];
        runner.withUserConfiguration(TaskConfiguration.class).run(context -> {
            context.getBean(Tasks.class).kept();
            assertThat(isFree(context.getBean(DistributedReadWriteLock.class), "shedlock:kept"))
                    .isFalse();
            runs.incrementAndGet();
            began[0] = System.nanoTime();
        });
        assertThat(runs).hasValue(1);
        assertThat(Duration.ofNanos(System.nanoTime() - began[0])).isLessThan(Duration.ofSeconds(15));
    }

    @Test
    void itBacksOffWhereTheApplicationWantsAnother() {
        runner.run(context -> assertThat(context).hasSingleBean(LockProvider.class));
        LockProvider own = configuration -> Optional.empty();
        runner.withBean("own", LockProvider.class, () -> own).run(context -> {
            assertThat(context).hasSingleBean(LockProvider.class).doesNotHaveBean(DecLockProvider.class);
        });
        runner.withPropertyValues("declock.shedlock.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LockProvider.class));
        runner.withClassLoader(new FilteredClassLoader(LockProvider.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("decLockProvider"));
    }

    @Test
    void springBootFindsIt() throws IOException {
        assertThat(resource("/META-INF/spring/org.springframework.boot.autoconfigure.AutoConfiguration.imports")
                        .strip())
                .isEqualTo(DecLockShedLockAutoConfiguration.class.getName());
    }

    private String resource(String name) throws IOException {
        try (InputStream in = getClass().getResourceAsStream(name)) {
            assertThat(in).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static boolean isFree(DistributedReadWriteLock locks, String name) throws InterruptedException {
        try {
            locks.acquire(LockRequest.write(name).waitTime(Duration.ZERO), LockOwner.named("test"))
                    .close();
            return true;
        } catch (LockNotGrantedException e) {
            return false;
        }
    }

    static class Tasks {
        private final AtomicInteger runs = new AtomicInteger();

        AtomicInteger runs() {
            return runs;
        }

        @SchedulerLock(name = "invoices", lockAtMostFor = "30s")
        void invoices(DistributedReadWriteLock locks) throws InterruptedException {
            LockAssert.assertLocked();
            assertThat(isFree(locks, "shedlock:invoices")).isFalse();
            LockExtender.extendActiveLock(Duration.ofMinutes(1), Duration.ZERO);
            assertThat(isFree(locks, "shedlock:invoices")).isFalse();
            runs.incrementAndGet();
        }

        @SchedulerLock(name = "kept", lockAtMostFor = "10m", lockAtLeastFor = "10m")
        void kept() {
            LockAssert.assertLocked();
        }
    }

    static class ScheduledTask {
        private final CountDownLatch ran = new CountDownLatch(2);

        boolean ranTwice() throws InterruptedException {
            return ran.await(20, TimeUnit.SECONDS);
        }

        @Scheduled(fixedDelay = 10)
        @SchedulerLock(name = "scheduled", lockAtMostFor = "30s")
        void run() {
            LockAssert.assertLocked();
            ran.countDown();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableSchedulerLock(defaultLockAtMostFor = "1m")
    static class TaskConfiguration {
        @Bean
        Tasks tasks() {
            return new Tasks();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    @EnableSchedulerLock(defaultLockAtMostFor = "1m")
    static class ScheduledConfiguration {
        @Bean
        ScheduledTask scheduledTask() {
            return new ScheduledTask();
        }
    }
}
