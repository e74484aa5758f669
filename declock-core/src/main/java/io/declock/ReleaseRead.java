// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

/**
 * When a release FAA is chained with a READ of the queue. With it, a successor that has written its entry is granted the lock a
 * round trip sooner; without, the READ is made only if the FAA found somebody.
 */
public enum ReleaseRead {
    /** With every release, as in the paper. */
    ALWAYS,
    /**
     * Always where a chain travels as one request, as over TCP; where each verb costs the adapters something, as with RDMA, only if
     * somebody is known to wait, if the holder had to wait itself, or if it held the lock for two round trips. In a shorter hold
     * hardly anybody both comes and gets its entry written, so the READ would find nobody or would have to be made again.
     */
    ADAPTIVE,
    /** Only if somebody is known to wait. */
    KNOWN
}
