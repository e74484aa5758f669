// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import io.declock.rdma.verbs.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import org.jspecify.annotations.Nullable;

/** A {@code struct rdma_cm_event}, valid until it is acknowledged; its private data is copied. */
@SuppressWarnings("restricted") // The libraries return pointers without a size; reinterpret sets it.
final class FfmCmEvent extends RdmaCmEvent {
    private static final StructLayout LAYOUT = Layouts.RDMA_CM_EVENT;

    private final MemorySegment pointer;
    private final byte[] privateData;

    @SuppressWarnings("NullAway") // An event has no listening id unless it is a request; DiSNI is not annotated.
    FfmCmEvent(MemorySegment pointer, @Nullable RdmaCmId listenId, RdmaCmId id) throws IOException {
        super(pointer.get(JAVA_INT, Layouts.offset(LAYOUT, "event")), listenId, id);
        this.pointer = pointer;
        this.status = pointer.get(JAVA_INT, Layouts.offset(LAYOUT, "status"));
        this.privateData = copyPrivateData(pointer);
    }

    private static byte[] copyPrivateData(MemorySegment event) {
        MemorySegment data = event.get(ADDRESS, Layouts.offset(LAYOUT, "private_data"));
        int length = event.get(JAVA_BYTE, Layouts.offset(LAYOUT, "private_data_len")) & 0xFF;
        return data.address() == 0 ? new byte[0] : data.reinterpret(length).toArray(JAVA_BYTE);
    }

    MemorySegment pointer() {
        return pointer;
    }

    byte[] privateData() {
        return privateData;
    }
}
