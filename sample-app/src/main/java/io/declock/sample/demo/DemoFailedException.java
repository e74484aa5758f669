// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.demo;

import org.jspecify.annotations.Nullable;

/** Thrown when the demonstration could not run. */
class DemoFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    DemoFailedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    DemoFailedException(String message) {
        this(message, null);
    }
}
