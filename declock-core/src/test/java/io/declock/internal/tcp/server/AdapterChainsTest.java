// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.Purpose;
import io.declock.Verb;
import io.declock.internal.memorynode.DataPlaneGate;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSession;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.memorynode.ResolveAnswer;
import io.declock.internal.tcp.wire.BadFrameException;
import io.declock.internal.tcp.wire.ChainDoneFrame;
import io.declock.internal.tcp.wire.ChainFrame;
import io.declock.internal.tcp.wire.FrameBody;
import io.declock.internal.tcp.wire.FrameType;
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
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Chains from frames that an adapter executes, which here ends them when the test says so. */
@Timeout(60)
class AdapterChainsTest {
    private static final int PAUSE_AT = 1024;
    private static final int RESUME_AT = 512;

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
    private final ServerConnection connection =
            new ServerConnection(new ServerContext(node, MemoryNodeServerSettings.DEFAULTS, null));
    private final EmbeddedChannel line = new EmbeddedChannel(connection);
    private final List<VerbChain> posted = new ArrayList<>();
    private final AdapterChains chains = new AdapterChains(posted::add, node, connection);
    private final List<String> events = new ArrayList<>();
    private MemoryNodeSession session;
    /** Where a record begins; memory that belongs to no record is not there yet. */
    private long address;

    @BeforeEach
    void join() throws FabricException {
        session = node.join(new JoinRequest(TestProcess.id(), 1, "cn", "", 0, 1_000_000_000L), new RecordingListener());
        chains.serve(session);
        session.resolve("ns:x".getBytes(StandardCharsets.UTF_8), true, new ResolveAnswer() {
            @Override
            public void resolved(@Nullable Resolution resolution) {
                address = Objects.requireNonNull(resolution).record();
            }

            @Override
            public void refused(FabricException.Refused refusal) {
                throw new AssertionError(refusal);
            }
        });
    }

    @AfterEach
    void close() {
        line.finishAndReleaseAll();
        node.close();
    }

    private static TestChain chain() {
        return TestChain.forPurpose(Purpose.ACQUIRE);
    }

    private void accept(int sequence, VerbChain chain) throws BadFrameException {
        ByteBuf frame = Unpooled.buffer();
        ChainFrame.writeChain(frame, sequence, 0, chain);
        int header = Integer.BYTES + 1;
        chains.accept(session.gate(), new FrameBody().wrap(frame, header, frame.readableBytes() - header));
        // The frame's buffer belongs to the connection again.
        frame.setZero(0, frame.capacity()).release();
    }

    private void acceptReads(int from, int to) throws BadFrameException {
        for (int sequence = from; sequence <= to; sequence++) {
            VerbChain read = chain().read(address, 1);
            accept(sequence, read);
        }
    }

    /** Ends the chain that was posted at {@code index}: every word that it asked for is {@code 100 * verb + word}. */
    private void complete(int index) {
        posted.get(index).completed((verb, word) -> 100L * verb + word);
        line.runPendingTasks();
    }

    private ByteBuf sent() {
        ByteBuf all = Unpooled.buffer();
        for (ByteBuf next = line.readOutbound(); next != null; next = line.readOutbound()) {
            all.writeBytes(next);
            next.release();
        }
        return all;
    }

    private static ByteBuf answer(int sequence, long... words) {
        ByteBuf out = Unpooled.buffer();
        ChainDoneFrame.writeChainDone(out, sequence, body -> {
            for (long word : words) {
                body.writeLongLE(word);
            }
        });
        return out;
    }

    @Test
    void theAdapterGetsTheVerbsOfTheFramesInTheOrderOfArrival() throws BadFrameException {
        accept(0, chain().fetchAndAdd(address, 7).compareAndSwap(address, 1, 2).read(address, 3));
        accept(1, chain().write(address, 9).write(address, new long[] {4, 5}));
        assertThat(posted).hasSize(2);
        VerbChain first = posted.get(0);
        assertThat(List.of(first.verb(0), first.verb(1), first.verb(2)))
                .containsExactly(Verb.FETCH_AND_ADD, Verb.COMPARE_AND_SWAP, Verb.READ);
        assertThat(new long[] {first.operand(0), first.operand(1), first.desired(1), first.words(2)})
                .containsExactly(7, 1, 2, 3);
        VerbChain second = posted.get(1);
        assertThat(new long[] {second.writeWord(0, 0), second.writeWord(1, 0), second.writeWord(1, 1)})
                .containsExactly(9, 4, 5);
        assertThat(node.counts().get(Verb.WRITE)).isEqualTo(2);
        assertThat(sent().isReadable()).as("answered before it was executed").isFalse();
    }

