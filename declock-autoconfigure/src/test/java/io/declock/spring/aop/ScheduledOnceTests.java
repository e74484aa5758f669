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
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
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

    private static ApplicationContextRunner instance(int port, Duration ahead, boolean holds) {
        return Contexts.locks()
                .withPropertyValues("declock.embedded.port=" + port, "ahead=" + ahead.toSeconds(), "holds=" + holds)
                .withUserConfiguration(Jobs.class);
    }

    /** Returns the times between runs on two instances, one of which has a clock that is a second ahead. */
    private static List<Duration> between(boolean holds, int runs) throws Exception {
        int port = Ports.free();
        RUNS.clear();
        instance(port, Duration.ZERO, holds)
                .run(first -> instance(port, Duration.ofSeconds(1), holds)
                        .run(second -> await().pollInterval(Duration.ofMillis(50))
                                .atMost(30, TimeUnit.SECONDS)
                                .until(() -> RUNS.size() >= runs)));
        List<Instant> at = List.copyOf(RUNS);
        return IntStream.range(1, at.size())
                .mapToObj(i -> Duration.between(at.get(i - 1), at.get(i)))
                .toList();
    }

    @Test
    void aJobRunsOnceAlthoughTheClocksOfTwoInstancesDiffer() throws Exception {
        // Two clocks start each run within one second of each other.
        assertThat(between(true, 3)).allSatisfy(time -> assertThat(time).isGreaterThan(PERIOD.dividedBy(2)));
    }

    @Test
    void aShortJobWithoutAMinimumRunsOnEachOfThem() throws Exception {
        assertThat(between(false, 5)).anySatisfy(time -> assertThat(time).isLessThan(PERIOD.dividedBy(2)));
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

    static class JobWithoutMinimum {
        @Scheduled(cron = "*/3 * * * * *")
        @DecLocked(name = "job", waitTime = "0s", onFailure = OnFailure.SKIP)
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
        Object job(@Value("${holds}") boolean holds) {
            return holds ? new Job() : new JobWithoutMinimum();
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
