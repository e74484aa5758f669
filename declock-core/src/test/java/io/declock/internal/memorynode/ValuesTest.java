// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.Verb;
import io.declock.internal.layout.LockHeader;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.JoinRequest;
import io.declock.spi.ManualTime;
import io.declock.spi.RecordingListener;
import io.declock.spi.Resolution;
import io.declock.spi.StoredValue;
import io.declock.spi.ValueReading;
import io.declock.spi.ValueWriting;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which values the memory node stores, and what it tells with them (rules V1 to V3). */
class ValuesTest {
    private static final byte[] ONE = {1};
    private static final byte[] TWO = {2};

    private final ManualTime time = new ManualTime();
    private final AtomicLong random = new AtomicLong(7);
    private final MemoryNode node = MemoryNode.create(
            MemoryNodeSettings.builder("mn")
                    .records(32)
                    .queueCapacity(4)
                    .values(1)
                    .reclaimInterval(Duration.ofSeconds(1))
                    .waitOutOldSessions(false)
                    .build(),
            time,
            time,
            () -> random.addAndGet(0x9E3779B97F4A7C15L));
    private final MemoryNodeSession session = join("writer");
    private final long record = resolve(session, "x");
    private final long epoch = node.region().read(node.layout().epoch(record));

    private MemoryNodeSession join(String name) {
        try {
            return node.join(
                    new JoinRequest(
                            name.hashCode(),
                            1,
                            name,
                            "",
                            0,
                            Duration.ofSeconds(3).toNanos()),
                    new RecordingListener());
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

    private void add(long addend) {
        node.region().execute(Verb.FETCH_AND_ADD, node.layout().header(record), addend, 0);
    }

    private void write(long inEpoch, int index, long token, byte @Nullable [] bytes) throws FabricException.Refused {
        session.writeValue(new ValueWriting(record, inEpoch, index, token, bytes));
    }

    private @Nullable StoredValue value() {
        return session.readValue(record).value();
    }

    private void isRefused(Reason reason, long inEpoch, int index, long token) {
        assertThatThrownBy(() -> write(inEpoch, index, token, TWO))
                .isInstanceOfSatisfying(
                        FabricException.Refused.class,
                        refused -> assertThat(refused.reason()).isEqualTo(reason));
    }

    @Test
    void aPositionInTheQueueStores() throws Exception {
        add(LockHeader.acquire(true));
        write(epoch, 0, 7, ONE);
        assertThat(value()).isEqualTo(new StoredValue(7, "writer", ONE));
        write(epoch, 0, 7, TWO);
        assertThat(value()).isEqualTo(new StoredValue(7, "writer", TWO));
        assertThat(node.status().values()).isEqualTo(1);
        write(epoch, 0, 7, null);
        assertThat(value()).isNull();
        assertThat(node.status().values()).isZero();
    }

    @Test
    void aPositionThatWasGivenBackOrWasNeverTakenStoresNothing() throws Exception {
        isRefused(Reason.BAD_REQUEST, epoch, 0, 7);
        add(LockHeader.acquire(true));
        write(epoch, 0, 7, ONE);
        isRefused(Reason.BAD_REQUEST, epoch, 1, 8);
        add(LockHeader.acquire(true));
        add(LockHeader.release(true));
        isRefused(Reason.BAD_REQUEST, epoch, 0, 9);
        write(epoch, 1, 9, TWO);
        assertThat(value()).isEqualTo(new StoredValue(9, "writer", TWO));
    }

    @Test
    void nothingIsStoredInAResetOrForAnotherEpoch() throws Exception {
        add(LockHeader.acquire(true));
        isRefused(Reason.NOT_YET, epoch + 1, 0, 7);
        isRefused(Reason.NOT_YET, epoch - 1, 0, 7);
        add(LockHeader.inReset(0));
        isRefused(Reason.NOT_YET, epoch, 0, 7);
    }

    /** Rule V2, a second line: two positions of one queue, the later of which has stored already. */
    @Test
    void aLowerVersionReplacesNoHigherOne() throws Exception {
        add(LockHeader.acquire(true));
        write(epoch, 0, 8, ONE);
        isRefused(Reason.BAD_REQUEST, epoch, 0, 7);
        assertThat(value()).isEqualTo(new StoredValue(8, "writer", ONE));
    }

    @Test
    void thereIsRoomForSoManyValuesOfSoManyBytes() throws Exception {
        add(LockHeader.acquire(true));
        write(epoch, 0, 7, new byte[StoredValue.MAX_BYTES]);
        assertThatThrownBy(() -> write(epoch, 0, 7, new byte[StoredValue.MAX_BYTES + 1]))
                .hasMessageContaining("1025");
        long other = resolve(session, "y");
        node.region().execute(Verb.FETCH_AND_ADD, node.layout().header(other), LockHeader.acquire(true), 0);
        long otherEpoch = node.region().read(node.layout().epoch(other));
        assertThatThrownBy(() -> session.writeValue(new ValueWriting(other, otherEpoch, 0, 7, ONE)))
                .isInstanceOfSatisfying(
                        FabricException.Refused.class,
                        refused -> assertThat(refused.reason()).isEqualTo(Reason.TABLE_FULL))
                .hasMessageContaining("declock.memory-node.values");
    }

    @Test
    void theHeaderIsToldWithTheValue() throws Exception {
        add(LockHeader.acquire(true));
        ValueReading reading = session.readValue(record);
        assertThat(LockHeader.fullEpoch(reading.header(), reading.epoch())).isEqualTo(epoch);
        assertThat(LockHeader.size(reading.header())).isEqualTo(1);
    }

    @Test
    void aRecordThatTheSessionDoesNotKnowHasNoValue() {
        MemoryNodeSession stranger = join("stranger");
        assertThat(stranger.knowsRecord(record)).isFalse();
        assertThat(session.knowsRecord(record)).isTrue();
        assertThat(session.knowsRecord(record + 8)).isFalse();
        assertThatThrownBy(() -> stranger.readValue(record)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aRecordWithAValueIsNotReclaimed() throws Exception {
        resolve(session, "without");
        add(LockHeader.acquire(true));
        write(epoch, 0, 7, ONE);
        add(LockHeader.release(true));
        session.leave(() -> {});
        for (int i = 0; i < 20; i++) {
            time.advance(Duration.ofSeconds(1));
        }
        assertThat(node.status().recordsInUse()).isEqualTo(1);
        MemoryNodeSession later = join("later");
        assertThat(resolve(later, "x")).isEqualTo(record);
        assertThat(later.readValue(record).value()).isEqualTo(new StoredValue(7, "writer", ONE));
    }
}
