// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.verbs;

/**
 * What one side says when it connects or accepts, see rdma_connect(3).
 *
 * @param privateData sent along, at most {@value #MAX_CONNECT_BYTES} bytes when connecting and {@value #MAX_ACCEPT_BYTES} when
 *     accepting
 * @param responderResources most READs and atomics of the other side that are executed at once
 * @param initiatorDepth most READs and atomics of this side that are under way at once
 * @param retryCount how often a request without acknowledgement is sent again, at most 7
 * @param rnrRetryCount how often a SEND to a receiver without buffers is sent again, 7 for as long as the connection stands
 */
@SuppressWarnings("ArrayRecordComponent") // Goes from its maker to the connection manager.
public record ConnectionParameters(
        byte[] privateData, int responderResources, int initiatorDepth, int retryCount, int rnrRetryCount) {
    /** Most bytes of private data in a connection request. */
    public static final int MAX_CONNECT_BYTES = 56;
    /** Most bytes of private data in an acceptance. */
    public static final int MAX_ACCEPT_BYTES = 196;
}
