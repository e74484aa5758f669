// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class InterruptionTest {
    private final Interruption interruption = new Interruption(Thread.currentThread());

    @AfterEach
    void leaveNothingBehind() {
        Thread.interrupted();
    }

    @Test
    void itsThreadIsInterruptedUntilItHasEnded() {
        interruption.interrupt();
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        interruption.end();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    /** A loss that was told in the moment in which the handle was closed. */
    @Test
    void whoComesAfterTheEndInterruptsNobody() {
        interruption.end();
        interruption.interrupt();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void anInterruptOfSomebodyElseIsNotTakenBack() {
        Thread.currentThread().interrupt();
        interruption.end();
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void anotherThreadsEndTakesNothingBackFromIt() throws InterruptedException {
        interruption.interrupt();
        Thread other = new Thread(interruption::end);
        other.start();
        boolean noticed = false;
        try {
            other.join();
        } catch (InterruptedException e) {
            noticed = true;
            other.join();
        }
        // A thread that is over already is not waited for, and the interrupt not noticed.
        assertThat(noticed || Thread.interrupted()).isTrue();
    }
}
