// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.declock.internal.protocol.CqlEnvironment;
import io.declock.spi.StoredValue;
import org.junit.jupiter.api.Test;

/** Whose copy counts (rule V4 of docs/protocol.md). */
class LockValueTest {
    private static final StoredValue STORED = new StoredValue(9, "writer", new byte[] {1});

    private final LockValue value = new LockValue();
    private final CqlEnvironment session = mock(CqlEnvironment.class);

    private static Footing footing(CqlEnvironment session, long epoch, int index) {
        return new Footing(session, 0, epoch, index, true, false);
    }

    /** Another life of the memory node, or another memory node, gives out the same epoch and index again, and has another value. */
    @Test
    void aCopyCountsForItsPositionInItsSessionOnly() {
        value.learn(footing(session, 5, 7), STORED);
        assertThat(value.copyFor(footing(session, 5, 7))).isNotNull();
        assertThat(value.copyFor(footing(mock(CqlEnvironment.class), 5, 7)))
                .as("session")
                .isNull();
        assertThat(value.copyFor(footing(session, 6, 7))).as("epoch").isNull();
        assertThat(value.copyFor(footing(session, 5, 8))).as("index").isNull();
    }
}
