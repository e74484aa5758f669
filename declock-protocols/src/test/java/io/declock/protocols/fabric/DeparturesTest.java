// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.protocols.LockMessage;
import io.declock.spi.Member;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DeparturesTest {
    private final List<String> sent = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private final Queue<Runnable> timers = new ArrayDeque<>();
    private @Nullable Member receiver;
    private final Departures departures = new Departures(
            () -> receiver,
            (nanos, event) -> timers.add(event),
            (to, message, number) -> {
                sent.add(to.incarnation() + ": " + message.kind() + " as " + number);
                return number + message.kind();
            },
            failures::add);

    /** A message that has as many parts as its kind says. */
    private void send(int kind) {
        departures.send(new LockMessage(1, 2, 0, kind, 0));
    }

    private int pausesUntilNothingWaits() {
        int pauses = 0;
        while (!timers.isEmpty()) {
            timers.remove().run();
            pauses++;
        }
        return pauses;
    }

    @Test
    void eachPartHasItsNumber() {
        receiver = new Member(7, 3, "", "");
        send(1);
        send(2);
        send(1);
        assertThat(sent).containsExactly("3: 1 as 0", "3: 2 as 1", "3: 1 as 3");
    }

    @Test
    void numbersBeginAnewForTheNextProcessOfANodeId() {
        receiver = new Member(7, 3, "", "");
        send(1);
        receiver = new Member(7, 4, "", "");
        send(1);
        assertThat(sent).containsExactly("3: 1 as 0", "4: 1 as 0");
    }

    @Test
    void messagesWaitInOrderUntilTheProcessIsHeardOf() {
        send(1);
        send(2);
        timers.remove().run();
        assertThat(sent).isEmpty();
        receiver = new Member(7, 1, "", "");
        send(3);
        assertThat(pausesUntilNothingWaits()).isOne();
        assertThat(sent).containsExactly("1: 1 as 0", "1: 2 as 1", "1: 3 as 3");
    }

    @Test
    void aProcessThatIsGoneIsGivenUpAfterAWhile() {
        send(1);
        assertThat(pausesUntilNothingWaits()).isEqualTo(Departures.MOST_PAUSES);
        receiver = new Member(7, 1, "", "");
        send(2);
        assertThat(sent).containsExactly("1: 2 as 0");
        assertThat(failures).isEmpty();
    }
}
