// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.mcs;

import io.declock.LockMode;
import io.declock.Purpose;
import io.declock.protocols.LockClient;
import io.declock.protocols.LockMessage;
import io.declock.protocols.LockOrder;
import io.declock.protocols.LockProtocol;
import io.declock.protocols.LockWorld;
import io.declock.protocols.OneVerb;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The protocol that the package describes. */
public final class McsLock implements LockProtocol {
    private static final int SUCCESSOR = 1;
    private static final int HAND_OVER = 2;
    private static final int NOBODY = -1;

    @Override
    public String name() {
        return "MCS";
    }

    @Override
    public int words() {
        return 1;
    }

    @Override
    public boolean isUnused(long[] words) {
        return words[0] == 0;
    }

    @Override
    public boolean has(LockMode mode) {
        return mode == LockMode.WRITE;
    }

    @Override
    public LockOrder order() {
        return LockOrder.ofArrival((before, after) -> after != 0);
    }

    @Override
    public boolean outlivesClients() {
        return false;
    }

    private static long wordOf(int client) {
        return client + 1L;
    }

    private static int clientOf(long word) {
        return (int) (word - 1);
    }

    @Override
    public LockClient client(int number, LockWorld world) {
        return new Client(number, world);
    }

    private static final class Client implements LockClient {
        private final int number;
        private final LockWorld world;
        private final Map<Long, Place> places = new HashMap<>();

        Client(int number, LockWorld world) {
            this.number = number;
            this.world = world;
        }

        @Override
        public void acquire(long lock, LockMode mode, Runnable granted) {
            if (mode != LockMode.WRITE) {
                throw new IllegalArgumentException("MCS has no readers");
            }
            Place place = new Place(lock, granted);
            places.put(lock, place);
            place.enter(0);
        }

        @Override
        public void release(long lock, Runnable released) {
            placeAt(lock).leave(released);
        }

        @Override
        public void received(LockMessage message) {
            Place place = placeAt(message.lock());
            switch (message.kind()) {
                case SUCCESSOR -> place.follows(message.from());
                case HAND_OVER -> place.granted.run();
                default -> throw new IllegalArgumentException("unknown kind of message: " + message);
            }
        }

        private Place placeAt(long lock) {
            return Objects.requireNonNull(places.get(lock), "no place in the queue");
        }

        /** A place in a lock's queue. */
        private final class Place {
            private final long lock;
            private final Runnable granted;
            private int successor = NOBODY;
            /** Set if the lock was released and the successor is not known yet. */
            private @Nullable Runnable released;

            Place(long lock, Runnable granted) {
                this.lock = lock;
                this.granted = granted;
            }

            void enter(long expected) {
                OneVerb.compareAndSwap(world, Purpose.ACQUIRE, lock, expected, wordOf(number), former -> {
                    if (former != expected) {
                        enter(former);
                    } else if (former == 0) {
                        granted.run();
                    } else {
                        world.send(new LockMessage(number, clientOf(former), lock, SUCCESSOR, 0));
                    }
                });
            }

            void follows(int client) {
                successor = client;
                if (released != null) {
                    handOver(released);
                }
            }

            void leave(Runnable then) {
                if (successor != NOBODY) {
                    handOver(then);
                    return;
                }
                OneVerb.compareAndSwap(world, Purpose.RELEASE, lock, wordOf(number), 0, former -> {
                    if (former == wordOf(number)) {
                        places.remove(lock);
                        then.run();
                    } else if (successor != NOBODY) {
                        handOver(then);
                    } else {
                        released = then;
                    }
                });
            }

            private void handOver(Runnable then) {
                places.remove(lock);
                world.send(new LockMessage(number, successor, lock, HAND_OVER, 0));
                then.run();
            }
        }
    }
}
