// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.LockHandle;
import io.declock.LockRequest;
import io.declock.spring.DecLocked;
import io.declock.spring.OnFailure;
import io.declock.spring.test.DecLockTest;
import io.declock.spring.test.TestLocks;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.config.ScheduledTaskHolder;
import org.springframework.stereotype.Component;

@DecLockTest
@Import({JobTests.Invoices.class, JobTests.Mail.class})
class JobTests {
    @EnableScheduling
    static class Mail {
        final AtomicInteger sent = new AtomicInteger();

        void sendInvoices() {
            sent.incrementAndGet();
        }
    }

    // tag::job[]
    @Component
    static class Invoices {
        private final Mail mail;

        Invoices(Mail mail) {
            this.mail = mail;
        }

        @Scheduled(cron = "0 0 3 * * *")
        @DecLocked(name = "invoices", waitTime = "0", onFailure = OnFailure.SKIP, holdAtLeast = "1m")
        public void send() {
            mail.sendInvoices();
        }
    }
    // end::job[]

    @Autowired
    private ScheduledTaskHolder scheduler;

    @Autowired
    private Mail mail;

    @Autowired
    private TestLocks locks;

    @Test
    void oneInstanceRunsTheJobAndTheOthersSkipItAlsoWhenItHasEnded() {
        try (LockHandle elsewhere = locks.holdElsewhere("invoices")) {
            theClockStrikesThree();
            assertThat(elsewhere.isValid()).isTrue();
        }
        assertThat(mail.sent).hasValue(0);
        theClockStrikesThree();
        assertThat(mail.sent).hasValue(1);
        assertThat(locks.held()).isEmpty();
        theClockStrikesThree();
        assertThat(mail.sent).hasValue(1);
        assertThat(takenElsewhere()).isFalse();
    }

    private boolean takenElsewhere() {
        try {
            locks.holdElsewhere(LockRequest.write("invoices").waitTime(Duration.ZERO));
            return true;
        } catch (io.declock.LockNotGrantedException e) {
            return false;
        }
    }

    private void theClockStrikesThree() {
        assertThat(scheduler.getScheduledTasks())
                .singleElement()
                .satisfies(task -> task.getTask().getRunnable().run());
    }
}
