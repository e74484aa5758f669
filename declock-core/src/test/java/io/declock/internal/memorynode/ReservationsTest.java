// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.declock.Verb;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.QueueEntry;
import io.declock.spi.FabricException;
import io.declock.spi.JoinRequest;
import io.declock.spi.ManualTime;
import io.declock.spi.Member;
import io.declock.spi.PeerMessage;
import io.declock.spi.PeerMessage.Kind;
import io.declock.spi.RecordingListener;
import io.declock.spi.RemoteMemory;
import io.declock.spi.Resolution;
import io.declock.spi.VerbChain;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the memory node does with the positions of holders that have left before their time was over (rules R2 and R3). */
class ReservationsTest {
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration LEAST = Duration.ofMinutes(1);

    private final ManualTime time = new ManualTime();
    private final AtomicLong random = new AtomicLong(7);
    private final MemoryNode node = MemoryNode.create(
            MemoryNodeSettings.builder("mn")
                    .records(32)
                    .queueCapacity(4)
                    .maxComputeNodes(2)
                    .maxLease(LEASE)
                    .formerLease(LEASE)
                    .leaseMargin(Duration.ofMillis(500))
                    .waitOutOldSessions(false)
                    .build(),
            time,
            time,
            () -> random.addAndGet(0x9E3779B97F4A7C15L));
    private final RecordingListener heard = new RecordingListener();
    private final MemoryNodeSession holder = join("holder", new RecordingListener());
    private final MemoryNodeSession other = join("other", heard);
    private final long record = resolve(holder, "x");

    private MemoryNodeSession join(String name, RecordingListener listener) {
        try {
            return node.join(new JoinRequest(name.hashCode(), 1, name, "", 0, LEASE.toNanos()), listener);
        } catch (FabricException.Refused e) {
            throw new AssertionError(e);
        }
    }

    private static long resolve(MemoryNodeSession session, String name) {
        long[] found = {-1};
        session.resolve(name.getBytes(StandardCharsets.UTF_8), true, new ResolveAnswer() {
            @Override
            public void resolved(@Nullable Resolution resolution) {
                found[0] = resolution == null ? -1 : resolution.record();
            }

            @Override
            public void refused(FabricException.Refused refusal) {
                throw new AssertionError(refusal);
            }
        });
        return found[0];
    }

    private long headerAddress() {
        return node.layout().header(record);
    }

    private long header() {
        return node.region().read(headerAddress());
    }

    private void add(long addend) {
        node.region().execute(Verb.FETCH_AND_ADD, headerAddress(), addend, 0);
    }

    private void holderHoldsAndReserves() throws Exception {
        add(LockHeader.acquire(true));
        holder.reserve(record, LEAST.toNanos());
        resolve(other, "x");
    }

    private List<Member> users() {
        return other.members(record).users().members();
    }

    private Member trustee() {
        assertThat(users()).hasSize(2);
        return users().get(1);
    }

    private void send(Kind kind, Member to, int index, long detail) {
        Member from = other.member();
        other.relay(new PeerMessage(
                kind,
                node.incarnation(),
                from.nodeId(),
                from.incarnation(),
                to.nodeId(),
                to.incarnation(),
                record,
                7,
                index,
                detail));
    }

    private void live(Duration how) throws Exception {
        for (long left = how.toMillis(); left > 0; left -= 1000) {
            time.advance(Duration.ofMillis(Math.min(left, 1000)));
            other.heartbeat();
        }
    }

    @Test
    void theTrusteeIsAUserInPlaceOfAHolderThatLeaves() throws Exception {
        holderHoldsAndReserves();
        assertThat(users()).extracting(Member::name).containsExactly("holder", "other");
        holder.leave(() -> {});
        assertThat(users()).extracting(Member::name).containsExactly("other", "memory node mn");
        assertThat(trustee().peerAddress()).isEmpty();
        assertThat(node.status().sessions()).as("compute nodes").hasSize(1);
    }

    /** It would be somebody else's. */
    @Test
    void aPositionThatItsHolderHasGivenBackIsNotGivenBackAgain() throws Exception {
        holderHoldsAndReserves();
        add(LockHeader.release(true));
        add(LockHeader.acquire(true));
        long before = header();
        holder.leave(() -> {});
        live(LEAST.plusSeconds(1));
        assertThat(header()).isEqualTo(before);
        add(LockHeader.release(true));
        add(LockHeader.acquire(true));
        assertThatCode(() -> other.reserve(record, LEAST.toNanos())).doesNotThrowAnyException();
    }

