// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import io.declock.rdma.DisniProvider;
import io.declock.rdma.verbs.CmEvent;
import io.declock.rdma.verbs.Layouts;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Events of the connection manager, from a library of the test's own whose functions lead back into this JVM. */
class FfmEventsTest {
    private final Arena arena = Arena.ofShared();
    private final MemorySegment event = arena.allocate(Layouts.RDMA_CM_EVENT);
    private final MemorySegment id = arena.allocate(Layouts.RDMA_CM_ID);
    private final List<Long> acknowledged = new ArrayList<>();
    private FfmBackend backend;
    private FfmEventChannel channel;
    private int eventfd;

    @BeforeEach
    void make() throws Exception {
        DisniProvider.ensure();
        LibC libc = LibC.load();
        MemorySegment next = function("next", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
        MemorySegment acknowledge = function("acknowledge", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
        Map<String, MemorySegment> functions = Map.of("rdma_get_cm_event", next, "rdma_ack_cm_event", acknowledge);
        // The others are bound and never called.
        NativeLibrary library =
                new NativeLibrary("the test's library", name -> Optional.of(functions.getOrDefault(name, next)));
        backend = new FfmBackend(
                new FfmLibraries(new LibIbverbs(library), new LibRdmaCm(library), libc, new FfmContexts(libc)));
        eventfd = libc.eventfd();
        channel = new FfmEventChannel(arena.allocate(Layouts.RDMA_EVENT_CHANNEL), eventfd);
        event.set(ADDRESS, Layouts.offset(Layouts.RDMA_CM_EVENT, "id"), id);
    }

    @AfterEach
    void free() throws Exception {
        LibC.load().close(eventfd);
        arena.close();
    }

    private MemorySegment function(String method, FunctionDescriptor descriptor) throws Exception {
        MethodHandle target = MethodHandles.lookup().bind(this, method, descriptor.toMethodType());
        return Linker.nativeLinker().upcallStub(target, descriptor, arena);
    }

    int next(long channelAddress, long result) {
        MemorySegment.ofAddress(result).reinterpret(Long.BYTES).set(ADDRESS, 0, event);
        return 0;
    }

    int acknowledge(long eventAddress) {
        acknowledged.add(eventAddress);
        return 0;
    }

    private CmEvent await(int type) throws Exception {
        event.set(JAVA_INT, Layouts.offset(Layouts.RDMA_CM_EVENT, "event"), type);
        return backend.awaitCmEvent(channel, 0);
    }

    /** An id with an event that was not acknowledged can never be destroyed: rdma_destroy_id waits for it. */
    @Test
    void anEventOfAnUnknownKindIsAcknowledgedAndPassedOver() throws Exception {
        assertThat(await(4711)).isNull();
        assertThat(await(-1)).isNull();
        assertThat(await(16)).isNull();
        assertThat(acknowledged).containsExactly(event.address(), event.address(), event.address());
    }

    @Test
    void aKnownOneIsAcknowledgedAndPassedOn() throws Exception {
        CmEvent known = await(11);
        assertThat(known.type()).isEqualTo(EventType.RDMA_CM_EVENT_DEVICE_REMOVAL);
        assertThat(((FfmCmId) known.id()).pointer().address()).isEqualTo(id.address());
        assertThat(acknowledged).containsExactly(event.address());
    }
}
