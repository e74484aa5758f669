// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.LockMode;
import org.junit.jupiter.api.Test;

/** What a holder has to see in the guarded words. */
class DataCheckerTest {
    private final DataChecker checker = new DataChecker();
    private final long[] words = new long[3];

    @Test
    void aReaderSeesWhatTheWriterLeft() {
        write();
        assertThatCode(() -> checker.entered(0, LockMode.READ, words.clone())).doesNotThrowAnyException();
    }

    @Test
    void anOldValueIsSeen() {
        long[] before = words.clone();
        write();
        assertViolation(before);
    }

    @Test
    void whatAWriterHadBeforeItsReleaseIsOld() {
        checker.entered(0, LockMode.WRITE, words);
        long[] before = words.clone();
        checker.leaves(0, LockMode.WRITE, words);
        assertViolation(before);
    }

    @Test
    void whatAWriterFoundIsOldAsSoonAsItHasCome() {
        long[] before = words.clone();
        checker.entered(0, LockMode.WRITE, words);
        assertViolation(before);
    }

    @Test
    void aTornValueIsSeen() {
        long[] before = words.clone();
        write();
        long[] torn = {words[0], words[1], before[2]};
        assertViolation(torn);
    }

    @Test
    void aChangeBesideAReaderIsSeen() {
        write();
        checker.entered(0, LockMode.READ, words);
        words[1]++;
        assertThatThrownBy(() -> checker.leaves(0, LockMode.READ, words)).isInstanceOf(Violation.class);
    }

    @Test
    void aReaderChangesNothing() {
        write();
        long[] before = words.clone();
        checker.entered(0, LockMode.READ, words);
        checker.leaves(0, LockMode.READ, words);
        assertThat(words).isEqualTo(before);
    }

    private void write() {
        checker.entered(0, LockMode.WRITE, words);
        checker.leaves(0, LockMode.WRITE, words);
    }

    private void assertViolation(long[] seen) {
        assertThatThrownBy(() -> checker.entered(0, LockMode.READ, seen))
                .isInstanceOf(Violation.class)
                .hasMessageContaining("data");
    }
}
