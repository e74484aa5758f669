// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

/** A frame makes no sense; its connection must be closed. */
public final class BadFrameException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Makes one that says what is wrong. */
    public BadFrameException(String message) {
        // Without a stack trace: anyone may send bad frames as fast as he can.
        super(message, null, false, false);
    }
}
