// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring;

/** When a plain locked method gives its lock back. */
public enum Release {
    /** When the method has ended. A transaction that the method runs has ended before. */
    AFTER_METHOD,
    /**
     * When a transaction that the method's caller has begun is completed, so that the next holder sees what was written. The transaction is committed
     * only while the lock is held, unless {@link OnLost#LOG} says otherwise. Without such a transaction, and for a method whose own transaction
     * is apart from it ({@code REQUIRES_NEW}), as {@link #AFTER_METHOD}. For methods that return neither a stage nor a reactive type.
     */
    AFTER_COMPLETION
}
