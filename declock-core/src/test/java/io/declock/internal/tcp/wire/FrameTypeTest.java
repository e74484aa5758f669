// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.declock.spi.Membership;
import io.declock.spi.PeerMessage;
import io.declock.spi.StoredValue;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each type of frame has one class that writes and reads it, and a row in docs/wire-protocol.md. */
class FrameTypeTest {
    private static final Path PAGE = Path.of("..", "docs", "wire-protocol.md");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| 0x([0-9A-F]{2}) \\| ([A-Z_]+) \\|");
    private static final int SEEDS = 10;

    private static final JavaClasses WIRE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackagesOf(FrameType.class);

    @Test
    void thePageListsEachTypeWithItsNumber() throws IOException {
        Map<String, Integer> rows = ROW.matcher(Files.readString(PAGE))
                .results()
                .collect(Collectors.toMap((MatchResult row) -> row.group(2), row -> Integer.valueOf(row.group(1), 16)));
        assertThat(rows)
                .isEqualTo(Arrays.stream(FrameType.values())
                        .collect(Collectors.toMap(FrameType::name, FrameType::number)));
        assertThat(FrameType.values()).allMatch(type -> FrameType.of(type.number()) == type);
        assertThat(FrameType.of(0xEE)).isNull();
    }

    @ParameterizedTest
    @EnumSource
    void oneClassWritesAndReadsIt(FrameType type) {
        String name = Arrays.stream(type.name().split("_"))
                .map(word -> word.charAt(0) + word.substring(1).toLowerCase())
                .collect(Collectors.joining());
        Set<String> writers = WIRE.stream()
                .filter(in -> !in.isEquivalentTo(FrameType.class) && !in.isEquivalentTo(Phase.class))
                .flatMap(in -> in.getFieldAccessesFromSelf().stream())
                .filter(access -> access.getTargetOwner().isEquivalentTo(FrameType.class)
                        && access.getTarget().getName().equals(type.name()))
                .map(access -> access.getOrigin().getName())
                .collect(Collectors.toSet());
        // Between peers AUTH has another content.
        assertThat(writers)
                .isEqualTo(type == FrameType.AUTH ? Set.of("writeAuth", "writePeerAuth") : Set.of("write" + name));
        assertThat(classesWith("write" + name)).hasSize(1).isEqualTo(classesWith("read" + name));
    }

    private static Set<String> classesWith(String method) {
        return WIRE.stream()
                .flatMap(in -> in.getMethods().stream())
                .filter(has -> has.getName().equals(method))
                .map(JavaMember::getOwner)
                .map(JavaClass::getSimpleName)
                .collect(Collectors.toSet());
    }

    private static ByteBuf written(FrameSample sample) {
        ByteBuf out = Unpooled.buffer();
        sample.write(out);
        return out;
    }

    /** Returns the body of a frame, within a buffer that goes on behind it. */
    private static FrameBody body(ByteBuf frame, int length) {
        return new FrameBody().wrap(frame, Integer.BYTES + 1, length);
    }

    @ParameterizedTest
    @EnumSource
    void whatIsWrittenIsReadAgainAndEveryPartOfItIsABadFrame(FrameType type) throws BadFrameException {
        for (int seed = 0; seed < SEEDS; seed++) {
            FrameSample sample = FrameSample.of(type, new Random(seed));
            ByteBuf frame = written(sample);
            int length = frame.readableBytes() - Integer.BYTES - 1;
            assertThat(frame.getIntLE(0)).isEqualTo(1 + length);
            assertThat(frame.getUnsignedByte(Integer.BYTES)).isEqualTo((short) type.number());
            assertThat(sample.read(body(frame, length)))
                    .as("seed %d", seed)
                    .usingRecursiveComparison()
                    .withEqualsForType(Membership::equals, Membership.class)
                    .isEqualTo(sample.value());
            frame.writeZero(1);
            for (int cut = 0; cut <= length + 1; cut++) {
                if (cut != length) {
                    assertThat(isBad(sample, body(frame, cut)))
                            .as("seed %d, %d of %d bytes", seed, cut, length)
                            .isTrue();
                }
            }
        }
    }

    /** Any exception but one fails the test. */
    private static boolean isBad(FrameSample sample, FrameBody body) {
        try {
            sample.read(body);
            return false;
        } catch (BadFrameException e) {
            return true;
        }
    }