    /** A grant that was made beforehand may arrive, and its hold be reserved, before the release of the writer that made it is executed. */
    @Test
    void aHoldIsReservedBeforeTheReleaseAheadOfItIsExecuted() throws Exception {
        add(LockHeader.acquire(true));
        add(LockHeader.acquire(true));
        Member member = holder.member();
        long entry = QueueEntry.pack(
                true,
                member.nodeId(),
                member.incarnation(),
                node.layout().version(1),
                LockHeader.fullEpoch(header(), node.region().read(node.layout().epoch(record))),
                0);
        node.region().write(node.layout().entry(record, 1), entry);
        holder.reserve(record, LEAST.toNanos());
        resolve(other, "x");

        add(LockHeader.release(true));
        holder.leave(() -> {});

        send(Kind.HOLD_QUESTION, trustee(), 0, 4711);
        assertThat(heard.messages)
                .extracting(PeerMessage::kind, PeerMessage::index, PeerMessage::detail)
                .containsExactly(tuple(Kind.HOLD_ANSWER, PeerMessage.HOLDS, 4711L));
        live(LEAST);
        assertThat(LockHeader.head(header())).isEqualTo(2);
        assertThat(LockHeader.size(header())).isZero();
    }

    /** The holder of a kept position brings it new tokens: its index grows by the queue's capacity (rule K6). */
    @Test
    void aReservedPositionMayMoveOn() throws Exception {
        holderHoldsAndReserves();
        long epoch = LockHeader.epoch(header());
        node.region()
                .execute(
                        Verb.COMPARE_AND_SWAP,
                        headerAddress(),
                        header(),
                        LockHeader.pack(epoch, node.layout().capacity(), 1, 1));
        holder.leave(() -> {});
        live(LEAST);
        assertThat(LockHeader.head(header())).isEqualTo(node.layout().capacity() + 1);
        assertThat(LockHeader.size(header())).isZero();
    }

    @Test
    void itAnswersAsAHolderAndAcknowledgesResets() throws Exception {
        holderHoldsAndReserves();
        holder.leave(() -> {});
        send(Kind.HOLD_QUESTION, trustee(), 0, 4711);
        send(Kind.RESET_SIGNAL, trustee(), other.member().nodeId(), 0);
        assertThat(heard.messages)
                .extracting(PeerMessage::kind, PeerMessage::index, PeerMessage::detail)
                .containsExactly(
                        tuple(Kind.HOLD_ANSWER, PeerMessage.HOLDS, 4711L),
                        tuple(Kind.RESET_ACK, other.member().nodeId(), 2L));
    }

    @Test
    void itGivesThePositionBackWhenTheTimeIsOver() throws Exception {
        holderHoldsAndReserves();
        add(LockHeader.acquire(true));
        holder.leave(() -> {});
        live(LEAST.minusSeconds(1));
        assertThat(LockHeader.head(header())).isZero();
        live(Duration.ofSeconds(1));
        assertThat(LockHeader.head(header())).as("the next one's turn").isEqualTo(1);
        assertThat(LockHeader.size(header())).isEqualTo(1);
        assertThat(users()).extracting(Member::name).containsExactly("other");
    }

    @Test
    void aHolderThatDiesIsFollowedByTheTrusteeToo() throws Exception {
        holderHoldsAndReserves();
        live(LEASE.plusSeconds(2));
        assertThat(trustee().name()).isEqualTo("memory node mn");
        live(LEAST);
        assertThat(LockHeader.size(header())).isZero();
    }

    @Test
    void aProcessThatJoinsAgainLeavesItsPositionToTheTrustee() throws Exception {
        holderHoldsAndReserves();
        node.join(new JoinRequest("holder".hashCode(), 2, "holder", "", 0, LEASE.toNanos()), new RecordingListener());
        assertThat(trustee().name()).isEqualTo("memory node mn");
    }

