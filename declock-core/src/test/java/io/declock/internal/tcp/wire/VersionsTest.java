// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class VersionsTest {
    @Test
    void theNewestCommonVersionIsTheSameFromBothSides() {
        for (int newest = 4; newest < 9; newest++) {
            for (int others = 4; others < 9; others++) {
                Versions one = new Versions(newest, newest - 1);
                Versions other = new Versions(others, others - 1);
                int common = one.inCommonWith(other);
                assertThat(common).isEqualTo(other.inCommonWith(one));
                assertThat(common).isEqualTo(Math.abs(newest - others) > 1 ? Versions.NONE : Math.min(newest, others));
            }
        }
    }

    @Test
    void theFirstVersionHasNothingInCommonWithLaterOnes() {
        // Its preamble has the version in two bytes, of which the second is zero.
        assertThat(Versions.OURS.inCommonWith(new Versions(1, 0))).isEqualTo(Versions.NONE);
    }
}
