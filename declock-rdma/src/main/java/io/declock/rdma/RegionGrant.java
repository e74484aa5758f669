// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

/**
 * What a memory node lets one session use of its memory.
 *
 * @param address where the region begins in the memory node's address space
 * @param length bytes
 * @param key remote key, valid on the session's own connection only
 */
public record RegionGrant(long address, long length, int key) {}
