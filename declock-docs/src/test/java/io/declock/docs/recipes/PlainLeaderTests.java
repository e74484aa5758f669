// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs.recipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.LockHandle;
import io.declock.spring.DecLocked;
import io.declock.spring.OnFailure;
import io.declock.spring.test.DecLockTest;
import io.declock.spring.test.TestLocks;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.stereotype.Component;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.TestPropertySource;

@DecLockTest
@Import({PlainLeaderTests.Leader.class, PlainLeaderTests.Outbox.class})
@ImportAutoConfiguration(TaskSchedulingAutoConfiguration.class)
@TestPropertySource(properties = "spring.config.location=classpath:leader.yaml")
@DirtiesContext
@Timeout(60)
class PlainLeaderTests {
    @EnableScheduling
    static class Outbox {
        private final AtomicInteger turns = new AtomicInteger();

        void sendNext() throws InterruptedException {
            turns.incrementAndGet();
            Thread.sleep(10);
        }
    }

    // tag::plain-leader[]
    @Component
    static class Leader {
        private final Outbox outbox;
        private volatile boolean closing;

        Leader(Outbox outbox) {
            this.outbox = outbox;
        }

        @Scheduled(fixedDelay = 100)
        @DecLocked(name = "outbox", waitTime = "1h", onFailure = OnFailure.SKIP, interruptOnLost = true)
        public void lead() throws InterruptedException {
            while (!closing) {
                outbox.sendNext();
            }
        }

        @EventListener(ContextClosedEvent.class)
        public void resign() {
            closing = true;
        }
    }
    // end::plain-leader[]

    @Autowired
    private ApplicationContext context;

    @Autowired
    private ThreadPoolTaskScheduler scheduler;

    @Autowired
    private Outbox outbox;

    @Autowired
    private TestLocks locks;

    @Test
    void itLeadsWhileItHoldsTheLockAndAgainAfterALossAndResignsAtOnce() {
        assertThat(scheduler.getScheduledThreadPoolExecutor().getCorePoolSize()).isEqualTo(4);
        await().until(() -> outbox.turns.get() > 3);
        locks.lose("outbox");
        try (LockHandle elsewhere = locks.holdElsewhere("outbox")) {
            await().until(() -> !locks.waiting().isEmpty());
            int turns = outbox.turns.get();
            assertThat(elsewhere.isValid()).isTrue();
            await().during(Duration.ofMillis(200)).until(() -> outbox.turns.get() == turns);
        }
        int before = outbox.turns.get();
        await().until(() -> outbox.turns.get() > before);
        context.publishEvent(new ContextClosedEvent(context));
        await().until(() -> locks.held().isEmpty());
    }
}