    @Test
    void aReservationThatHasEndedOrIsOverLeavesNothing() throws Exception {
        holderHoldsAndReserves();
        holder.reserve(record, 0);
        holder.leave(() -> {});
        assertThat(users()).extracting(Member::name).containsExactly("other");
        live(LEASE.plusSeconds(1));
        MemoryNodeSession again = join("again", new RecordingListener());
        resolve(again, "x");
        again.reserve(record, Duration.ofMillis(10).toNanos());
        time.advance(Duration.ofMillis(20));
        again.leave(() -> {});
        assertThat(users()).extracting(Member::name).containsExactly("other");
    }

    @Test
    void theLongerTimeCounts() throws Exception {
        holderHoldsAndReserves();
        holder.reserve(record, Duration.ofSeconds(1).toNanos());
        holder.leave(() -> {});
        live(LEAST.minusSeconds(1));
        assertThat(LockHeader.size(header())).isEqualTo(1);
    }

    @Test
    void itWaitsForTheEndOfAReset() throws Exception {
        holderHoldsAndReserves();
        holder.leave(() -> {});
        long before = header();
        node.region().execute(Verb.COMPARE_AND_SWAP, headerAddress(), before, LockHeader.inReset(before));
        live(LEAST.plusSeconds(1));
        assertThat(header()).isEqualTo(LockHeader.inReset(before));
        send(Kind.RESET_SIGNAL, trustee(), 1, 0);
        assertThat(heard.messages).extracting(PeerMessage::detail).containsExactly(2L);
        node.region()
                .execute(
                        Verb.COMPARE_AND_SWAP,
                        headerAddress(),
                        LockHeader.inReset(before),
                        LockHeader.pack(LockHeader.epoch(before) + 1L, 0, 1, 1));
        live(Duration.ofSeconds(1));
        assertThat(LockHeader.size(header())).isZero();
        assertThat(LockHeader.head(header())).isEqualTo(1);
    }

    @Test
    void itAnswersNothingWhileAnAdapterGivesThePositionBack() throws Exception {
        SlowAdapter adapter = new SlowAdapter();
        node.use(adapter);
        holderHoldsAndReserves();
        holder.leave(() -> {});
        Member trustee = trustee();
        live(LEAST);
        send(Kind.RESET_SIGNAL, trustee, 1, 0);
        assertThat(heard.messages).isEmpty();
        adapter.fail();
        live(Duration.ofSeconds(1));
        adapter.execute();
        adapter.execute();
        assertThat(LockHeader.size(header())).isZero();
        send(Kind.RESET_SIGNAL, trustee, 1, 0);
        assertThat(heard.messages).extracting(PeerMessage::detail).containsExactly(0L);
    }

    @Test
    void whatASessionCannotHoldItCannotReserve() throws Exception {
        assertThatThrownBy(() -> other.reserve(record, 1))
                .isInstanceOf(FabricException.Refused.class)
                .hasMessageContaining("was not told");
        holderHoldsAndReserves();
        assertThatThrownBy(() -> other.reserve(record, 1))
                .isInstanceOf(FabricException.Refused.class)
                .hasMessageContainingAll("reserved", "x", "another holder");
        assertThatThrownBy(() -> holder.reserve(record + 8, 1)).isInstanceOf(IllegalArgumentException.class);
        holder.leave(() -> {});
        assertThatThrownBy(() -> holder.reserve(record, 1))
                .isInstanceOf(FabricException.Refused.class)
                .hasMessageContaining("is over");
    }

    @Test
    void theTrusteeTakesNoPlaceFromComputeNodes() throws Exception {
        holderHoldsAndReserves();
        holder.leave(() -> {});
        time.advance(LEASE);
        other.heartbeat();
        assertThat(join("third", new RecordingListener()).member().nodeId()).isLessThanOrEqualTo(2);
    }

    /** An adapter that executes a verb when it is told to. */
    private final class SlowAdapter implements RemoteMemory {
        private final Queue<VerbChain> posted = new ArrayDeque<>();

        @Override
        public void post(VerbChain chain) {
            posted.add(chain);
        }

        void execute() {
            VerbChain chain = posted.remove();
            long found = node.region().execute(chain.verb(0), chain.address(0), chain.operand(0), chain.desired(0));
            chain.completed((verb, word) -> found);
        }

        void fail() {
            posted.remove().failed(new FabricException("the adapter's connection broke"));
        }
    }
}
