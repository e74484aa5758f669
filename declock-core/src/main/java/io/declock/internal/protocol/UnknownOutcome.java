// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.internal.layout.LockHeader;
import io.declock.spi.VerbResults;

/**
 * The results of an FAA or CAS that may have been executed or not, because an adapter's connection broke before they arrived (rule G6 of
 * docs/protocol.md).
 *
 * <ol>
 * <li>This node freezes the lock and asks for a reset, which makes the header count what the users really have.
 * <li>The operation ends as if it had met that reset: a position that was to be taken does not count (rule B1), one that was given back is
 * gone and grants nobody the lock (rule B11), and a CAS has failed.
 * <li>Until the reset is over this node changes the header no more: the release of a hold is put off, as after an acknowledgement (rule
 * B12.1).
 * </ol>
 */
final class UnknownOutcome implements VerbResults {
    private final long header;

    private UnknownOutcome(long header) {
        this.header = header;
    }

    /** Returns results that show the lock in a reset of an epoch. */
    static UnknownOutcome asInReset(long epoch) {
        return new UnknownOutcome(LockHeader.inReset(LockHeader.pack(epoch, 0, 1, 1)));
    }

    @Override
    public long word(int verb, int word) {
        return header;
    }
}
