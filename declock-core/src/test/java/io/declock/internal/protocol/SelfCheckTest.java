// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import static io.declock.internal.protocol.Words.EPOCH;
import static io.declock.internal.protocol.Words.header;
import static org.assertj.core.api.Assertions.assertThat;

import io.declock.internal.layout.LockHeader;
import io.declock.internal.protocol.SelfCheck.Verdict;
import org.junit.jupiter.api.Test;

/** Rules A3 and A8 of docs/protocol.md, for a waiter. */
class SelfCheckTest {
    private final Words queue = new Words(8);

    private Verdict judge(int index, boolean exclusive) {
        return SelfCheck.judge(queue.layout(), EPOCH, index, exclusive, queue);
    }

    @Test
    void aWriterOwnsTheLockWhenItsIndexIsTheHead() {
        queue.writer(5).header(header(4, 2, 2));
        assertThat(judge(5, true)).isEqualTo(Verdict.WAIT);
        queue.header(header(5, 1, 1));
        assertThat(judge(5, true)).isEqualTo(Verdict.GRANTED);
    }

    @Test
    void aReaderOwnsTheLockWhenEveryoneBeforeItHasLeft() {
        queue.reader(5).header(header(5, 1, 0));
        assertThat(judge(5, false)).isEqualTo(Verdict.GRANTED);
        queue.header(header(7, 1, 1));
        assertThat(judge(5, false)).as("readers behind it left earlier").isEqualTo(Verdict.GRANTED);
    }

    @Test
    void aReaderOwnsTheLockWhenEveryWriterIsBehindIt() {
        queue.reader(5).reader(6).writer(7).header(header(4, 4, 1));
        assertThat(judge(6, false)).isEqualTo(Verdict.GRANTED);
        queue.empty(7);
        assertThat(judge(6, false)).as("the writer's entry is not filled yet").isEqualTo(Verdict.WAIT);
        queue.writer(7).header(header(4, 4, 2));
        assertThat(judge(6, false)).as("there is another writer").isEqualTo(Verdict.WAIT);
    }

    @Test
    void anEntryBeforeItThatSaysReaderProvesNothing() {
        queue.reader(4).reader(5).header(header(4, 2, 1));
        assertThat(judge(5, false)).as("the reader at 4 has upgraded").isEqualTo(Verdict.WAIT);
    }

    @Test
    void aWriterThatCameAfterTheHeaderWasReadDoesNotCount() {
        queue.writer(4).reader(5).writer(6).header(header(4, 2, 1));
        assertThat(judge(5, false)).isEqualTo(Verdict.WAIT);
    }

    @Test
    void aMissingEntryIsNoticed() {
        queue.header(header(4, 2, 2));
        assertThat(judge(5, true)).isEqualTo(Verdict.ENTRY_MISSING);
        queue.entry(5, true, queue.layout().version(5), EPOCH - 1);
        assertThat(judge(5, true)).isEqualTo(Verdict.ENTRY_MISSING);
        queue.entry(5, true, queue.layout().version(5) - 1, EPOCH);
        assertThat(judge(5, true)).isEqualTo(Verdict.ENTRY_MISSING);
    }

    @Test
    void aResetIsNoticed() {
        queue.writer(5).header(LockHeader.inReset(header(5, 1, 1)));
        assertThat(judge(5, true)).isEqualTo(Verdict.RESET);
        queue.header(LockHeader.pack(EPOCH + 1, 5, 1, 1));
        assertThat(judge(5, true)).isEqualTo(Verdict.OTHER_EPOCH);
    }
}