    @Test
    void whatIsAboveItsBoundIsABadFrame() {
        long[] records = new long[Wire.MAX_RECLAIM + 1];
        refused(out -> ControlFrames.writeReclaimProposal(out, 1, records), ControlFrames::readReclaimProposal);
        refused(out -> ControlFrames.writeReclaimAnswer(out, 1, records), ControlFrames::readReclaimAnswer);
        byte[] name = new byte[Wire.MAX_TEXT + 1];
        refused(out -> ControlFrames.writeResolve(out, 1, name), ControlFrames::readResolve);
        refused(out -> ControlFrames.writeLookUp(out, 1, name), ControlFrames::readLookUp);
        byte[] grant = new byte[Wire.MAX_GRANT_BYTES + 1];
        refused(out -> RdmaFrames.writeRdmaGrantReply(out, 1, grant), RdmaFrames::readRdmaGrantReply);
        refused(out -> chain(out, 0), body -> new ChainFrame().readChain(body));
        refused(out -> chain(out, 4), body -> new ChainFrame().readChain(body));
        refused(out -> chain(out, 1, 0), body -> new ChainFrame().readChain(body));
        refused(out -> chain(out, 1, Wire.MAX_WORDS + 1), body -> new ChainFrame().readChain(body));
        refused(
                out -> out.writeZero(5)
                        .writeByte(PeerMessage.Kind.GRANT.code())
                        .writeZero(46)
                        .writeByte(PeerMessage.MAX_ENTRIES + 1)
                        .writeZero(8 * (PeerMessage.MAX_ENTRIES + 1)),
                PeerFrames::readPeerMessage);
    }

    @Test
    void onlyAGrantTellsOfAValueAndOnlySinceItsVersion() throws Exception {
        PeerMessage grant = RandomContent.telling(
                new PeerMessage(PeerMessage.Kind.GRANT, 1, 2, 3, 4, 5, 64, 7, 8, 9, new long[] {10}),
                new StoredValue(7, "writer", new byte[] {1}));
        assertThat(PeerFrames.inVersion(grant, Wire.VALUES_VERSION)).isSameAs(grant);
        PeerMessage former = PeerFrames.inVersion(grant, Wire.VALUES_VERSION - 1);
        assertThat(former.value()).isNull();
        ByteBuf out = Unpooled.buffer();
        PeerFrames.writeMessage(out, former);
        assertThat(PeerFrames.readPeerMessage(new FrameBody().wrap(out, 0, out.readableBytes())))
                .isEqualTo(former);
        out.clear();
        PeerFrames.writeMessage(out, grant);
        assertThat(PeerFrames.readPeerMessage(new FrameBody().wrap(out, 0, out.readableBytes())))
                .isEqualTo(grant);
        out.setByte(0, PeerMessage.Kind.WANTED.code());
        assertThatThrownBy(() -> PeerFrames.readPeerMessage(new FrameBody().wrap(out, 0, out.readableBytes())))
                .isInstanceOf(BadFrameException.class)
                .hasMessageContaining("only a grant");
    }

    /** An RDMA connection decides by it whether a value fits. */
    @Test
    void aMessageHasTheBytesThatItSays() {
        RandomContent content = new RandomContent(new Random(7), Wire.VERSION);
        for (int i = 0; i < 1_000; i++) {
            PeerMessage message = content.message();
            ByteBuf out = Unpooled.buffer();
            PeerFrames.writeMessage(out, message);
            assertThat(PeerFrames.messageBytes(message)).as("%s", message).isEqualTo(out.readableBytes());
        }
    }

    private static void chain(ByteBuf out, int verbs, int... words) {
        out.writeZero(9).writeByte(verbs);
        for (int count : words) {
            out.writeByte(Wire.OP_READ).writeLongLE(0).writeShortLE(count);
        }
    }

    private interface Reader {
        void read(FrameBody body) throws BadFrameException;
    }

    private static void refused(FrameConnection.Frame writer, Reader reader) {
        ByteBuf out = Unpooled.buffer();
        writer.write(out);
        FrameBody body = body(out, out.readableBytes() - Integer.BYTES - 1);
        assertThatThrownBy(() -> reader.read(body)).isInstanceOf(BadFrameException.class);
    }
}
