// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.Purpose;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.QueueEntry;
import io.declock.internal.layout.RecordLayout;
import io.declock.internal.layout.ResetClaim;
import io.declock.spi.PeerMessage;
import io.declock.spi.StoredValue;
import io.declock.spi.TestChain;
import io.declock.spi.VerbChain;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The frames and the words in memory are byte for byte those of the version that they call themselves, as recorded when that version was
 * made: services and memory nodes of another release rely on it. A change needs a new version, and a record of it
 * ({@code -Ddeclock.test.extraJvmArgs=-Ddeclock.wire.record=} with the path of the new file).
 */
class WireFreezeTest {
    private static final int SAMPLES = 3;

    private static List<String> present(int version) {
        List<String> lines = new ArrayList<>();
        for (FrameType type : FrameType.values()) {
            for (int seed = 0; seed < SAMPLES; seed++) {
                ByteBuf out = Unpooled.buffer();
                FrameSample.of(type, new Random(seed), version).write(out);
                lines.add(type + " " + ByteBufUtil.hexDump(out));
            }
        }
        if (version >= Wire.EXTENDED_ATOMICS_VERSION) {
            lines.add(extendedAtomic(TestChain.forPurpose(Purpose.ACQUIRE)
                    .maskedCompareAndSwap(48, new long[] {1, 2, 3, 4, 5, 6, 7, 8})));
            lines.add(extendedAtomic(
                    TestChain.forPurpose(Purpose.ACQUIRE).maskedFetchAndAdd(64, new long[] {1, 2, 3, 4})));
        }
        if (version >= Wire.VALUES_VERSION) {
            lines.add(grant(null));
            lines.add(grant(new StoredValue(7, "writer", new byte[] {1, 2, 3})));
        }
        ByteBuf preamble = Unpooled.buffer();
        Preamble.of(Wire.ROLE_SESSION, 0, new byte[Wire.SECRET_BYTES]).write(preamble);
        lines.add("preamble " + ByteBufUtil.hexDump(preamble));
        RecordLayout layout = new RecordLayout(RecordLayout.DEFAULT_CAPACITY);
        lines.add("header " + Long.toHexString(LockHeader.inReset(LockHeader.pack(0x1234, 0x56789A, 0xBCD, 0x123))));
        lines.add("entry " + Long.toHexString(QueueEntry.pack(true, 0xABC, 0x2D, 0x2_1234, 0x5, 0x7A_BCDE)));
        lines.add("claim " + Long.toHexString(ResetClaim.pack(0xABC, 0xDEF01, 0x1234_5678L)));
        lines.add("record " + layout.epoch(0) + " " + layout.entries(0) + " " + layout.claim(0) + " "
                + layout.strideBytes());
        return lines;
    }

    /** A grant that tells of a value, or that there is none. */
    private static String grant(@Nullable StoredValue value) {
        ByteBuf out = Unpooled.buffer();
        PeerFrames.writePeerMessage(
                out,
                RandomContent.telling(
                        new PeerMessage(PeerMessage.Kind.GRANT, 1, 2, 3, 4, 5, 64, 7, 8, 9, new long[] {10}), value));
        return "grant with " + (value == null ? "no value " : "a value ") + ByteBufUtil.hexDump(out);
    }

    private static String extendedAtomic(VerbChain chain) {
        ByteBuf out = Unpooled.buffer();
        ChainFrame.writeChain(out, 7, 7, chain);
        return chain.verb(0) + " " + ByteBufUtil.hexDump(out);
    }

    @Test
    void framesAndWordsAreThoseOfTheirVersion() throws IOException {
        String path = System.getProperty("declock.wire.record");
        if (path != null) {
            Files.write(Path.of(path), present(Wire.VERSION));
        }
        assertThat(present(Wire.VERSION)).containsExactlyElementsOf(recorded(Wire.VERSION));
    }

    /** A frame for the other side of a version before is as it was in that version: so one side of each version understands the other. */
    @Test
    void framesOfTheVersionBeforeAreUnchanged() throws IOException {
        for (int version = Wire.OLDEST_VERSION; version < Wire.VERSION; version++) {
            assertThat(present(version))
                    .as("version %d", version)
                    .containsAll(recorded(version).stream()
                            .filter(line -> !line.startsWith("preamble "))
                            .toList());
        }
    }

    private List<String> recorded(int version) throws IOException {
        String name = "wire-" + version + ".txt";
        try (InputStream recorded = getClass().getResourceAsStream(name)) {
            assertThat(recorded).as(name).isNotNull();
            return new String(recorded.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        }
    }
}
