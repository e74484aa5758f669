// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvQP;
import io.declock.internal.tcp.wire.FrameBody;
import io.declock.internal.tcp.wire.PeerFrames;
import io.declock.rdma.verbs.Completions;
import io.declock.rdma.verbs.Constants;
import io.declock.rdma.verbs.Layouts;
import io.declock.spi.FabricException;
import io.declock.spi.GrantedValue;
import io.declock.spi.PeerMessage;
import io.declock.spi.StoredValue;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The rings of messages to and from a peer, without a device. */
class PeerQueueTest {
    private final Device device = new Device();
    private final List<FabricException> broken = new ArrayList<>();
    private final List<PeerMessage> taken = new ArrayList<>();
    private PeerQueue queue;

    /** Keeps the receive requests that were posted, in order. */
    private static final class Device extends RecordingBackend {
        final Queue<Buffer> receives = new ArrayDeque<>();

        private record Buffer(long id, long address, int length) {}

        @Override
        public int postRecv(IbvQP qp, long workRequest) {
            MemorySegment wr = MemorySegment.ofAddress(workRequest).reinterpret(Layouts.IBV_RECV_WR.byteSize());
            MemorySegment sge = MemorySegment.ofAddress(
                            wr.get(JAVA_LONG, Layouts.offset(Layouts.IBV_RECV_WR, "sg_list")))
                    .reinterpret(Layouts.IBV_SGE.byteSize());
            receives.add(new Buffer(
                    wr.get(JAVA_LONG, Layouts.offset(Layouts.IBV_RECV_WR, "wr_id")),
                    sge.get(JAVA_LONG, Layouts.offset(Layouts.IBV_SGE, "addr")),
                    sge.get(JAVA_INT, Layouts.offset(Layouts.IBV_SGE, "length"))));
            return 0;
        }

        /** Puts a message into the first buffer that was posted. */
        Completions receive(PeerMessage message) {
            Buffer buffer = receives.remove();
            ByteBuf out = Unpooled.buffer();
            PeerFrames.writeMessage(out, message);
            MemorySegment.ofAddress(buffer.address)
                    .reinterpret(buffer.length)
                    .copyFrom(MemorySegment.ofArray(out.array()).asSlice(0, out.readableBytes()));
            Completions completion = completion(buffer.id, Constants.IBV_WC_SUCCESS);
            MemorySegment.ofAddress(completion.address())
                    .reinterpret(Layouts.IBV_WC.byteSize())
                    .set(JAVA_INT, Layouts.offset(Layouts.IBV_WC, "byte_len"), out.readableBytes());
            return completion;
        }
    }

    @BeforeEach
    void make() throws Exception {
        queue = new PeerQueue(device, null, null, 64, new RdmaCounters(), broken::add, taken::add);
        queue.postReceives();
    }

    private static PeerMessage message(int index) {
        return new PeerMessage(PeerMessage.Kind.GRANT, 7, 1, 2, 3, 4, 64, 5, index, 6, new long[] {8, 9});
    }

    @Test
    void whatComesIsTakenAndItsBufferPostedAgain() {
        queue.established();
        for (int i = 0; i < 3 * PeerQueue.RECEIVES; i++) {
            queue.completed(device.receive(message(i)), 0);
            assertThat(taken).last().isEqualTo(message(i));
            assertThat(device.receives).hasSize(PeerQueue.RECEIVES);
        }
        assertThat(broken).isEmpty();
    }

    /** Processing a message may take long, and until then the sender's adapter would find one buffer fewer. */
    @Test
    void theBufferIsPostedAgainBeforeAnybodyActsOnItsMessage() throws Exception {
        List<Integer> posted = new ArrayList<>();
        queue = new PeerQueue(
                device, null, null, 64, new RdmaCounters(), broken::add, message -> posted.add(device.receives.size()));
        device.receives.clear();
        queue.postReceives();
        queue.completed(device.receive(message(1)), 0);
        assertThat(posted).containsExactly(PeerQueue.RECEIVES);
    }

