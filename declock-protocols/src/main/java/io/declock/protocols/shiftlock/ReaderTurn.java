// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.shiftlock;

import io.declock.Purpose;
import io.declock.protocols.LockMessage;
import io.declock.protocols.OneVerb;

/** A reader's turn. */
final class ReaderTurn extends Turn {
    private long epoch;
    /** {@code RelCnt} when the reader last looked and was not let in, and when it began to look. */
    private long lastReleases;

    private long lastLookAt;

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
                wasNotLetIn(releases, postedAt);
            }
        });
    }

    private void wasNotLetIn(long releases, long lookedAt) {
        lastReleases = releases;
        lastLookAt = lookedAt;
        readLater();
    }

    private void readLater() {
        world.after(client.settings().pauseNanos(), () -> {
            if (waits()) {
                read();
            }
        });
    }

    /** Both words by one READ, which may read them in any order. */
    private void read() {
        long postedAt = world.now();
        TwoWords.read(world, Purpose.ACQUIRE, lock, (word, releases) -> {
            if (!waits() || beginsAnew(releases)) {
                return;
            }
            if (Entry.epoch(word) == epoch) {
                wasNotLetIn(releases, postedAt);
            } else if (isWithoutRecovery(releases)) {
                grant(postedAt);
            } else {
                readReleasesAgain(postedAt);
            }
        });
    }

    /**
     * Returns whether {@code Epoch} is another one because a writer has let the reader in, and not because of a recovery after which {@code RelCnt} was not read. A writer
     * changes {@code RelCnt} at the same time. If that is what has changed since a look of less than a lease ago, no recovery has followed yet: it needs three leases without a change.
     */
    private boolean isWithoutRecovery(long releases) {
        return releases != lastReleases && world.now() - lastLookAt < lease();
    }

    /** After {@code Epoch} was read: if it is another one because of a recovery, the leap is seen now. */
    private void readReleasesAgain(long postedAt) {
        OneVerb.read(world, Purpose.ACQUIRE, lock + Long.BYTES, releases -> {
            if (waits() && !beginsAnew(releases)) {
                grant(postedAt);
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
