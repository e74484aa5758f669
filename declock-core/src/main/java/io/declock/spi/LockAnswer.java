// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import io.declock.LockView;
import java.util.List;

/**
 * A compute node's answer to a {@link LockInquiry}.
 *
 * @param number the inquiry's number
 * @param uses the holds and waits when the inquiry arrived, the holds first and of these the youngest; at most {@value #MOST_USES}
 * @param more how many there are besides
 */
public record LockAnswer(long number, List<LockUse> uses, int more) {
    /** Most holds and waits in an answer. */
    public static final int MOST_USES = 32;

    /** {@return the answer for a memory node of a release that knows no kept locks: without them} */
    public LockAnswer withoutKept() {
        return new LockAnswer(
                number,
                uses.stream().filter(use -> use.state() != LockView.State.KEPT).toList(),
                more);
    }

    /** Copies the list. */
    public LockAnswer {
        uses = List.copyOf(uses);
    }
}
