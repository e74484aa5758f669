// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import java.util.concurrent.atomic.AtomicLong;

/** Ids of processes for tests: two that join with the same one would end each other's sessions. */
public final class TestProcess {
    private static final AtomicLong LAST = new AtomicLong(1 << 20);

    private TestProcess() {}

    /** Returns the id of a process that nobody else is. */
    public static long id() {
        return LAST.incrementAndGet();
    }
}
