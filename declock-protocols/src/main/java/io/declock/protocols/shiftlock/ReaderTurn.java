// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.shiftlock;

import io.declock.Purpose;
import io.declock.protocols.LockMessage;

/** A reader's turn. */
final class ReaderTurn extends Turn {
    private long epoch;

    ReaderTurn(ShiftLockClient client, long lock, Runnable granted) {
        super(client, lock, granted);
    }

    @Override
    Turn again() {
        return new ReaderTurn(client, lock, granted);
    }

    @Override
    void begin() {
        long postedAt = world.now();
        TwoWords.add(world, Purpose.ACQUIRE, lock, Entry.oneReaderMore(), (word, releases) -> {
            began(releases);
            epoch = Entry.epoch(word);
            if (Entry.tail(word) == 0) {
                grant(postedAt);
            } else {
                await();
                readLater();
            }
        });
    }

    private void readLater() {
        world.after(client.settings().pauseNanos(), () -> {
            if (waits()) {
                read();
            }
        });
    }

    /** {@code RelCnt} last: if the epoch is another one because of a recovery, the leap is seen, too. */
    private void read() {
        long postedAt = world.now();
        TwoWords.readInOrder(world, Purpose.ACQUIRE, lock, lock + Long.BYTES, (word, releases) -> {
            if (!waits() || beginsAnew(releases)) {
                return;
            }
            if (Entry.epoch(word) != epoch) {
                grant(postedAt);
            } else {
                readLater();
            }
        });
    }

    @Override
    void release(Runnable released) {
        if (isExpired()) {
            released.run();
            return;
        }
        TwoWords.add(
                world, Purpose.RELEASE, lock, Entry.oneReaderLessAndOneRelease(), (word, releases) -> released.run());
    }

    /** Any message is for an earlier turn as a writer. */
    @Override
    void received(LockMessage message) {}
}
