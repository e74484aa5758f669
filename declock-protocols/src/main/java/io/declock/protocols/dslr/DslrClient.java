// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.dslr;

import static io.declock.protocols.dslr.Tickets.exclusiveDrawn;
import static io.declock.protocols.dslr.Tickets.exclusiveServed;
import static io.declock.protocols.dslr.Tickets.sharedDrawn;
import static io.declock.protocols.dslr.Tickets.sharedServed;

import io.declock.LockMode;
import io.declock.Purpose;
import io.declock.protocols.Backoff;
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
        acquire(lock, mode, 1, granted);
    }

    @Override
    public void acquire(long lock, LockMode mode, int leases, Runnable granted) {
        int slots = Math.min(leases, protocol.settings().mostSlots());
        Turn turn = new Turn(lock, mode == LockMode.WRITE, slots, granted);
        turns.put(lock, turn);
        turn.draw();
    }

    @Override
    public long heldUntil(long lock) {
        return Objects.requireNonNull(turns.get(lock), "not held").leaseEnds;
    }

    @Override
    public int turnsLost(long lock) {
        return Objects.requireNonNull(turns.get(lock), "not held").lost;
    }

    @Override
    public void abandon(long lock) {
        Objects.requireNonNull(turns.remove(lock), "not held");
    }

    @Override
    public void release(long lock, Runnable released) {
        Objects.requireNonNull(turns.remove(lock), "not held").release(released);
    }

    @Override
    public void received(LockMessage message) {
        throw new IllegalStateException("DSLR has no messages: " + message);
    }

    /** One acquisition: its ticket, and what was last seen of the word. */
    private final class Turn {
        private final long lock;
        private final boolean exclusive;
        /** How many tickets are drawn side by side, each for one lease. */
        private final int slots;

        private final Runnable granted;
        private long ticket;
        private long seen;
        private long seenSince;
        private int attempts;
        /** How often a ticket was drawn. */
        private int draws;
        /** How often its turn was taken away, or it took others' turns away. */
        private int lost;

        private long postedAt;
        private long postedBefore;
        private long leaseEnds;

        Turn(long lock, boolean exclusive, int slots, Runnable granted) {
            this.lock = lock;
            this.exclusive = exclusive;
            this.slots = slots;
            this.granted = granted;
        }

        // ---------------------------------------------------------------- drawing a ticket

        void draw() {
            long all = slots * (exclusive ? Tickets.ONE_EXCLUSIVE_DRAWN : Tickets.ONE_SHARED_DRAWN);
            draws++;
            postedAt = world.now();
            postedBefore = postedAt;
            OneVerb.fetchAndAdd(world, Purpose.ACQUIRE, lock, all, former -> {
                if (protocol.isSoldOut(former)) {
                    OneVerb.fetchAndAdd(world, Purpose.ACQUIRE, lock, -all, any -> noTicket(any - all));
                } else {
                    ticket = former;
                    attempts = 0;
                    saw(former);
                    goOn(former);
                }
            });
        }

        /** Draws again later, as printed; but only as long as somebody serves tickets, for whoever draws keeps the word from standing still. */
        private void noTicket(long word) {
            if (protocol.settings().drawsAgain() == null) {
                awaitNewTickets(word);
                return;
            }
            if (!Tickets.isServedAlike(word, seen) || draws == 1) {
                saw(word);
            }
            if (world.now() - seenSince > lastPatience(word)) {
                // Only from now on does it look whether the word stands still.
                saw(word);
                awaitNewTickets(word);
            } else {
                drawAgain();
            }
        }

        /** Draws once more, after a pause if the lock is set so. */
        private void drawAgain() {
            Backoff backoff = protocol.settings().drawsAgain();
            if (backoff == null) {
                draw();
            } else {
                world.after(backoff.nanos(draws, world), this::draw);
            }
        }

        /** Waits until somebody has set the word to zero; does so itself if nobody is at it any more. */
        private void awaitNewTickets(long word) {
            if (!protocol.isSoldOut(word)) {
                draw();
            } else if (word == seen && world.now() - seenSince > lastPatience(word)) {
                OneVerb.compareAndSwap(world, Purpose.RESET, lock, word, 0, any -> draw());
            } else {
                if (word != seen) {
                    saw(word);
                }
                attempts++;
                world.after(pause(word), () -> OneVerb.read(world, Purpose.ACQUIRE, lock, this::awaitNewTickets));
            }
        }

        private long lastPatience(long word) {
            return protocol.patience(
                    LAST_PATIENCE,
                    exclusiveDrawn(word) - exclusiveServed(word) + sharedDrawn(word) - sharedServed(word));
        }

        private void saw(long word) {
            seen = word;
            seenSince = world.now();
        }

        // ---------------------------------------------------------------- waiting for the turn

        private void goOn(long word) {
            if (exclusiveServed(word) > exclusiveDrawn(ticket)) {
                lost++;
                drawAgain();
            } else if (isMyTurn(word)) {
                leaseEnds = leaseEnds();
                granted.run();
            } else if (world.now() - seenSince > protocol.patience(PATIENCE, before(word))) {
                takeTurnAway(word);
            } else {
                readAgain(word);
            }
        }

        /**
         * Returns when the lease ends: its length after the turn was looked for, but no later than others may take the turn away. It has begun since the client looked before, which may be long ago.
         */
        private long leaseEnds() {
            long lease = slots * protocol.settings().leaseNanos();
            return Math.min(postedAt + lease, postedBefore + PATIENCE * lease);
        }

        private boolean isMyTurn(long word) {
            return exclusiveServed(word) == exclusiveDrawn(ticket)
                    && (!exclusive || sharedServed(word) == sharedDrawn(ticket));
        }

        private void readAgain(long word) {
            attempts++;
            world.after(pause(word), () -> {
                postedBefore = postedAt;
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
            return protocol.pause(Math.max(1, before(word)), attempts, world);
        }

        private int before(long word) {
            return exclusiveDrawn(ticket) - exclusiveServed(word) + sharedDrawn(ticket) - sharedServed(word);
        }

        private void takeTurnAway(long word) {
            long next = exclusive
                    ? Tickets.withServed(word, exclusiveDrawn(ticket) + slots, sharedDrawn(ticket))
                    : Tickets.withServed(word, exclusiveDrawn(ticket), sharedServed(word));
            postedBefore = postedAt;
            postedAt = world.now();
            OneVerb.compareAndSwap(world, Purpose.RESET, lock, word, next, former -> {
                long present = former == word ? next : former;
                lost += former == word && !exclusive ? 1 : 0;
                saw(present);
                goOn(present);
            });
        }

        // ---------------------------------------------------------------- release

        void release(Runnable released) {
            boolean last = protocol.isLast(ticket, exclusive, slots);
            if (world.now() >= leaseEnds) {
                released.run();
                return;
            }
            long all = slots * (exclusive ? Tickets.ONE_EXCLUSIVE_SERVED : Tickets.ONE_SHARED_SERVED);
            OneVerb.fetchAndAdd(world, Purpose.RELEASE, lock, all, former -> {
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
            int exclusives = exclusiveDrawn(ticket) + (exclusive ? slots : 0);
            int shared = sharedDrawn(ticket) + (exclusive ? 0 : slots);
            long allServed = Tickets.of(exclusives, shared, exclusives, shared);
            OneVerb.compareAndSwap(world, Purpose.RESET, lock, allServed, 0, former -> {
                if (former == allServed || world.now() - seenSince > lastPatience(former)) {
                    released.run();
                } else {
                    attempts++;
                    world.after(pause(former), () -> beginAnew(released));
                }
            });
        }
    }
}
