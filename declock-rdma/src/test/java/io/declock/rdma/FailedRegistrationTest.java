// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import io.declock.spi.PeerMessage;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.invoke.MethodHandle;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A process with too little locked memory tries to connect again and again: each time the memory that could not be registered is freed.
 * Memory that is not freed shows in the C library's allocations of the process.
 */
@Timeout(120)
class FailedRegistrationTest {
    private static final int MEBIBYTE = 1 << 20;

    // As mallinfo(3) has them: hblkhd and uordblks.
    private static final int BYTES_OF_MAPPINGS = 4;
    private static final int BYTES_OF_CHUNKS = 7;
    private static final MemoryLayout MALLINFO2 = MemoryLayout.structLayout(
            IntStream.range(0, 10).mapToObj(i -> JAVA_LONG).toArray(MemoryLayout[]::new));

    private static final PeerMessage MESSAGE =
            new PeerMessage(PeerMessage.Kind.GRANT, 7, 1, 2, 3, 4, 64, 5, 1, 6, new long[] {8, 9});

    private final Refusing backend = new Refusing();

    /** Registers nothing. */
    private static final class Refusing extends RecordingBackend {
        long bytes;

        @Override
        public IbvMr register(IbvPd pd, long address, long length, int access) throws IOException {
            bytes += length;
            throw new IOException("ibv_reg_mr: Cannot allocate memory (ENOMEM, errno 12)");
        }
    }

    @Test
    void aSessionsMemoryIsGivenBack() throws Throwable {
        RegionGrant grant = new RegionGrant(0x10000, 4096, 0x42);
        refuses(300, () -> new ChainSlots(backend, null, grant, 128, 64));
    }

    @Test
    void thatOfMessagesToAPeerToo() throws Throwable {
        refuses(20_000, () -> new PeerQueue(backend, null, null, 64, new RdmaCounters(), cause -> {}, message -> {}));
    }

    /** The adapter may still write to it: better lost than somebody else's. */
    @Test
    void aSessionsMemoryThatCannotBeDeregisteredIsKept() throws Exception {
        RecordingBackend device = new RecordingBackend();
        RegionGrant grant = new RegionGrant(0x10000, 4096, 0x42);
        ChainSlots kept = new ChainSlots(device, null, grant, 4, 64);
        ChainSlots freed = new ChainSlots(device, null, grant, 4, 64);
        device.keepsRegistrations = true;
        kept.release();
        device.keepsRegistrations = false;
        freed.release();

        assertThat(kept.word(0, 0, 0)).isZero();
        assertThatThrownBy(() -> freed.word(0, 0, 0)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void thatOfMessagesToAPeerIsKeptToo() throws Exception {
        RecordingBackend device = new RecordingBackend();
        PeerQueue kept = queue(device);
        PeerQueue freed = queue(device);
        device.keepsRegistrations = true;
        assertThatThrownBy(kept::release).isInstanceOf(IOException.class).hasMessageContaining("EBUSY");
        device.keepsRegistrations = false;
        freed.release();

        assertThat(kept.offer(MESSAGE)).isTrue();
        assertThatThrownBy(() -> freed.offer(MESSAGE)).isInstanceOf(IllegalStateException.class);
    }

    private static PeerQueue queue(RecordingBackend device) throws IOException {
        PeerQueue queue = new PeerQueue(device, null, null, 64, new RdmaCounters(), cause -> {}, message -> {});
        queue.established();
        return queue;
    }

    private void refuses(int times, ThrowingCallable making) throws Throwable {
        long before = occupiedBytes();
        for (int i = 0; i < times; i++) {
            assertThatThrownBy(making).isInstanceOf(IOException.class).hasMessageContaining("ENOMEM");
        }
        assertThat(backend.bytes).as("what was asked for in all").isGreaterThan(150L * MEBIBYTE);
        assertThat(occupiedBytes() - before).as("what is occupied still").isLessThan(backend.bytes / 2);
    }

    /** Returns how many bytes the C library has given out: what Java has outside of its heap, and whether a page was touched or not. */
    private static long occupiedBytes() throws Throwable {
        Linker linker = Linker.nativeLinker();
        MethodHandle mallinfo = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("mallinfo2"), FunctionDescriptor.of(MALLINFO2));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment info = (MemorySegment) mallinfo.invokeExact((SegmentAllocator) arena);
            return info.getAtIndex(JAVA_LONG, BYTES_OF_MAPPINGS) + info.getAtIndex(JAVA_LONG, BYTES_OF_CHUNKS);
        }
    }
}
