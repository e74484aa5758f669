// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.shiftlock;

import io.declock.Purpose;
import io.declock.protocols.LockMessage;
import io.declock.protocols.OneVerb;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A writer's turn. */
final class WriterTurn extends Turn {
    private static final int NOBODY = -1;

    /** Whether it is known where in the queue this one is. */
    private boolean isQueued;
    /** Messages that came before that. */
    private final List<LockMessage> early = new ArrayList<>();

    private boolean awaitsPredecessor;
    private int successor = NOBODY;
    private long epoch;
    /** {@code RelCnt} while it holds the lock. */
    private long releases;
    /** How many writers with this one have had the lock in a row. */
    private int row = 1;
    /** Set if the lock is being released and the successor is not known yet. */
    private @Nullable Runnable released;

    WriterTurn(ShiftLockClient client, long lock, Runnable granted) {
        super(client, lock, granted);
    }

    @Override
    Turn again() {
        return new WriterTurn(client, lock, granted);
    }

    // ---------------------------------------------------------------- acquisition

    @Override
    void begin() {
        long postedAt = world.now();
        TwoWords.swap(world, Purpose.ACQUIRE, lock, Entry.lastWriter(client.number()), (word, found) -> {
            began(found);
            isQueued = true;
            releases = found;
            epoch = Entry.epoch(word);
            early.forEach(this::received);
            if (Entry.tail(word) != 0) {
                awaitsPredecessor = true;
                send(Entry.clientAt(Entry.tail(word)), ShiftLock.SUCCESSOR, found, 0);
                await();
            } else if (Entry.readers(word) != 0) {
                await();
                readLater(found + Entry.readers(word));
            } else {
                grant(postedAt);
            }
        });
    }

    private void send(int to, int kind, long detail, long more) {
        world.send(new LockMessage(client.number(), to, lock, kind, detail, List.of(more)));
    }

    @Override
    void received(LockMessage message) {
        if (!isQueued) {
            early.add(message);
        } else if (!isOfOtherTime(message.detail())) {
            switch (message.kind()) {
                case ShiftLock.SUCCESSOR -> follows(message.from());
                case ShiftLock.HANDOVER -> handedOver(message);
                case ShiftLock.MODE_CHANGED -> handedOverAfterReaders(message);
                default -> throw new IllegalArgumentException("unknown kind of message: " + message);
            }
        }
    }

    private void handedOver(LockMessage message) {
        if (awaitsPredecessor && waits()) {
            awaitsPredecessor = false;
            releases = message.detail();
            row = ShiftLock.rowOf(message.words().get(0));
            epoch = ShiftLock.epochOf(message.words().get(0));
            grant(world.now());
        }
    }

    private void handedOverAfterReaders(LockMessage message) {
        if (awaitsPredecessor && waits()) {
            awaitsPredecessor = false;
            epoch = ShiftLock.epochOf(message.words().get(0));
            read(message.detail());
        }
    }

    private void readLater(long expected) {
        world.after(client.settings().pauseNanos(), () -> {
            if (waits()) {
                read(expected);
            }
        });
    }

    /** Looks whether all readers have left. */
    private void read(long expected) {
        long postedAt = world.now();
        OneVerb.read(world, Purpose.ACQUIRE, lock + Long.BYTES, found -> {
            if (!waits() || beginsAnew(found)) {
                return;
            }
            if (found == expected) {
                releases = expected;
                grant(postedAt);
            } else {
                readLater(expected);
            }
        });
    }

    // ---------------------------------------------------------------- release

    @Override
    void release(Runnable then) {
        if (isExpired()) {
            then.run();
        } else if (successor != NOBODY) {
            passOn(then);
        } else {
            leave(then);
        }
    }

    private void leave(Runnable then) {
        long[] operands = Entry.noWriter(client.number(), epoch ^ Entry.EPOCH, releases + 1);
        TwoWords.swap(world, Purpose.RELEASE, lock, operands, (word, found) -> {
            if (Entry.tail(word) == Entry.pointerTo(client.number())) {
                then.run();
            } else if (successor != NOBODY) {
                passOn(then);
            } else {
                awaitSuccessor(then);
            }
        });
    }

    /** A successor that does not show up within a lease has died before it could: the lock is left as it is, until others recover it. */
    private void awaitSuccessor(Runnable then) {
        released = then;
        world.after(lease(), () -> {
            if (released != null) {
                released = null;
                then.run();
            }
        });
    }

    private void follows(int other) {
        successor = other;
        Runnable then = released;
        if (then != null) {
            released = null;
            passOn(then);
        }
    }

    private void passOn(Runnable then) {
        if (row >= client.settings().writersInARow()) {
            TwoWords.add(world, Purpose.RELEASE, lock, Entry.otherEpochAndOneRelease(), (word, found) -> {
                long expected = found + Entry.readers(word) + 1;
                send(successor, ShiftLock.MODE_CHANGED, expected, ShiftLock.turn(1, word ^ Entry.EPOCH));
                then.run();
            });
        } else {
            // The successor counts on this release in RelCnt, so it is told after it.
            TwoWords.add(world, Purpose.RELEASE, lock, Entry.oneRelease(), (word, found) -> {
                send(successor, ShiftLock.HANDOVER, releases + 1, ShiftLock.turn(row + 1, epoch));
                then.run();
            });
        }
    }
}
