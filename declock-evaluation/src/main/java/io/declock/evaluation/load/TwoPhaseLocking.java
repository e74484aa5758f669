// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.load;

import io.declock.evaluation.load.Transaction.Need;
import io.declock.protocols.application.Application;
import io.declock.protocols.application.ApplicationClient;
import io.declock.protocols.application.ApplicationWorld;
import java.util.List;

/**
 * Clients that run transactions under two-phase locking: a client acquires all locks of a transaction one after the other, in the order of their numbers, so that no deadlock
 * comes about; works; and releases all of them at once. An operation is a transaction, and its kind is the transaction's. A transaction is
 * aborted, and gives its locks back, when it is granted a lock after its turn was lost, or finds at its end that the lease of one of its locks is over. Immutable.
 */
public final class TwoPhaseLocking implements Application {
    private final Transactions transactions;
    private final int leases;
    private final double failures;
    private final long pauseNanos;

    /** Makes it, with locks for one lease, without failures, and without pauses. */
    public TwoPhaseLocking(Transactions transactions) {
        this(transactions, 1, 0, 0);
    }

    /**
     * Makes it.
     *
     * @param leases for how many leases a client asks for each lock
     * @param failures share of transactions that fail at their end and leave all their locks behind
     * @param pauseNanos how long a client has no locks between two transactions
     */
    public TwoPhaseLocking(Transactions transactions, int leases, double failures, long pauseNanos) {
        this.transactions = transactions;
        this.leases = leases;
        this.failures = failures;
        this.pauseNanos = pauseNanos;
    }

    @Override
    public String name() {
        return transactions.name();
    }

    @Override
    public int locks() {
        return transactions.locks();
    }

    /** The data is not there: only its locks are. */
    @Override
    public long words() {
        return 0;
    }

    @Override
    public ApplicationClient client(int number, ApplicationWorld world) {
        return new Client(number, world);
    }

    private final class Client implements ApplicationClient {
        private final int number;
        private final ApplicationWorld world;
        private final Chance chance;
        private long since;
        private int toRelease;

        Client(int number, ApplicationWorld world) {
            this.number = number;
            this.world = world;
            this.chance = Chance.of(world);
        }

        @Override
        public void start() {
            since = world.now();
            acquire(transactions.next(number, chance), 0);
        }

        private void acquire(Transaction transaction, int index) {
            if (index == transaction.needs().size()) {
                world.after(transactions.workNanos(transaction), () -> end(transaction));
                return;
            }
            Need need = transaction.needs().get(index);
            world.acquire(need.lock(), need.mode(), leases, () -> acquired(transaction, index));
        }

        private void acquired(Transaction transaction, int index) {
            if (world.turnsLost(transaction.needs().get(index).lock()) > 0) {
                release(transaction, transaction.needs().subList(0, index + 1), true);
            } else {
                acquire(transaction, index + 1);
            }
        }

        private void end(Transaction transaction) {
            if (failures > 0 && chance.happens(failures)) {
                transaction.needs().forEach(need -> world.abandon(need.lock()));
                world.aborted();
                world.after(pauseNanos, this::start);
                return;
            }
            boolean lapsed = transaction.needs().stream().anyMatch(need -> world.heldUntil(need.lock()) <= world.now());
            release(transaction, transaction.needs(), lapsed);
        }

        private void release(Transaction transaction, List<Need> held, boolean aborted) {
            toRelease = held.size();
            held.forEach(need -> world.release(need.lock(), () -> released(transaction, aborted)));
        }

        private void released(Transaction transaction, boolean aborted) {
            if (--toRelease > 0) {
                return;
            }
            if (aborted) {
                world.aborted();
            } else {
                world.done(transaction.kind(), since);
            }
            world.after(pauseNanos, this::start);
        }
    }
}
