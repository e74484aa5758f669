// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.CqlSettings;
import io.declock.GrantKind;
import io.declock.Purpose;
import io.declock.ReleaseRead;
import io.declock.internal.layout.QueueEntry;
import io.declock.internal.time.Clock;
import io.declock.spi.GrantedValue;
import io.declock.spi.Member;
import io.declock.spi.PeerMessage;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One {@link CqlLock} driven event by event: a test completes its chains in the order it likes, hands it messages, and sees
 * what it posts and sends. It is node 1; 2, 3 and 4 are members, too.
 */
final class DrivenLock extends StillNode implements CqlUpper {
    private static final CqlSettings SETTINGS = CqlSettings.builder()
            .preArmedHandOver(true)
            .releaseRead(ReleaseRead.ALWAYS)
            .build();
    static final long EPOCH = Words.EPOCH;
    private static final int CAPACITY = 8;

    final Deque<VerbChain> posted = new ArrayDeque<>();
    final List<PeerMessage> sent = new ArrayList<>();
    final List<ResetReason> resetsAskedFor = new ArrayList<>();
    final CqlLock lock;
    long highestEpoch;
    /** Whether the level above has no user of the position. */
    boolean isUnused = true;

    /** What the level above knows of the lock's value. */
    @Nullable
    GrantedValue known;

    /** Whether the level above is storing a value. */
    boolean isStoring;

    /** What grants have told of the lock's value. */
    final List<GrantedValue> told = new ArrayList<>();

    long now = 1;

    private final ReentrantLock mutex = new ReentrantLock();

    DrivenLock() {
        super(CAPACITY, 4);
        lock = new CqlLock(this, this, mutex, 0, EPOCH);
    }

    // ---------------------------------------------------------------- what a test does

    /** Has the level above ask for something. */
    void ask(Consumer<Effects> call) {
        Effects effects = new Effects(clock());
        mutex.lock();
        try {
            call.accept(effects);
        } finally {
            mutex.unlock();
        }
        effects.perform(this);
    }

    /** Completes the oldest chain of a purpose: its FAA finds that header, and READs show those words. */
    void complete(Purpose purpose, long found, VerbResults queue) {
        VerbChain chain = posted.stream()
                .filter(open -> open.purpose() == purpose)
                .findFirst()
                .orElseThrow();
        posted.remove(chain);
        chain.completed((verb, word) -> verb == 0 && word == 0 ? found : queue.word(verb, word));
    }

    void complete(Purpose purpose, long found) {
        complete(purpose, found, new Words(CAPACITY));
    }

    /** A message from a member arrives. */
    void receive(PeerMessage.Kind kind, int from, long epoch, int index, long... entries) {
        lock.deliver(
                new PeerMessage(kind, memoryNode(), from, INCARNATION, NODE, INCARNATION, 0, epoch, index, 0, entries));
    }

    /** A grant from a member arrives that tells of the lock's value. */
    void receiveGrant(int from, long epoch, int index, GrantedValue value) {
        lock.deliver(new PeerMessage(
                PeerMessage.Kind.GRANT,
                memoryNode(),
                from,
                INCARNATION,
                NODE,
                INCARNATION,
                0,
                epoch,
                index,
                0,
                new long[0],
                value));
    }

    /** Returns the entry that a member writes for an index. */
    long entry(boolean exclusive, int node, int index) {
        return QueueEntry.pack(exclusive, node, INCARNATION, layout().version(index), EPOCH, index);
    }

    List<PeerMessage> sent(PeerMessage.Kind kind) {
        return sent.stream().filter(message -> message.kind() == kind).toList();
    }

    void assertState(PositionState state) {
        assertThat(lock.state()).isEqualTo(state);
    }

    // ---------------------------------------------------------------- the level above

    @Override
    public boolean giveBack(Effects effects) {
        if (isUnused) {
            lock.release(effects);
        }
        return isUnused;
    }

    @Override
    public @Nullable GrantedValue valueToTell() {
        return known;
    }

    @Override
    public boolean mayStoreYet() {
        return isStoring;
    }

    @Override
    public void told(GrantedValue value) {
        told.add(value);
    }

    @Override
    public void granted(GrantKind kind, Effects effects) {}

    @Override
    public void notGranted(Effects effects) {}

    @Override
    public void mustWait(Effects effects) {}

    @Override
    public void settled(Effects effects) {}

    @Override
    public void upgraded(boolean success, Effects effects) {}

    // ---------------------------------------------------------------- the surroundings

    @Override
    public Clock clock() {
        return () -> now;
    }

    @Override
    public CqlSettings settings() {
        return SETTINGS;
    }

    @Override
    public void sawEpoch(long epoch) {
        highestEpoch = Math.max(highestEpoch, epoch);
    }

    @Override
    public void post(VerbChain chain) {
        posted.add(chain);
    }

    @Override
    public void send(Member to, PeerMessage message) {
        sent.add(message);
    }

    @Override
    public void requestReset(long record, long epoch, ResetReason reason) {
        resetsAskedFor.add(reason);
    }
}
