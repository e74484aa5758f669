// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.verbs;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import org.jspecify.annotations.Nullable;

/**
 * A copied event of the connection manager.
 *
 * @param type type of the event
 * @param status 0, or the cause of a failure: a negative error number, or a reject reason; {@link #UNTOLD} if the provider drops it
 * @param id id of the connection
 * @param listenId id of the listener, for a request only
 * @param privateData private data of the other side; the connection manager may pad it with zeros
 */
@SuppressWarnings("ArrayRecordComponent") // Passed from one thread to another; events are never compared.
public record CmEvent(
        EventType type, int status, RdmaCmId id, @Nullable RdmaCmId listenId, byte[] privateData) {
    /** The status of an event where the provider drops the real one. */
    public static final int UNTOLD = Integer.MIN_VALUE;

    /** Returns type and status as text for messages. */
    public String describe() {
        return type + (status == UNTOLD ? "" : " (status " + status + ")");
    }
}
