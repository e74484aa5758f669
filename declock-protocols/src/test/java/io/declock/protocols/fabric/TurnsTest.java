// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TurnsTest {
    private final List<Throwable> failures = new ArrayList<>();
    private final List<String> events = new ArrayList<>();
    private final Turns turns = new Turns(failures::add);

    @Test
    void oneAfterTheOther() {
        turns.run(() -> {
            turns.run(() -> events.add("second"));
            events.add("first");
        });
        assertThat(events).containsExactly("first", "second");
    }

    @Test
    void goesOnAfterAFailure() {
        turns.run(() -> {
            throw new IllegalStateException("seen");
        });
        turns.run(() -> events.add("next"));
        assertThat(failures)
                .singleElement()
                .satisfies(failure -> assertThat(failure).hasMessage("seen"));
        assertThat(events).containsExactly("next");
    }
}
