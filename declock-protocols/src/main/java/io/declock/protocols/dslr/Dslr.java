// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.dslr;

import io.declock.LockMode;
import io.declock.protocols.Backoff;
import io.declock.protocols.LockClient;
import io.declock.protocols.LockOrder;
import io.declock.protocols.LockProtocol;
import io.declock.protocols.LockWorld;
import java.util.function.LongToIntFunction;
import org.jspecify.annotations.Nullable;

/** The protocol that the package describes. */
public final class Dslr implements LockProtocol {
    /** How many tickets of a kind are drawn before the counters begin anew, in the paper. */
    public static final int TICKETS = 1 << 15;

    /**
     * What is tuned.
     *
     * @param leaseNanos how long a client holds a lock at most
     * @param tickets how many tickets of a kind are drawn before the counters begin anew, at most {@link #TICKETS}
     * @param mostSlots how many leases a client can ask for at most. With one, leases have one length, and waiters lose their patience after two of them; with more, a lease takes as many tickets as its
     *     length says, and waiters are as patient as those before them may be long. Times the number of clients it must be less than {@link #TICKETS}
     * @param drawsAgain after which pause a client draws again that has lost its turn, or that found all tickets drawn; null for one that draws at once, and in the latter case only when it
     *     has read that the counters began anew
     */
    public record Settings(
            long leaseNanos,
            int tickets,
            int mostSlots,
            @Nullable Backoff drawsAgain) {
        /** Leases of one length, and no pause. */
        public Settings(long leaseNanos, int tickets) {
            this(leaseNanos, tickets, 1, null);
        }

        /** Returns them with another length of a lease. */
        public Settings withLease(long nanos) {
            return new Settings(nanos, tickets, mostSlots, drawsAgain);
        }
    }

    private final String name;
    private final Settings settings;
    private final Backoff backoff;
    private final long nanosPerTicket;

    private Dslr(String name, Settings settings, Backoff backoff, long nanosPerTicket) {
        this.name = name;
        this.settings = settings;
        this.backoff = backoff;
        this.nanosPerTicket = nanosPerTicket;
    }

    /**
     * Returns the paper's own.
     *
     * @param nanosPerTicket how long a waiter pauses for each ticket before its own; 5 microseconds in the paper
     */
    public static Dslr polling(Settings settings, long nanosPerTicket) {
        return new Dslr("DSLR", settings, Backoff.NONE, nanosPerTicket);
    }

    /** Returns the one that DecLock's paper compares with. */
    public static Dslr plus(Settings settings, Backoff backoff) {
        return new Dslr("DSLR+", settings, backoff, 0);
    }

    Settings settings() {
        return settings;
    }

    /**
     * Returns how long a waiter pauses.
     *
     * @param before number of tickets before its own
     * @param attempts how often it has read the word
     */
    long pause(int before, int attempts, LockWorld world) {
        return before * nanosPerTicket + backoff.nanos(attempts, world);
    }

    /** Returns how long nothing may change before somebody with so many tickets before its own has waited for so many times their leases. */
    long patience(int times, int before) {
        return times * settings.leaseNanos() * (settings.mostSlots() == 1 ? 1 : Math.max(1, before));
    }

    /** Returns whether there is no ticket left to draw. */
    boolean isSoldOut(long word) {
        return isLast(Tickets::exclusiveDrawn, word, 0) || isLast(Tickets::sharedDrawn, word, 0);
    }

    /** Returns whether a ticket is the last of its kind. */
    boolean isLast(long ticket, boolean exclusive, int slots) {
        return isLast(exclusive ? Tickets::exclusiveDrawn : Tickets::sharedDrawn, ticket, slots);
    }

    private boolean isLast(LongToIntFunction drawn, long word, int more) {
        return drawn.applyAsInt(word) + more >= settings.tickets();
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
        return Tickets.areAllServed(words[0]);
    }

    @Override
    public boolean has(LockMode mode) {
        return true;
    }

    @Override
    public LockOrder order() {
        return LockOrder.ofArrival(this::isDrawn);
    }

    private boolean isDrawn(long before, long after) {
        return !isSoldOut(before)
                && (Tickets.exclusiveDrawn(after) > Tickets.exclusiveDrawn(before)
                        || Tickets.sharedDrawn(after) > Tickets.sharedDrawn(before));
    }

    @Override
    public boolean outlivesClients() {
        return true;
    }

    @Override
    public LockClient client(int number, LockWorld world) {
        return new DslrClient(this, world);
    }
}