    @Test
    void anExtendedAtomicIsABadFrameThatNamesIt() {
        VerbChain chain = chain().fetchAndAdd(address, 1).maskedFetchAndAdd(address, new long[4]);
        assertThatThrownBy(() -> accept(0, chain))
                .isInstanceOf(BadFrameException.class)
                .hasMessageContaining("MASKED_FETCH_AND_ADD")
                .hasMessageContaining("not supported");
        assertThat(posted).isEmpty();
    }

    @Test
    void eachChainIsAnsweredOnItsCompletionWithTheWordsThatItFound() throws BadFrameException {
        accept(0, chain().read(address, 2).write(address, 9).fetchAndAdd(address, 1));
        accept(1, chain().compareAndSwap(address, 1, 2));
        complete(0);
        assertThat(sent()).isEqualTo(answer(0, 0, 1, 200));
        complete(1);
        assertThat(sent()).isEqualTo(answer(1, 0));
    }

    @Test
    void theResultsAreRememberedForTheNextConnectionWhenTheLastChainHasEnded() throws BadFrameException {
        accept(0, chain().read(address, 2).write(address, 9));
        accept(1, chain().fetchAndAdd(address, 1));
        session.detach(() ->
                session.executed().replay(0, (sequence, words) -> events.add(sequence + " " + Arrays.toString(words))));
        complete(0);
        assertThat(events).isEmpty();
        complete(1);
        assertThat(events).containsExactly("0 [0, 1]", "1 [0]");

        AdapterChains next = new AdapterChains(posted::add, node, connection);
        next.serve(session);
        DataPlaneGate open = Objects.requireNonNull(session.reattach());
        ByteBuf frame = Unpooled.buffer();
        ChainFrame.writeChain(frame, 2, 2, chain().read(address, 1));
        int header = Integer.BYTES + 1;
        next.accept(open, new FrameBody().wrap(frame, header, frame.readableBytes() - header));
        assertThat(posted).hasSize(3);
        frame.release();
    }

    @Test
    void aChainOfAFormerConnectionIsNotExecuted() throws BadFrameException {
        DataPlaneGate former = session.gate();
        session.detach(() -> {});
        session.reattach();
        ByteBuf frame = Unpooled.buffer();
        ChainFrame.writeChain(frame, 0, 0, chain().read(address, 1));
        int header = Integer.BYTES + 1;
        chains.accept(former, new FrameBody().wrap(frame, header, frame.readableBytes() - header));
        assertThat(posted).isEmpty();
        frame.release();
    }

    @Test
    void aChainThatIsNotTheNextOneIsABadFrame() throws BadFrameException {
        acceptReads(0, 0);
        assertThatThrownBy(() -> acceptReads(0, 0))
                .isInstanceOf(BadFrameException.class)
                .hasMessageContaining("where chain 1 is due");
        assertThat(posted).hasSize(1);
    }

    @Test
    void aSessionCountsAsCutOnlyAfterItsLastChain() throws BadFrameException {
        acceptReads(0, 1);
        session.leave(() -> events.add("left"));
        complete(0);
        assertThat(events).isEmpty();
        posted.get(1).failed(new FabricException("flushed"));
        assertThat(events).containsExactly("left");
    }

    @Test
    void aCutSessionPostsNothing() throws BadFrameException {
        session.leave(() -> events.add("left"));
        acceptReads(0, 0);
        assertThat(posted).isEmpty();
        assertThat(events).containsExactly("left");
    }

    @Test
    void aChainBeyondTheRegionIsABadFrameAndDoesNotHoldUpTheCut() {
        assertThatThrownBy(() -> accept(0, chain().read(address, 1).read(-8, 1)))
                .isInstanceOf(BadFrameException.class)
                .hasMessageContaining("not memory of this region");
        assertThat(posted).isEmpty();
        session.leave(() -> events.add("left"));
        assertThat(events).containsExactly("left");
    }

    @Test
    void readingPausesWhileManyChainsAreUnderWay() throws BadFrameException {
        acceptReads(0, PAUSE_AT - 2);
        assertThat(line.config().isAutoRead()).isTrue();
        acceptReads(PAUSE_AT - 1, PAUSE_AT - 1);
        assertThat(line.config().isAutoRead()).isFalse();
        for (int done = 0; done < PAUSE_AT - RESUME_AT - 1; done++) {
            complete(done);
        }
        assertThat(line.config().isAutoRead()).isFalse();
        complete(PAUSE_AT - RESUME_AT - 1);
        assertThat(line.config().isAutoRead()).isTrue();
    }

    @Test
    void aFailedChainEndsTheConnectionWithTheReason() throws BadFrameException {
        acceptReads(0, 0);
        posted.get(0).failed(new FabricException("the queue pair broke"));
        line.runPendingTasks();
        assertThat(connection.isOpen()).isFalse();
        ByteBuf goodbye = sent();
        assertThat(goodbye.getUnsignedByte(Integer.BYTES)).isEqualTo((short) FrameType.GOODBYE.number());
        assertThat(goodbye.toString(StandardCharsets.UTF_8)).contains("the queue pair broke");
    }
}
