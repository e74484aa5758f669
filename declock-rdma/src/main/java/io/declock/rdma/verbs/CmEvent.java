// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.verbs;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import org.jspecify.annotations.Nullable;

/**
 * An event of the connection manager, copied.
 *
 * @param type what happened
 * @param status 0, or why it failed: a negative error number, or a reject reason; {@link #UNTOLD} if the provider cannot tell
 * @param id the connection it is about
 * @param listenId who listens, for a request only
 * @param privateData what the other side sent along; the connection manager may pad it with zeros
 */
@SuppressWarnings("ArrayRecordComponent") // Handed from one thread to another; nobody compares events.
public record CmEvent(
        EventType type, int status, RdmaCmId id, @Nullable RdmaCmId listenId, byte[] privateData) {
    /** Status of events whose provider drops it. */
    public static final int UNTOLD = Integer.MIN_VALUE;

    /** Returns what happened, for people. */
    public String describe() {
        return type + (status == UNTOLD ? "" : " (status " + status + ")");
    }
}
