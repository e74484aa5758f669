// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

/** What to do when a lock is taken inside a transaction of the caller, and would be given back before that transaction is committed. */
public enum CallersTransactionPolicy {
    /** Refuse the call. */
    FAIL,
    /** Log a warning, once per method. */
    WARN,
    /** Do not check. */
    IGNORE
}
