// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.shiftlock;

import io.declock.Purpose;
import io.declock.protocols.LockMessage;
import io.declock.protocols.LockProtocol;
import io.declock.protocols.LockWorld;

/** One attempt to acquire a lock, with the hold that follows: what readers and writers have in common. A recovery of the lock ends it, and another one begins. */
abstract class Turn {
    /** In leases: without a release for so long the lock's holder has died. */
    private static final int PATIENCE = 3;

    final ShiftLockClient client;
    final LockWorld world;
    final long lock;
    final Runnable granted;
    private final long lease;

    private boolean waits;
    /** {@code RelCnt} when the turn began. */
    private long firstReleases;

    private long leaseBegan;

    /** What was last seen of the lock, and since when it is so. */
    private long seenEra;

    private long seenReleases;
    private long seenSince;
    private boolean hasLooked;
    private boolean hasAsked;

    Turn(ShiftLockClient client, long lock, Runnable granted) {
        this.client = client;
        this.world = client.world();
        this.lock = lock;
        this.granted = granted;
        this.lease = client.settings().leaseNanos();
    }

    final long lock() {
        return lock;
    }

    abstract void begin();

    abstract void release(Runnable released);

    abstract void received(LockMessage message);

    /** Returns a turn for the same acquisition. */
    abstract Turn again();

    // ---------------------------------------------------------------- waiting

    /** Begins to wait. */
    final void await() {
        waits = true;
        lookLater(lease / 2);
    }

    final boolean waits() {
        return waits;
    }

    final void grant(long since) {
        waits = false;
        leaseBegan = since;
        granted.run();
    }

    /** Returns whether the lease of this hold is over: others may have recovered the lock, so it must not be released. */
    final boolean isExpired() {
        return world.now() >= leaseEnds();
    }

    final long leaseEnds() {
        return leaseBegan + lease;
    }

    final long lease() {
        return lease;
    }

    final void began(long releases) {
        firstReleases = releases;
    }

    /** Returns whether a value of {@code RelCnt} was taken before or after a recovery that this turn has not seen. */
    final boolean isOfOtherTime(long releases) {
        return Entry.isLeap(firstReleases, releases);
    }

    /** Begins anew if the lock was recovered. Returns whether it was. */
    final boolean beginsAnew(long releases) {
        if (!isOfOtherTime(releases)) {
            return false;
        }
        waits = false;
        client.begin(again());
        return true;
    }

    // ---------------------------------------------------------------- watching whether anybody makes progress

    private void lookLater(long nanos) {
        world.after(nanos, () -> {
            if (waits) {
                look();
            }
        });
    }

    /** The era first: whatever is then seen of the lock has come to pass after every recovery of former eras. */
    private void look() {
        long lookedAt = world.now();
        long eraAddress = world.serverAddress() + (long) client.settings().eraOf(lock) * Long.BYTES;
        TwoWords.readInOrder(world, Purpose.ACQUIRE, eraAddress, lock + Long.BYTES, (era, releases) -> {
            if (waits && !beginsAnew(releases)) {
                saw(era, releases, lookedAt);
            }
        });
    }

    private void saw(long era, long releases, long lookedAt) {
        boolean stands = hasLooked && releases == seenReleases;
        if (stands && (hasAsked || era == seenEra && lookedAt - seenSince >= PATIENCE * lease)) {
            hasAsked = true;
            world.send(new LockMessage(client.number(), LockProtocol.SERVER, lock, ShiftLock.RECOVER, era));
            lookLater(lease);
            return;
        }
        if (!stands || era != seenEra) {
            hasLooked = true;
            hasAsked = false;
            seenEra = era;
            seenReleases = releases;
            seenSince = world.now();
        }
        lookLater(lease / 2);
    }
}
