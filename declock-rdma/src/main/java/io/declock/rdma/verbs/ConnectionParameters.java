// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.verbs;

/**
 * The parameters with which one side connects or accepts, see rdma_connect(3).
 *
 * @param privateData private data for the other side, at most {@value #MAX_CONNECT_BYTES} bytes when connecting and
 *     196 when accepting
 * @param responderResources maximum number of READs and atomics of the other side that are executed at once
 * @param initiatorDepth maximum number of READs and atomics of this side in flight
 * @param retryCount how often a request without acknowledgement is sent again, at most 7
 * @param rnrRetryCount how often a SEND to a receiver without buffers is sent again, 7 for as long as the connection exists
 */
@SuppressWarnings("ArrayRecordComponent") // Passed from its maker to the connection manager; never compared.
public record ConnectionParameters(
        byte[] privateData, int responderResources, int initiatorDepth, int retryCount, int rnrRetryCount) {
    /** Maximum number of bytes of private data in a connection request. */
    public static final int MAX_CONNECT_BYTES = 56;
}
