// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EarlyEventsTest {
    @Test
    void eventsWaitForTheFirstAndKeepTheirOrder() {
        EarlyEvents events = new EarlyEvents();
        List<String> told = new ArrayList<>();
        events.run(() -> told.add("a"));
        events.run(() -> {
            told.add("b");
            events.run(() -> told.add("d"));
            told.add("c");
        });
        assertThat(told).isEmpty();

        events.open(() -> told.add("first"));
        events.run(() -> told.add("e"));
        events.open(() -> told.add("never"));

        assertThat(told).containsExactly("first", "a", "b", "c", "d", "e");
    }

    @Test
    void anEventThatThrowsKeepsNoneBehindItFromBeingTold() {
        EarlyEvents events = new EarlyEvents();
        List<String> told = new ArrayList<>();
        events.run(() -> {
            throw new IllegalStateException("on purpose");
        });
        events.run(() -> told.add("a"));
        events.open(() -> {
            throw new IllegalStateException("on purpose");
        });
        events.run(() -> told.add("b"));

        assertThat(told).containsExactly("a", "b");
    }
}
