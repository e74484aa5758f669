// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.spi.PeerMessage;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ArrivalsTest {
    private final List<Long> delivered = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private final List<Runnable> timers = new ArrayList<>();
    private final Arrivals arrivals = new Arrivals(
            (nanos, event) -> timers.add(event), message -> delivered.add(message.detail()), failures::add);

    private void receive(long... numbers) {
        for (long number : numbers) {
            arrivals.received(number, new PeerMessage(PeerMessage.Kind.GRANT, 1, 1, 1, 2, 1, 0, 0, 0, number));
        }
    }

    private void timePasses() {
        List<Runnable> due = List.copyOf(timers);
        timers.clear();
        due.forEach(Runnable::run);
    }

    @Test
    void whatOvertakesWaitsForThoseBeforeIt() {
        receive(0, 3, 2);
        assertThat(delivered).containsExactly(0L);
        receive(1, 4);
        assertThat(delivered).containsExactly(0L, 1L, 2L, 3L, 4L);
    }

    @Test
    void noneIsDeliveredTwice() {
        receive(0, 2, 2, 0, 1, 1, 2);
        assertThat(delivered).containsExactly(0L, 1L, 2L);
    }

    @Test
    void whatIsLostIsNotWaitedForForEver() {
        receive(1, 2, 5);
        timePasses();
        assertThat(delivered).containsExactly(1L, 2L);
        timePasses();
        assertThat(delivered).containsExactly(1L, 2L, 5L);
        receive(0, 4, 6);
        assertThat(delivered).containsExactly(1L, 2L, 5L, 6L);
    }

    @Test
    void aMessageThatCameInTimeIsNotGivenUp() {
        receive(1, 0, 3);
        timers.subList(1, timers.size()).clear();
        timePasses();
        assertThat(delivered).containsExactly(0L, 1L);
        receive(2);
        assertThat(delivered).containsExactly(0L, 1L, 2L, 3L);
        assertThat(failures).isEmpty();
    }
}
