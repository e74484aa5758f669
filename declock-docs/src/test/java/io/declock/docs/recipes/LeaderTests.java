// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs.recipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.LockHandle;
import io.declock.spring.integration.DecLockIntegrationAutoConfiguration;
import io.declock.spring.integration.DecLockRegistry;
import io.declock.spring.test.DecLockTest;
import io.declock.spring.test.TestLocks;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.integration.leader.AbstractCandidate;
import org.springframework.integration.leader.Context;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

@DecLockTest
@Import({LeaderTests.Outbox.class, LeaderTests.Election.class})
@ImportAutoConfiguration(DecLockIntegrationAutoConfiguration.class)
@Timeout(60)
class LeaderTests {
    static class Outbox {
        private volatile boolean running;
        private volatile long token;

        void start(long newToken) {
            token = newToken;
            running = true;
        }

        void stop() {
            running = false;
        }
    }

    // tag::leader[]
    @Configuration
    static class Election {
        @Bean
        LockRegistryLeaderInitiator outboxLeader(DecLockRegistry registry, Outbox outbox) {
            var initiator = new LockRegistryLeaderInitiator(registry, new AbstractCandidate("this instance", "outbox") {
                @Override
                public void onGranted(Context context) {
                    outbox.start(registry.fencingToken(context.getRole()));
                }

                @Override
                public void onRevoked(Context context) {
                    outbox.stop();
                }
            });
            initiator.setHeartBeatMillis(100);
            return initiator;
        }
    }
    // end::leader[]

    @Autowired
    private Outbox outbox;

    @Autowired
    private TestLocks locks;

    @Test
    void aLeaderThatLosesItsLockIsRevokedAndLeadsAgainWithALaterToken() {
        await().until(() -> outbox.running);
        long first = outbox.token;
        assertThat(first).isPositive();
        locks.lose("integration:outbox");
        try (LockHandle elsewhere = locks.holdElsewhere("integration:outbox")) {
            await().until(() -> !outbox.running);
            assertThat(elsewhere.fencingToken()).isGreaterThan(first);
        }
        await().atMost(Duration.ofSeconds(20)).until(() -> outbox.running);
        assertThat(outbox.token).isGreaterThan(first);
    }
}
