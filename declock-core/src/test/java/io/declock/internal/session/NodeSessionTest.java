// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.ComputeNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.spi.HeartbeatReply;
import io.declock.spi.ManualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** How a session judges its own lease (rule C1), also by a clock that is broken. */
class NodeSessionTest {
    private static final Duration LEASE = QuietSession.LEASE;
    private static final Duration MARGIN = Duration.ofMillis(100);

    private final ManualTime time = new ManualTime();
    private CompletableFuture<HeartbeatReply> answer = new CompletableFuture<>();
    private final NodeSession session = new NodeSession(
            new QuietSession(7, () -> answer),
            ComputeNodeSettings.builder()
                    .name("self")
                    .lease(LEASE)
                    .heartbeatInterval(Duration.ofMillis(200))
                    .leaseMargin(MARGIN)
                    .build(),
            new Surroundings(time, time, () -> 0, new NodeCounters(), 1, new KnownNodeSet(1), Inquiries.NONE),
            time.nanoTime(),
            epoch -> {},
            (broken, cause) -> {});

    private void answerHeartbeat() {
        answer.complete(new HeartbeatReply(0, 0, 0, 1));
        answer = new CompletableFuture<>();
    }

    @Test
    void aLeaseRunsFromTheSendingOfTheHeartbeatThatWasAnswered() {
        time.jump(Duration.ofMillis(500));
        session.heartbeat();
        time.jump(Duration.ofMillis(300));
        answerHeartbeat();
        assertThat(session.leaseLeftNanos())
                .isEqualTo(LEASE.minus(MARGIN).minusMillis(300).toNanos());
        time.jump(Duration.ofMillis(600));
        assertThat(session.leaseValid(time.nanoTime())).isFalse();
        assertThat(session.leaseLeftNanos()).isZero();
    }

    /** Rule M7. */
    @Test
    void theLatestListThatWasConfirmedCountsInWhateverOrderTheAnswersCome() {
        session.declaredList(2);
        session.declaredList(1);
        assertThat(session.declaredList()).isEqualTo(2);
        session.declaredList(3);
        assertThat(session.declaredList()).isEqualTo(3);
    }

    @Test
    void anAnswerThatComesTooLateRenewsNothing() {
        time.jump(Duration.ofMillis(600));
        session.heartbeat();
        time.jump(Duration.ofMillis(400));
        answerHeartbeat();
        assertThat(session.leaseValid(time.nanoTime()))
                .as("100 ms after the lease was over, 500 ms before the one that was asked for would be")
                .isFalse();
        assertThat(session.leaseLeftNanos()).isZero();
    }

    @Test
    void aLeaseSeenToHaveRunOutStaysOutWhenTheClockGoesBack() {
        time.jump(LEASE);
        assertThat(session.leaseValid(time.nanoTime())).isFalse();
        time.jump(LEASE.negated());
        assertThat(session.leaseValid(time.nanoTime())).isFalse();
        assertThat(session.leaseLeftNanos()).isZero();
        session.heartbeat();
        answerHeartbeat();
        assertThat(session.leaseValid(time.nanoTime())).as("after a renewal").isFalse();
    }
}
