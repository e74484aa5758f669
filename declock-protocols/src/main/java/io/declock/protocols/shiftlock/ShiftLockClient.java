// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.shiftlock;

import io.declock.LockMode;
import io.declock.protocols.LockClient;
import io.declock.protocols.LockMessage;
import io.declock.protocols.LockWorld;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** A client of {@link ShiftLock}. */
final class ShiftLockClient implements LockClient {
    private final ShiftLock.Settings settings;
    private final int number;
    private final LockWorld world;
    private final Map<Long, Turn> turns = new HashMap<>();

    ShiftLockClient(ShiftLock protocol, int number, LockWorld world) {
        this.settings = protocol.settings();
        this.number = number;
        this.world = world;
    }

    int number() {
        return number;
    }

    LockWorld world() {
        return world;
    }

    ShiftLock.Settings settings() {
        return settings;
    }

    @Override
    public void acquire(long lock, LockMode mode, Runnable granted) {
        begin(mode == LockMode.WRITE ? new WriterTurn(this, lock, granted) : new ReaderTurn(this, lock, granted));
    }

    @Override
    public long heldUntil(long lock) {
        return held(lock).leaseEnds();
    }

    /** Messages to the turn are ignored from now on. */
    @Override
    public void abandon(long lock) {
        held(lock);
        turns.remove(lock);
    }

    private Turn held(long lock) {
        return Objects.requireNonNull(turns.get(lock), "not held");
    }

    void begin(Turn turn) {
        turns.put(turn.lock(), turn);
        turn.begin();
    }

    @Override
    public void release(long lock, Runnable released) {
        held(lock).release(() -> {
            turns.remove(lock);
            released.run();
        });
    }

    /** A message for a turn that has ended, which a recovery has overtaken, is ignored. */
    @Override
    public void received(LockMessage message) {
        Turn turn = turns.get(message.lock());
        if (turn != null) {
            turn.received(message);
        }
    }
}
