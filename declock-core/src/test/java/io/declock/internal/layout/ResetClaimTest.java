// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.layout;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ResetClaimTest {
    private static final long HIGHEST_EPOCH = 0xFFFF_FFFFL;

    @Test
    void namesOneSessionAndItsEpoch() {
        long claim = ResetClaim.pack(QueueEntry.MAX_NODE_ID, 77, HIGHEST_EPOCH);
        assertThat(ResetClaim.nodeId(claim)).isEqualTo(QueueEntry.MAX_NODE_ID);
        assertThat(ResetClaim.epoch(claim)).isEqualTo(HIGHEST_EPOCH);
        assertThat(ResetClaim.isOf(claim, QueueEntry.MAX_NODE_ID, 77)).isTrue();
        assertThat(ResetClaim.isOf(claim, QueueEntry.MAX_NODE_ID, 78)).isFalse();
        assertThat(ResetClaim.isOf(claim, 1, 77)).isFalse();
    }

    @Test
    void nobodysClaimIsOlderThanEveryEpoch() {
        assertThat(ResetClaim.epoch(ResetClaim.NONE)).isZero();
        assertThat(ResetClaim.nodeId(ResetClaim.NONE)).isZero();
    }
}
