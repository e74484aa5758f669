// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.index;

/** The write locks of a tree's nodes as one client uses them. It holds one at a time. */
interface NodeLocks {
    /** Asks for a lock, which the client has when the function is called. */
    void acquire(int lock, Runnable granted);

    /** Gives it back. */
    void release(int lock, Runnable released);
}
