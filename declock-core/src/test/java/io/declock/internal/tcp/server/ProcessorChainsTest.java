// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.Purpose;
import io.declock.Verb;
import io.declock.internal.chains.ExecutedChains;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.memorynode.ResolveAnswer;
import io.declock.internal.tcp.wire.BadFrameException;
import io.declock.internal.tcp.wire.ChainFrame;
import io.declock.internal.tcp.wire.FrameBody;
import io.declock.spi.ExtendedAtomics;
import io.declock.spi.FabricException;
import io.declock.spi.JoinRequest;
import io.declock.spi.ManualTime;
import io.declock.spi.RecordingListener;
import io.declock.spi.Resolution;
import io.declock.spi.TestChain;
import io.declock.spi.TestProcess;
import io.declock.spi.VerbChain;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ProcessorChainsTest {
    private static final int HEADER = Integer.BYTES + 1;

    private final ManualTime time = new ManualTime();
    private final MemoryNode node = MemoryNode.create(
            MemoryNodeSettings.builder("mn")
                    .records(16)
                    .queueCapacity(8)
                    .waitOutOldSessions(false)
                    .build(),
            time,
            time,
            () -> 42);
    private final ProcessorChains chains = new ProcessorChains(node);
    private final ExecutedChains executed = new ExecutedChains();

    @BeforeEach
    void useARecord() throws FabricException {
        node.join(new JoinRequest(TestProcess.id(), 1, "cn", "", 0, 1_000_000_000L), new RecordingListener())
                .resolve("ns:x".getBytes(StandardCharsets.UTF_8), true, new ResolveAnswer() {
                    @Override
                    public void resolved(@Nullable Resolution resolution) {}

                    @Override
                    public void refused(FabricException.Refused refusal) {
                        throw new AssertionError(refusal);
                    }
                });
    }

    @AfterEach
    void close() {
        node.close();
    }

    private ByteBuf accept(VerbChain chain) throws BadFrameException {
        ByteBuf frame = Unpooled.buffer();
        ChainFrame.writeChain(frame, executed.next(), 0, chain);
        ByteBuf answer = Unpooled.buffer();
        chains.accept(executed, new FrameBody().wrap(frame, HEADER, frame.readableBytes() - HEADER), answer);
        return answer.skipBytes(HEADER + Integer.BYTES);
    }

    private static VerbChain chain() {
        return TestChain.forPurpose(Purpose.ACQUIRE);
    }

    /** A session that goes on with another connection gets the same answer. */
    @Test
    void whatAnExtendedAtomicFoundIsAnsweredAndRemembered() throws BadFrameException {
        accept(chain().write(16, new long[] {40, 50}));
        ByteBuf answer =
                accept(chain().maskedFetchAndAdd(16, new long[] {1, 2, 0, 0}).read(16, 2));
        List<String> remembered = new ArrayList<>();
        executed.replay(1, (sequence, words) -> remembered.add(sequence + " " + Arrays.toString(words)));
        assertThat(remembered).containsExactly("1 [40, 50, 41, 52]");
        for (long word : new long[] {40, 50, 41, 52}) {
            assertThat(answer.readLongLE()).isEqualTo(word);
        }
        assertThat(answer.isReadable()).isFalse();
        assertThat(node.counts().get(Verb.MASKED_FETCH_AND_ADD)).isEqualTo(1);
    }

    @Test
    void anExtendedAtomicOutsideItsAddressesIsABadFrameAndNothingIsExecuted() throws BadFrameException {
        accept(chain().write(16, 7));
        for (long address : new long[] {8, 24, -16, node.region().sizeBytes(), 1L << 62}) {
            VerbChain chain = chain().write(16, 8)
                    .maskedCompareAndSwap(address, new long[ExtendedAtomics.COMPARE_AND_SWAP_OPERANDS]);
            assertThatThrownBy(() -> accept(chain)).isInstanceOf(BadFrameException.class);
        }
        assertThat(accept(chain().read(16, 1)).readLongLE()).isEqualTo(7);
    }
}
