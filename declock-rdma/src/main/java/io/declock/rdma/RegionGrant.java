// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

/**
 * The memory of a memory node that one session may use.
 *
 * @param address address of the region in the memory node's address space
 * @param length length in bytes
 * @param key remote key, valid on the session's own connection only
 */
public record RegionGrant(long address, long length, int key) {}
