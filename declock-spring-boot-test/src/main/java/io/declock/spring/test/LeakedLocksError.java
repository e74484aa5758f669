// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.test;

/** A test has left locks behind. */
final class LeakedLocksError extends AssertionError {
    private static final long serialVersionUID = 1L;

    LeakedLocksError(String message) {
        super(message);
    }
}
