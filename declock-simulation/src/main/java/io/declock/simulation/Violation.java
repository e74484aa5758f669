// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import org.jspecify.annotations.Nullable;

/** A property of the lock did not hold in a simulated run. */
public final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Code under test may catch an exception of a checker, as it isolates its listeners: the run must learn of it nevertheless. */
    private static final ThreadLocal<@Nullable Violation> FIRST = new ThreadLocal<>();

    /** Makes one that names the property and describes the violation. */
    public Violation(String property, String what) {
        this(property, what, null);
    }

    /** Makes one that was noticed through an exception of the code under test. */
    public Violation(String property, String what, @Nullable Throwable cause) {
        super(property + ": " + what, cause);
        if (FIRST.get() == null) {
            FIRST.set(this);
        }
    }

    /** Forgets the violations of this thread's former runs. */
    static void forget() {
        FIRST.remove();
    }

    /** Throws the first violation since {@link #forget} on this thread, if there was one. */
    static void throwFirst() {
        Violation first = FIRST.get();
        if (first != null) {
            throw first;
        }
    }
}
