// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.MemoryNodeAddress;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import org.junit.jupiter.api.Test;

class CandidateRoundTest {
    private final CandidateRound round = new CandidateRound(MemoryNodeAddress.parse("a|b|c"));

    private String first() {
        return round.present().host();
    }

    private static FabricException.Refused refused(Reason reason) {
        return new FabricException.Refused(reason, reason.name());
    }

    @Test
    void eachIsAskedOnceBeforeAPause() {
        assertThat(first()).isEqualTo("a");
        assertThat(round.failed(new FabricException("one"))).isTrue();
        assertThat(first()).isEqualTo("b");
        assertThat(round.failed(new FabricException("two"))).isTrue();
        assertThat(round.failed(new FabricException("three"))).isFalse();
        assertThat(round.problems()).isEqualTo("one; two; three");
        round.beginAnew();
        assertThat(round.problems()).isEmpty();
        assertThat(first()).isEqualTo("a");
    }

    @Test
    void afterABreakAnotherOneIsAskedFirst() {
        round.failed(new FabricException("one"));
        round.beginAnew();
        assertThat(first()).isEqualTo("b");
        round.beginWithNext();
        assertThat(first()).isEqualTo("c");
    }

    @Test
    void aRefusalLastsUnlessACandidateMayStillServe() {
        round.failed(refused(Reason.STANDS_BY));
        round.failed(refused(Reason.BAD_SECRET));
        round.failed(refused(Reason.STANDS_BY));
        assertThat(round.refusal()).isNotNull();
        round.beginAnew();
        round.failed(refused(Reason.BAD_SECRET));
        round.failed(new FabricException("cannot connect"));
        round.failed(refused(Reason.STANDS_BY));
        assertThat(round.refusal()).isNull();
        round.beginAnew();
        round.failed(refused(Reason.BAD_SECRET));
        round.failed(refused(Reason.NOT_YET));
        round.failed(refused(Reason.STANDS_BY));
        assertThat(round.refusal()).isNull();
    }
}
