// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.LockMode;
import io.declock.spring.Contexts;
import io.declock.spring.DecLocked;
import io.declock.spring.OnFailure;
import io.declock.testkit.Ports;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** A job that the clocks of two instances start, which differ by a second, runs once each time, although it takes no time. */
class ScheduledOnceTests {
    private static final Duration PERIOD = Duration.ofSeconds(3);
    private static final Queue<Instant> RUNS = new ConcurrentLinkedQueue<>();

    private static ApplicationContextRunner instance(int port, Duration ahead) {
        return Contexts.locks()
                .withPropertyValues("declock.embedded.port=" + port, "ahead=" + ahead.toSeconds())
                .withUserConfiguration(Jobs.class);
    }

    @Test
    void aJobRunsOnceAlthoughTheClocksOfTwoInstancesDiffer() throws Exception {
        int port = Ports.free();
        RUNS.clear();
        instance(port, Duration.ZERO)
                .run(first -> instance(port, Duration.ofSeconds(1))
                        .run(second -> await().pollInterval(Duration.ofMillis(50))
                                .atMost(30, TimeUnit.SECONDS)
                                .until(() -> RUNS.size() >= 3)));
        Instant[] runs = RUNS.toArray(Instant[]::new);
        for (int i = 1; i < runs.length; i++) {
            // Two clocks start each run within one second of each other.
            assertThat(Duration.between(runs[i - 1], runs[i]))
                    .as("runs at %s", RUNS)
                    .isGreaterThan(PERIOD.dividedBy(2));
        }
    }

    @Test
    void aLockForReadingCannotStayTaken() {
        Contexts.locks()
                .withUserConfiguration(Shared.class)
                .run(context ->
                        assertThat(context).getFailure().hasMessageContainingAll("holdAtLeast", "READ", "read"));
    }

    static class Job {
        @Scheduled(cron = "*/3 * * * * *")
        @DecLocked(name = "job", waitTime = "0s", onFailure = OnFailure.SKIP, holdAtLeast = "2s")
        public void run() {
            RUNS.add(Instant.now());
        }
    }

    static class Reader {
        @DecLocked(name = "x", mode = LockMode.READ, holdAtLeast = "2s")
        public void read() {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Jobs {
        @Bean
        Job job() {
            return new Job();
        }

        @Bean
        ThreadPoolTaskScheduler taskScheduler(@Value("${ahead}") long ahead) {
            ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
            scheduler.setClock(Clock.offset(Clock.systemDefaultZone(), Duration.ofSeconds(ahead)));
            return scheduler;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Shared {
        @Bean
        Reader reader() {
            return new Reader();
        }
    }
}
