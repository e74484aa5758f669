// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.layout;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FencingTokenTest {
    @Test
    void everyFieldHasItsBitsAndTheTokenIsPositive() {
        for (long epoch : new long[] {1, 0x7FFF_FFFFL, 0xFFFF_FFFFL}) {
            for (int index : new int[] {0, 1, LockHeader.HEAD_RANGE - 1}) {
                for (int sequence : new int[] {0, 1, FencingToken.SEQUENCES - 1}) {
                    long token = FencingToken.pack(epoch, index, sequence);
                    assertThat(token).isPositive().isEqualTo(epoch << 31 | (long) index << 7 | sequence);
                }
            }
        }
    }

    @Test
    void aLaterGrantHasTheLargerToken() {
        long token = FencingToken.pack(5, 7, 3);
        assertThat(FencingToken.pack(5, 7, 4)).isGreaterThan(token);
        assertThat(FencingToken.pack(5, 8, 0)).isGreaterThan(FencingToken.pack(5, 7, FencingToken.SEQUENCES - 1));
        assertThat(FencingToken.pack(6, 0, 0))
                .isGreaterThan(FencingToken.pack(5, LockHeader.HEAD_RANGE - 1, FencingToken.SEQUENCES - 1));
        assertThat(FencingToken.pack(0x8000_0000L, 0, 0)).isGreaterThan(FencingToken.pack(0x7FFF_FFFFL, 0, 0));
    }
}
