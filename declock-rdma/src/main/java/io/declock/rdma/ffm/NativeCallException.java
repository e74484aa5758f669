// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import io.declock.rdma.verbs.Errno;
import java.io.IOException;

/** A function of libibverbs, librdmacm or libc failed; names the function and the error. */
public final class NativeCallException extends IOException {
    private static final long serialVersionUID = 1L;

    private final String function;
    private final int errno;

    /**
     * Makes an exception for one failed call.
     *
     * @param function C name of the function
     * @param errno the value of {@code errno} that it set or returned
     */
    public NativeCallException(String function, int errno) {
        super(function + ": " + Errno.describe(errno));
        this.function = function;
        this.errno = errno;
    }

    /** Returns the C name of the function. */
    public String function() {
        return function;
    }

    /** Returns the error's number, see errno(3). */
    public int errno() {
        return errno;
    }
}
