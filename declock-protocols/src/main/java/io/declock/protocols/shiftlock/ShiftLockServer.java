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
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** The lock server: recovers the locks that belong to one era one after the other, a new era with each. */
final class ShiftLockServer implements LockServer {
    private final ShiftLock.Settings settings;
    private final LockWorld world;
    private final List<Eras> eras = new ArrayList<>();

    ShiftLockServer(ShiftLock.Settings settings, LockWorld world) {
        this.settings = settings;
        this.world = world;
        for (int i = 0; i < settings.eras(); i++) {
            eras.add(new Eras(i));
        }
    }

    @Override
    public void received(LockMessage message) {
        eras.get(settings.eraOf(message.lock())).received(message);
    }

    /** The eras of a part of the locks, one after the other. */
    private final class Eras {
        private final int number;
        private final Deque<LockMessage> requests = new ArrayDeque<>();
        private boolean recovers;
        private long era;

        Eras(int number) {
            this.number = number;
        }

        void received(LockMessage message) {
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
                    releases ->
                            TwoWords.swap(world, Purpose.RESET, lock, Entry.recovered(releases), (first, second) -> {
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
                    }.begin(Purpose.RESET).write(world.serverAddress() + (long) number * Long.BYTES, era));
        }
    }
}
