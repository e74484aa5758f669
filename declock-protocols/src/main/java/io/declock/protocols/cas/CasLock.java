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

    private CasLock(String name, Backoff backoff) {
        this.name = name;
        this.backoff = backoff;
    }

    /** Returns the one without a back-off. */
    public static CasLock spinning() {
        return new CasLock("CASLock", Backoff.NONE);
    }

    /** Returns the one with a back-off. */
    public static CasLock with(Backoff backoff) {
        return new CasLock("CASLock with back-off", backoff);
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
        return true;
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
        private final Map<Long, Long> held = new HashMap<>();

        Client(int number, LockWorld world) {
            this.asWriter = number + 1L << WRITER_SHIFT;
            this.world = world;
        }

        @Override
        public void acquire(long lock, LockMode mode, Runnable granted) {
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
            private long readers;
            private int retries;

            Attempt(long lock, boolean writes, Runnable granted) {
                this.lock = lock;
                this.writes = writes;
                this.granted = granted;
            }

            void go() {
                long expected = writes ? 0 : readers;
                long added = writes ? asWriter : 1;
                OneVerb.compareAndSwap(world, Purpose.ACQUIRE, lock, expected, expected + added, former -> {
                    if (former == expected) {
                        held.put(lock, added);
                        granted.run();
                    } else {
                        again(former);
                    }
                });
            }

            private void again(long former) {
                boolean onlyMiscounted = !writes && !hasWriter(former);
                readers = hasWriter(former) ? 0 : former;
                long pause = onlyMiscounted ? 0 : backoff.nanos(++retries, world);
                if (pause > 0) {
                    world.after(pause, this::go);
                } else {
                    go();
                }
            }
        }
    }
}
