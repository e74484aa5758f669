// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.dslr;

import static io.declock.protocols.dslr.Tickets.exclusiveDrawn;
import static io.declock.protocols.dslr.Tickets.exclusiveServed;
import static io.declock.protocols.dslr.Tickets.sharedDrawn;
import static io.declock.protocols.dslr.Tickets.sharedServed;

import io.declock.LockMode;
import io.declock.Purpose;
import io.declock.protocols.LockClient;
import io.declock.protocols.LockMessage;
import io.declock.protocols.LockWorld;
import io.declock.protocols.OneVerb;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** A client of {@link Dslr}. */
final class DslrClient implements LockClient {
    /** After so many leases without a change a turn is taken away. */
    private static final int PATIENCE = 2;
    /** After so many a word whose counters have run out is set to zero, whoever was to do it: later than any turn is taken away. */
    private static final int LAST_PATIENCE = 4;

    private final Dslr protocol;
    private final LockWorld world;
    private final Map<Long, Turn> turns = new HashMap<>();

    DslrClient(Dslr protocol, LockWorld world) {
        this.protocol = protocol;
        this.world = world;
    }

    @Override
    public void acquire(long lock, LockMode mode, Runnable granted) {
        Turn turn = new Turn(lock, mode == LockMode.WRITE, granted);
        turns.put(lock, turn);
        turn.draw();
    }

    @Override
    public void release(long lock, Runnable released) {
        Objects.requireNonNull(turns.remove(lock), "not held").release(released);
    }

    @Override
    public void received(LockMessage message) {
        throw new IllegalStateException("DSLR has no messages: " + message);
    }

    private long leases(int number) {
        return number * protocol.settings().leaseNanos();
    }

    /** One acquisition: its ticket, and what was last seen of the word. */
    private final class Turn {
        private final long lock;
        private final boolean exclusive;
        private final Runnable granted;
        private long ticket;
        private long seen;
        private long seenSince;
        private int attempts;
        private long postedAt;
        private long leaseBegan;

        Turn(long lock, boolean exclusive, Runnable granted) {
            this.lock = lock;
            this.exclusive = exclusive;
            this.granted = granted;
        }

        // ---------------------------------------------------------------- drawing a ticket

        void draw() {
            long one = exclusive ? Tickets.ONE_EXCLUSIVE_DRAWN : Tickets.ONE_SHARED_DRAWN;
            postedAt = world.now();
            OneVerb.fetchAndAdd(world, Purpose.ACQUIRE, lock, one, former -> {
                if (protocol.isSoldOut(former)) {
                    OneVerb.fetchAndAdd(world, Purpose.ACQUIRE, lock, -one, any -> awaitNewTickets(any - one));
                } else {
                    ticket = former;
                    attempts = 0;
                    saw(former);
                    goOn(former);
                }
            });
        }

        /** Waits until somebody has set the word to zero; does so itself if nobody is at it any more. */
        private void awaitNewTickets(long word) {
            if (!protocol.isSoldOut(word)) {
                draw();
            } else if (word == seen && world.now() - seenSince > leases(LAST_PATIENCE)) {
                OneVerb.compareAndSwap(world, Purpose.RESET, lock, word, 0, any -> draw());
            } else {
                if (word != seen) {
                    saw(word);
                }
                attempts++;
                world.after(pause(word), () -> OneVerb.read(world, Purpose.ACQUIRE, lock, this::awaitNewTickets));
            }
        }

        private void saw(long word) {
            seen = word;
            seenSince = world.now();
        }

        // ---------------------------------------------------------------- waiting for the turn

        private void goOn(long word) {
            if (exclusiveServed(word) > exclusiveDrawn(ticket)) {
                draw();
            } else if (isMyTurn(word)) {
                leaseBegan = postedAt;
                granted.run();
            } else if (world.now() - seenSince > leases(PATIENCE)) {
                takeTurnAway(word);
            } else {
                readAgain(word);
            }
        }

        private boolean isMyTurn(long word) {
            return exclusiveServed(word) == exclusiveDrawn(ticket)
                    && (!exclusive || sharedServed(word) == sharedDrawn(ticket));
        }

        private void readAgain(long word) {
            attempts++;
            world.after(pause(word), () -> {
                postedAt = world.now();
                OneVerb.read(world, Purpose.ACQUIRE, lock, now -> {
                    if (!Tickets.isServedAlike(now, seen)) {
                        saw(now);
                    }
                    goOn(now);
                });
            });
        }

        private long pause(long word) {
            int before = exclusiveDrawn(ticket) - exclusiveServed(word) + sharedDrawn(ticket) - sharedServed(word);
            return protocol.pause(Math.max(1, before), attempts, world);
        }

        private void takeTurnAway(long word) {
            long next = exclusive
                    ? Tickets.withServed(word, exclusiveDrawn(ticket) + 1, sharedDrawn(ticket))
                    : Tickets.withServed(word, exclusiveDrawn(ticket), sharedServed(word));
            postedAt = world.now();
            OneVerb.compareAndSwap(world, Purpose.RESET, lock, word, next, former -> {
                long present = former == word ? next : former;
                saw(present);
                goOn(present);
            });
        }

        // ---------------------------------------------------------------- release

        void release(Runnable released) {
            boolean last = protocol.isLast(ticket, exclusive);
            if (world.now() - leaseBegan >= leases(1)) {
                released.run();
                return;
            }
            long one = exclusive ? Tickets.ONE_EXCLUSIVE_SERVED : Tickets.ONE_SHARED_SERVED;
            OneVerb.fetchAndAdd(world, Purpose.RELEASE, lock, one, former -> {
                if (last) {
                    seenSince = world.now();
                    beginAnew(released);
                } else {
                    released.run();
                }
            });
        }

        /** Sets the word to zero once all tickets before this one, the last, have been served and those beyond were taken back. */
        private void beginAnew(Runnable released) {
            int exclusives = exclusiveDrawn(ticket) + (exclusive ? 1 : 0);
            int shared = sharedDrawn(ticket) + (exclusive ? 0 : 1);
            long allServed = Tickets.of(exclusives, shared, exclusives, shared);
            OneVerb.compareAndSwap(world, Purpose.RESET, lock, allServed, 0, former -> {
                if (former == allServed || world.now() - seenSince > leases(LAST_PATIENCE)) {
                    released.run();
                } else {
                    attempts++;
                    world.after(pause(former), () -> beginAnew(released));
                }
            });
        }
    }
}
