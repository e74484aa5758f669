// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.ComputeNodeSettings;
import io.declock.MemoryNodeAddress;
import io.declock.internal.monitor.NodeCounters;
import io.declock.spi.FabricException;
import io.declock.spi.HeartbeatReply;
import io.declock.spi.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How a session is kept alive, and how its end is noticed. */
class RenewalTest {
    private static final Duration HEARTBEAT = Duration.ofMillis(200);
    private static final Duration LEASE_LESS_MARGIN = QuietSession.LEASE.minusMillis(100);

    private final ManualTime time = new ManualTime();
    private final List<FabricException> ends = new ArrayList<>();
    private int beats;
    private boolean answers = true;
    private boolean isPresent = true;

    private final NodeSession session = new NodeSession(
            new QuietSession(1, this::beat),
            ComputeNodeSettings.builder()
                    .name("self")
                    .lease(QuietSession.LEASE)
                    .heartbeatInterval(HEARTBEAT)
                    .leaseMargin(Duration.ofMillis(100))
                    .build(),
            new Surroundings(time, time, () -> 0, new NodeCounters(), 1, new KnownNodeSet(1), Inquiries.NONE),
            time.nanoTime(),
            epoch -> {},
            (broken, cause) -> {});

    private CompletableFuture<HeartbeatReply> beat() {
        beats++;
        return answers ? CompletableFuture.completedFuture(new HeartbeatReply(0, 0, 0, 1)) : new CompletableFuture<>();
    }

    @BeforeEach
    void start() {
        new Renewal(session, MemoryNodeAddress.parse("here"), () -> isPresent, ends::add).start();
    }

    @Test
    void answeredHeartbeatsKeepASession() {
        time.advance(QuietSession.LEASE.multipliedBy(5));
        assertThat(beats).isEqualTo(26);
        assertThat(ends).isEmpty();
    }

    @Test
    void aRenewalByAMeasurementOfTheClockDelaysTheNextHeartbeat() {
        time.advance(Duration.ofMillis(150));
        session.heartbeat();
        time.advance(Duration.ofMillis(199));
        assertThat(beats).as("the first and the measurement").isEqualTo(2);
        time.advance(Duration.ofMillis(1));
        assertThat(beats).isEqualTo(3);
    }

    @Test
    void theClockIsMeasuredOnlyWhereNoHeartbeatHasDoneSo() {
        long interval = Duration.ofMillis(150).toNanos();
        time.advance(Duration.ofMillis(149));
        session.measureClock(interval);
        assertThat(beats).as("the first heartbeat measured it").isEqualTo(1);
        time.advance(Duration.ofMillis(1));
        session.measureClock(interval);
        assertThat(beats).isEqualTo(2);
        answers = false;
        time.advance(Duration.ofMillis(150));
        session.measureClock(interval);
        time.advance(Duration.ofMillis(1));
        session.measureClock(interval);
        assertThat(beats).as("an attempt without an answer measures nothing").isEqualTo(4);
    }

    /** What falls silent is noticed by what it leaves unanswered (rule G5). */
    @ParameterizedTest
    @CsvSource({"192.0.2.1|192.0.2.2, 11", "mn.example, 11", "192.0.2.1, 3", "[2001:db8::1], 3"})
    void somethingIsAskedEachSecondWhereAStandbyMayTakeOver(String address, int expected) {
        QuietSession granted = new QuietSession(2, this::beat);
        granted.lease = Duration.ofSeconds(30);
        beats = 0;
        isPresent = false;
        NodeSession renewed = new NodeSession(
                granted,
                ComputeNodeSettings.builder().name("self").lease(granted.lease).build(),
                new Surroundings(time, time, () -> 0, new NodeCounters(), 1, new KnownNodeSet(1), Inquiries.NONE),
                time.nanoTime(),
                epoch -> {},
                (broken, cause) -> {});
        new Renewal(renewed, MemoryNodeAddress.parse(address), () -> true, ends::add).start();
        time.advance(Duration.ofSeconds(10));
        assertThat(beats).isEqualTo(expected);
    }

    @Test
    void aMeasurementThatIsNotAnsweredDelaysNothing() {
        time.advance(Duration.ofMillis(150));
        answers = false;
        session.heartbeat();
        time.advance(Duration.ofMillis(50));
        assertThat(beats).isEqualTo(3);
    }

    @Test
    void theEndOfTheLeaseIsNoticedAtItsMoment() {
        time.advance(HEARTBEAT);
        answers = false;
        time.advance(LEASE_LESS_MARGIN.minusNanos(1));
        assertThat(ends).isEmpty();
        time.advance(Duration.ofNanos(1));
        assertThat(ends)
                .singleElement()
                .satisfies(end ->
                        assertThat(end).hasMessageContaining("PT1S ran out").hasMessageContaining("tcp://here:7420"));
    }

    @Test
    void aSessionThatIsNotUsedAnyMoreIsNotRenewed() {
        isPresent = false;
        time.advance(QuietSession.LEASE);
        assertThat(beats).isEqualTo(1);
        assertThat(ends).as("its lease ran out").hasSize(1);
    }

    @Test
    void nothingIsNoticedOfASessionThatIsOver() {
        session.lose(new FabricException("over"));
        time.advance(QuietSession.LEASE.multipliedBy(2));
        assertThat(beats).isEqualTo(1);
        assertThat(ends).isEmpty();
    }
}
