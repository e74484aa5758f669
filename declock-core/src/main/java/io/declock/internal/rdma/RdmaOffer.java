// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.rdma;

/**
 * The address and the token for an RDMA connection to a memory node.
 *
 * @param host address, never a name; empty or a wildcard for the address at which the memory node is reached over TCP
 * @param port port, in the port space of RDMA connections
 * @param token token to present there; valid once, for one session, while that session lives
 */
@SuppressWarnings("ArrayRecordComponent") // Goes from its maker to the connecting side; tokens are never compared.
public record RdmaOffer(String host, int port, byte[] token) {}
