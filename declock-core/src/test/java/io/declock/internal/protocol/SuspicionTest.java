// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.internal.layout.LockHeader;
import org.junit.jupiter.api.Test;

/** When a node has reason to ask whether anybody holds a lock (rules B10 and B17). */
class SuspicionTest {
    private static final long HEADER = LockHeader.pack(5, 7, 1, 1);
    private static final long PATIENCE = 800;

    private final Suspicion suspicion = new Suspicion();

    private boolean arisesAt(long now) {
        return suspicion.arises(HEADER, now, PATIENCE);
    }

    @Test
    void withoutAnOccasionItArisesWhenTheQueueHasStoodStill() {
        suspicion.hasNoOccasion();
        assertThat(arisesAt(0)).isFalse();
        assertThat(arisesAt(PATIENCE - 1)).isFalse();
        assertThat(arisesAt(PATIENCE)).isTrue();
        assertThat(arisesAt(2 * PATIENCE)).as("each question doubles the time").isFalse();
        assertThat(arisesAt(3 * PATIENCE)).isTrue();
    }

    @Test
    void theQuestionOfAnotherNodePutsItOff() {
        suspicion.hasNoOccasion();
        assertThat(arisesAt(0)).isFalse();
        suspicion.othersAsk(PATIENCE - 1);
        assertThat(arisesAt(PATIENCE)).isFalse();
        assertThat(arisesAt(2 * PATIENCE - 2)).isFalse();
        assertThat(arisesAt(2 * PATIENCE - 1)).isTrue();
    }

    @Test
    void aQueueThatMovesPutsItOff() {
        suspicion.hasNoOccasion();
        assertThat(arisesAt(0)).isFalse();
        assertThat(suspicion.arises(LockHeader.pack(5, 8, 1, 1), PATIENCE, PATIENCE))
                .isFalse();
    }

    @Test
    void itArisesAtOnceForANewLockAndAfterTheEndOfAMember() {
        assertThat(arisesAt(0)).isTrue();
        assertThat(arisesAt(1)).isFalse();
        suspicion.memberEnded();
        assertThat(arisesAt(2)).isTrue();
        assertThat(arisesAt(3)).isFalse();
    }

    @Test
    void itArisesSoonerWhileAPositionMayBeLeftBehind() {
        assertThat(arisesAt(0)).isTrue();
        assertThat(arisesAt(PATIENCE / 8 - 1)).isFalse();
        assertThat(arisesAt(PATIENCE / 8)).isTrue();
        suspicion.nothingIsLeftBehind();
        assertThat(arisesAt(PATIENCE)).isFalse();
    }
}
