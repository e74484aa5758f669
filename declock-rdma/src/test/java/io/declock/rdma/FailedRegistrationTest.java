// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Who has too little locked memory tries to connect again and again: each time the memory that could not be registered is given back.
 * What is not given back is seen in what the process occupies.
 */
@Timeout(120)
class FailedRegistrationTest {
    private static final int MEBIBYTE = 1 << 20;

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
    void aSessionsMemoryIsGivenBack() throws Exception {
        RegionGrant grant = new RegionGrant(0x10000, 4096, 0x42);
        refuses(300, () -> new ChainSlots(backend, null, grant, 128, 64));
    }

    @Test
    void thatOfMessagesToAPeerToo() throws Exception {
        refuses(20_000, () -> new PeerQueue(backend, null, null, 64, new RdmaCounters(), cause -> {}, message -> {}));
    }

    private void refuses(int times, ThrowingCallable making) throws IOException {
        long before = occupiedBytes();
        for (int i = 0; i < times; i++) {
            assertThatThrownBy(making).isInstanceOf(IOException.class).hasMessageContaining("ENOMEM");
        }
        assertThat(backend.bytes).as("what was asked for in all").isGreaterThan(150L * MEBIBYTE);
        assertThat(occupiedBytes() - before).as("what is occupied still").isLessThan(backend.bytes / 2);
    }

    /** Returns how much memory of the process is neither backed by files nor Java's heap, which grows as it likes. */
    private static long occupiedBytes() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("RssAnon:")) {
                long anonymous = Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
                return anonymous - Runtime.getRuntime().totalMemory();
            }
        }
        throw new IOException("/proc/self/status tells no RssAnon");
    }
}
