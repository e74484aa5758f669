// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.time;

/** A monotonic clock. Thread-safe. */
@FunctionalInterface
public interface Clock {
    /** Returns nanoseconds since an arbitrary origin; never goes back. */
    long nanoTime();
}
