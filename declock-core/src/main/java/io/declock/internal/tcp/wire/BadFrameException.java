// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

/** A frame is malformed; its connection must be closed. */
public final class BadFrameException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Makes one with a description of the error. */
    public BadFrameException(String message) {
        // Without a stack trace, because an attacker may send bad frames at a high rate.
        super(message, null, false, false);
    }
}
