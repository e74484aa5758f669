// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.alock;

import io.declock.LockMode;
import io.declock.Purpose;
import io.declock.protocols.LockClient;
import io.declock.protocols.LockMessage;
import io.declock.protocols.LockWorld;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A client of {@link ALock}. */
final class ALockClient implements LockClient {
    private static final int SUCCESSOR = 1;
    private static final int HAND_OVER = 2;
    private static final int NOBODY = -1;

    private final ALock.Settings settings;
    private final int number;
    private final LockWorld world;
    private final Cohort cohort;
    private final Map<Long, Descriptor> descriptors = new HashMap<>();

    ALockClient(ALock.Settings settings, int number, LockWorld world) {
        this.settings = settings;
        this.number = number;
        this.world = world;
        this.cohort = Cohort.of(world.isLocal());
    }

    @Override
    public void acquire(long lock, LockMode mode, Runnable granted) {
        if (mode != LockMode.WRITE) {
            throw new IllegalArgumentException("ALock has no readers");
        }
        Descriptor descriptor = new Descriptor(lock, granted);
        descriptors.put(lock, descriptor);
        descriptor.enter(0);
    }

    @Override
    public void release(long lock, Runnable released) {
        descriptorAt(lock).leave(released);
    }

    @Override
    public void received(LockMessage message) {
        Descriptor descriptor = descriptorAt(message.lock());
        switch (message.kind()) {
            case SUCCESSOR -> descriptor.follows(message.from());
            case HAND_OVER -> descriptor.handed((int) message.detail());
            default -> throw new IllegalArgumentException("unknown kind of message: " + message);
        }
    }

    private Descriptor descriptorAt(long lock) {
        return Objects.requireNonNull(descriptors.get(lock), "no place in the queue");
    }

    private static long wordOf(int client) {
        return client + 1L;
    }

    private static int clientOf(long word) {
        return (int) (word - 1);
    }

    /** A place in the queue of the cohort. */
    private final class Descriptor {
        private final long lock;
        private final Runnable granted;
        private final Words words;
        private int budget;
        private int successor = NOBODY;
        /** Set if the lock was released and the successor is not known yet. */
        private @Nullable Runnable released;

        Descriptor(long lock, Runnable granted) {
            this.lock = lock;
            this.granted = granted;
            this.words = new Words(world, cohort, lock);
        }

        // ---------------------------------------------------------------- the cohort's lock

        void enter(long expected) {
            words.swapTail(Purpose.ACQUIRE, expected, wordOf(number), former -> {
                if (former != expected) {
                    enter(former);
                } else if (former == 0) {
                    lead();
                } else {
                    world.send(new LockMessage(number, clientOf(former), lock, SUCCESSOR, 0));
                }
            });
        }

        void handed(int remaining) {
            if (remaining == 0) {
                lead();
            } else {
                budget = remaining;
                granted.run();
            }
        }

        // ---------------------------------------------------------------- the global lock

        private void lead() {
            budget = settings.budget();
            words.yieldTo(this::goOn);
        }

        private void goOn(Words.Seen seen) {
            if (seen.othersWait() && seen.isVictim()) {
                world.after(
                        cohort == Cohort.LOCAL ? settings.localPauseNanos() : settings.remotePauseNanos(),
                        () -> words.look(this::goOn));
            } else {
                granted.run();
            }
        }

        // ---------------------------------------------------------------- release

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
            words.swapTail(Purpose.RELEASE, wordOf(number), 0, former -> {
                if (former == wordOf(number)) {
                    descriptors.remove(lock);
                    then.run();
                } else if (successor != NOBODY) {
                    handOver(then);
                } else {
                    released = then;
                }
            });
        }

        private void handOver(Runnable then) {
            descriptors.remove(lock);
            world.send(new LockMessage(number, successor, lock, HAND_OVER, budget - 1));
            then.run();
        }
    }
}