    /** Code 0, which the connection manager leaves, would have a sender wait for 655 ms. */
    @Test
    void aPeerThatFoundNoBufferMaySendAgainSoon() {
        assertThat(device.rnrTimer).isZero();
        queue.established();
        assertThat(device.rnrTimer).isEqualTo(PeerQueue.RNR_TIMER).isBetween(1, 15);
    }

    /** The accepting side learns later than the other side that the connection is established; the other may have sent by then. */
    @Test
    void aMessageThatComesBeforeTheConnectionIsKnownToStandCostsNoBuffer() {
        queue.completed(device.receive(message(1)), 0);
        assertThat(taken).containsExactly(message(1));
        assertThat(device.receives).hasSize(PeerQueue.RECEIVES);
    }

    @Test
    void afterTheEndNothingIsPosted() {
        queue.established();
        Completions late = device.receive(message(1));
        queue.ended();
        queue.completed(late, 0);
        assertThat(device.receives).hasSize(PeerQueue.RECEIVES - 1);
        assertThat(queue.offer(message(2))).isFalse();
        assertThat(device.posts).isEmpty();
    }

    @Test
    void thereAreNoMoreUnderWayThanBuffers() {
        assertThat(queue.offer(message(0))).as("before the connection stands").isFalse();
        queue.established();
        for (int i = 0; i < PeerQueue.SLOTS; i++) {
            assertThat(queue.offer(message(i))).isTrue();
        }
        assertThat(queue.offer(message(99))).isFalse();
        assertThat(queue.isBusy()).isTrue();

        queue.completed(device.completion(0, Constants.IBV_WC_SUCCESS), 0);
        assertThat(queue.offer(message(100))).isTrue();
        for (int i = 1; i <= PeerQueue.SLOTS; i++) {
            queue.completed(device.completion(i, Constants.IBV_WC_SUCCESS), 0);
        }
        assertThat(queue.isBusy()).isFalse();
        assertThat(device.posts).hasSize(PeerQueue.SLOTS + 1);
    }

    private static PeerMessage telling(String writer) {
        GrantedValue value = new GrantedValue(new StoredValue(6, writer, new byte[StoredValue.MAX_BYTES]));
        long[] entries = new long[PeerMessage.MAX_ENTRIES];
        return new PeerMessage(PeerMessage.Kind.GRANT, 7, 1, 2, 3, 4, 64, 5, 1, 6, entries, value);
    }

    private PeerMessage sent(PeerMessage message) throws Exception {
        assertThat(queue.offer(message)).isTrue();
        RecordingBackend.Request request = device.posts.getLast().get(0);
        byte[] bytes = MemorySegment.ofAddress(request.local())
                .reinterpret(request.length())
                .toArray(JAVA_BYTE);
        return PeerFrames.readPeerMessage(new FrameBody().wrap(Unpooled.wrappedBuffer(bytes), 0, bytes.length));
    }

    @Test
    void aGrantCarriesTheLongestValueAndGoesWithoutItWhereItDoesNotFit() throws Exception {
        queue.established();
        PeerMessage longest = telling("w".repeat(321));
        assertThat(PeerFrames.messageBytes(longest)).isEqualTo(PeerQueue.SLOT_BYTES);
        assertThat(sent(longest)).isEqualTo(longest);
        PeerMessage tooLong = telling("w".repeat(322));
        assertThat(sent(tooLong)).isEqualTo(tooLong.withoutValue());

        queue.completed(device.receive(longest), 0);
        assertThat(taken).containsExactly(longest);
        assertThat(broken).isEmpty();
    }

    @Test
    void whatIsNoMessageEndsTheConnection() {
        queue.established();
        Completions bad = device.receive(message(1));
        MemorySegment.ofAddress(bad.address())
                .reinterpret(Layouts.IBV_WC.byteSize())
                .set(JAVA_INT, Layouts.offset(Layouts.IBV_WC, "byte_len"), 5);
        queue.completed(bad, 0);
        assertThat(taken).isEmpty();
        assertThat(broken)
                .singleElement()
                .satisfies(e -> assertThat(e).hasMessageContaining("processing a received message failed"));
    }
}
