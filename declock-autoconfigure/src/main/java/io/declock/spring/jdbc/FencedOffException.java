// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.jdbc;

import io.declock.DecLockException;

/**
 * A write came too late: the row was already written under a lock that was granted later. The writer's lock had been lost; its
 * transaction should be rolled back.
 */
public class FencedOffException extends DecLockException {
    private static final long serialVersionUID = 1L;

    /** The token of the write that was refused. */
    private final long token;

    /** The token that the row carries. */
    private final long stored;

    /**
     * Makes one for a write under {@code token} to a row that carries {@code stored}.
     *
     * @param what table and row
     * @param token the token of the refused write
     * @param stored the token in the row, as far as the transaction sees it
     */
    public FencedOffException(String what, long token, long stored) {
        super(what + " was not written: it carries "
                + (stored > token ? "fencing token " + stored + ", which is newer" : "a fencing token that is newer")
                + " than " + token + ". The lock was lost and granted to another holder, which has already written.");
        this.token = token;
        this.stored = stored;
    }

    /** {@return the token of the write that came too late} */
    public long token() {
        return token;
    }

    /** {@return the token that the row carries, lower than {@link #token} if the transaction reads a snapshot from before that was written} */
    public long stored() {
        return stored;
    }
}
