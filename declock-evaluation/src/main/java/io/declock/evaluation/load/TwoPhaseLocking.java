// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.load;

import io.declock.evaluation.load.Transaction.Need;
import io.declock.protocols.application.Application;
import io.declock.protocols.application.ApplicationClient;
import io.declock.protocols.application.ApplicationWorld;

/**
 * Clients that run transactions under two-phase locking: a client acquires all locks of a transaction one after the other, in the order of their numbers, so that no deadlock
 * comes about; works; and releases all of them at once. An operation is a transaction, and its kind is the transaction's. Immutable.
 */
public final class TwoPhaseLocking implements Application {
    private final Transactions transactions;

    /** Makes it. */
    public TwoPhaseLocking(Transactions transactions) {
        this.transactions = transactions;
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
                world.after(transactions.workNanos(transaction), () -> release(transaction));
                return;
            }
            Need need = transaction.needs().get(index);
            world.acquire(need.lock(), need.mode(), () -> acquire(transaction, index + 1));
        }

        private void release(Transaction transaction) {
            toRelease = transaction.needs().size();
            transaction.needs().forEach(need -> world.release(need.lock(), () -> released(transaction)));
        }

        private void released(Transaction transaction) {
            if (--toRelease == 0) {
                world.done(transaction.kind(), since);
                world.after(0, this::start);
            }
        }
    }
}
