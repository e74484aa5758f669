// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.cas;

import io.declock.LockMode;
import io.declock.Purpose;
import io.declock.protocols.Backoff;
import io.declock.protocols.LockClient;
import io.declock.protocols.LockMessage;
import io.declock.protocols.LockOrder;
import io.declock.protocols.LockProtocol;
import io.declock.protocols.LockWorld;
import io.declock.protocols.OneVerb;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** The protocol that the package describes. */
public final class CasLock implements LockProtocol {
    private static final int WRITER_SHIFT = 32;

    private final String name;
    private final Backoff backoff;
    private final boolean readers;

    private CasLock(String name, Backoff backoff, boolean readers) {
        this.name = name;
        this.backoff = backoff;
        this.readers = readers;
    }

    /** Returns the one without a back-off. */
    public static CasLock spinning() {
        return new CasLock("CASLock", Backoff.NONE, true);
    }

    /** Returns the one with a back-off. */
    public static CasLock with(Backoff backoff) {
        return new CasLock("CASLock with back-off", backoff, true);
    }

    /** Returns the one without readers, as ShiftLock's paper has it. */
    public static CasLock exclusive(Backoff backoff) {
        return new CasLock("exclusive CASLock", backoff, false);
    }

    @Override
    public String name() {
        return name;
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
        return readers || mode == LockMode.WRITE;
    }

    @Override
    public LockOrder order() {
        return LockOrder.NONE;
    }

    @Override
    public boolean outlivesClients() {
        return false;
    }

    @Override
    public LockClient client(int number, LockWorld world) {
        return new Client(number, world);
    }

    private static boolean hasWriter(long word) {
        return word >>> WRITER_SHIFT != 0;
    }

    private final class Client implements LockClient {
        private final long asWriter;
        private final LockWorld world;
        private final Backoff pauses = backoff.ofClient();
        private final Map<Long, Long> held = new HashMap<>();

        Client(int number, LockWorld world) {
            this.asWriter = number + 1L << WRITER_SHIFT;
            this.world = world;
        }

        @Override
        public void acquire(long lock, LockMode mode, Runnable granted) {
            if (!has(mode)) {
                throw new IllegalArgumentException(name + " has no readers");
            }
            new Attempt(lock, mode == LockMode.WRITE, granted).go();
        }

        @Override
        public void release(long lock, Runnable released) {
            OneVerb.fetchAndAdd(
                    world,
                    Purpose.RELEASE,
                    lock,
                    -Objects.requireNonNull(held.remove(lock), "not held"),
                    former -> released.run());
        }

        @Override
        public void received(LockMessage message) {
            throw new IllegalStateException("CASLock has no messages: " + message);
        }

        private final class Attempt {
            private final long lock;
            private final boolean writes;
            private final Runnable granted;
            private int retries;

            Attempt(long lock, boolean writes, Runnable granted) {
                this.lock = lock;
                this.writes = writes;
                this.granted = granted;
            }

            void go() {
                if (writes) {
                    OneVerb.compareAndSwap(world, Purpose.ACQUIRE, lock, 0, asWriter, this::swapped);
                } else {
                    OneVerb.fetchAndAdd(world, Purpose.ACQUIRE, lock, 1, this::counted);
                }
            }

            private void swapped(long former) {
                if (former == 0) {
                    holds(asWriter);
                } else {
                    again();
                }
            }

            private void counted(long former) {
                if (hasWriter(former)) {
                    OneVerb.fetchAndAdd(world, Purpose.ACQUIRE, lock, -1, undone -> again());
                } else {
                    holds(1);
                }
            }

            private void holds(long added) {
                held.put(lock, added);
                pauses.succeeded(world);
                granted.run();
            }

            private void again() {
                long pause = pauses.nanos(++retries, world);
                if (pause > 0) {
                    world.after(pause, this::go);
                } else {
                    go();
                }
            }
        }
    }
}
