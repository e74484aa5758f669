// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.shiftlock;

import io.declock.Purpose;
import io.declock.protocols.LockMessage;
import io.declock.protocols.LockServer;
import io.declock.protocols.LockWorld;
import io.declock.protocols.OneVerb;
import io.declock.spi.FabricException;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import java.util.ArrayDeque;
import java.util.Deque;

/** The lock server: recovers locks, one after the other, one in each era. */
final class ShiftLockServer implements LockServer {
    private final LockWorld world;
    private final Deque<LockMessage> requests = new ArrayDeque<>();
    private boolean recovers;
    private long era;

    ShiftLockServer(LockWorld world) {
        this.world = world;
    }

    @Override
    public void received(LockMessage message) {
        requests.add(message);
        next();
    }

    private void next() {
        while (!recovers && !requests.isEmpty()) {
            LockMessage request = requests.remove();
            // One of a former era is rejected: its client looks again after a lease.
            if (request.detail() == era) {
                recovers = true;
                recover(request.lock());
            }
        }
    }

    private void recover(long lock) {
        OneVerb.read(
                world,
                Purpose.RESET,
                lock + Long.BYTES,
                releases -> TwoWords.swap(world, Purpose.RESET, lock, Entry.recovered(releases), (first, second) -> {
                    if (second == releases) {
                        beginEra();
                    } else {
                        recover(lock);
                    }
                }));
    }

    /** After the recovery: a client that reads the new era, and then {@code RelCnt}, sees the leap. */
    private void beginEra() {
        era++;
        world.post(
                new VerbChain(1) {
                    @Override
                    public void completed(VerbResults results) {
                        recovers = false;
                        next();
                    }

                    @Override
                    public void failed(FabricException cause) {}
                }.begin(Purpose.RESET).write(world.serverAddress(), era));
    }
}
