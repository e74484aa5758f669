// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

/**
 * When a release FAA is chained with a READ of the queue. With the READ, a successor that has written its entry is granted the lock one
 * round trip sooner. Without it, the releaser READs the queue only if the FAA found a waiter.
 */
public enum ReleaseRead {
    /** With every release, as in the paper. */
    ALWAYS,
    /**
     * Always if a chain travels as one request, as over TCP. If each verb costs the adapters work, as with RDMA: only if a waiter is known,
     * if the holder had to wait itself, or if it held the lock for two round trips. In a shorter hold hardly any waiter can both arrive and
     * write its entry, so the READ would find none or would have to be repeated.
     */
    ADAPTIVE,
    /** Only if a waiter is known. */
    KNOWN
}
