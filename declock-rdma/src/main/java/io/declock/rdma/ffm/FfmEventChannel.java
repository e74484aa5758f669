// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.declock.rdma.verbs.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A {@code struct rdma_event_channel}, its ids by pointer (DiSNI compares ids by identity), and a descriptor that wakes the thread
 * waiting for events. Thread-safe.
 */
final class FfmEventChannel extends RdmaEventChannel {
    private final MemorySegment pointer;
    private final int wakeFd;
    private final Map<Long, RdmaCmId> ids = new ConcurrentHashMap<>();

    FfmEventChannel(MemorySegment pointer, int wakeFd) throws IOException {
        super(pointer.get(JAVA_INT, Layouts.offset(Layouts.RDMA_EVENT_CHANNEL, "fd")));
        this.pointer = pointer;
        this.wakeFd = wakeFd;
    }

    MemorySegment pointer() {
        return pointer;
    }

    int wakeFd() {
        return wakeFd;
    }

    Map<Long, RdmaCmId> ids() {
        return ids;
    }
}
