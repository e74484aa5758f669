// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.load;

/**
 * The locks of the Telecom Application Transaction Processing benchmark (TATP, version 1.0): a lock for each row that the schema allows, the seven transactions with their shares, and subscribers by the
 * benchmark's non-uniform choice. A transaction that would find no row has its lock nevertheless. A row that is only looked up to find another one is locked for reading. Immutable.
 */
public final class TatpLocks implements Transactions {
    /** Types of transactions; the numbers are the kinds. */
    public static final int GET_SUBSCRIBER_DATA = 0;

    /** See {@link #GET_SUBSCRIBER_DATA}. */
    public static final int GET_NEW_DESTINATION = 1;

    /** See {@link #GET_SUBSCRIBER_DATA}. */
    public static final int GET_ACCESS_DATA = 2;

    /** See {@link #GET_SUBSCRIBER_DATA}. */
    public static final int UPDATE_SUBSCRIBER_DATA = 3;

    /** See {@link #GET_SUBSCRIBER_DATA}. */
    public static final int UPDATE_LOCATION = 4;

    /** See {@link #GET_SUBSCRIBER_DATA}. */
    public static final int INSERT_CALL_FORWARDING = 5;

    /** See {@link #GET_SUBSCRIBER_DATA}. */
    public static final int DELETE_CALL_FORWARDING = 6;

    private static final Mix MIX = new Mix(35, 10, 35, 2, 14, 2, 2);

    private static final int TYPES = 4;
    private static final int START_TIMES = 3;
    private static final int ACCESS_INFO = 1;
    private static final int SPECIAL_FACILITY = ACCESS_INFO + TYPES;
    private static final int CALL_FORWARDING = SPECIAL_FACILITY + TYPES;

    /** Rows of a subscriber in all four tables. */
    static final int ROWS = CALL_FORWARDING + TYPES * START_TIMES;

    private static final int MILLION = 1_000_000;

    private final int subscribers;
    private final long workNanos;

    /**
     * Makes them.
     *
     * @param subscribers number of subscribers
     * @param workNanos how long a transaction works
     */
    public TatpLocks(int subscribers, long workNanos) {
        this.subscribers = subscribers;
        this.workNanos = workNanos;
    }

    @Override
    public String name() {
        return "TATP";
    }

    @Override
    public int locks() {
        return subscribers * ROWS;
    }

    @Override
    public long workNanos(Transaction transaction) {
        return workNanos;
    }

    @Override
    public Transaction next(int client, Chance chance) {
        int first = subscriber(chance) * ROWS;
        int type = (int) chance.below(TYPES);
        int special = first + SPECIAL_FACILITY + type;
        int forwarding = first + CALL_FORWARDING + type * START_TIMES + (int) chance.below(START_TIMES);
        int kind = MIX.next(chance);
        Transaction.Builder builder = new Transaction.Builder();
        switch (kind) {
            case GET_SUBSCRIBER_DATA -> builder.read(first);
            case GET_NEW_DESTINATION -> builder.read(special).read(forwarding);
            case GET_ACCESS_DATA -> builder.read(first + ACCESS_INFO + type);
            case UPDATE_SUBSCRIBER_DATA -> builder.write(first).write(special);
            case UPDATE_LOCATION -> builder.write(first);
            case INSERT_CALL_FORWARDING -> builder.read(first).read(special).write(forwarding);
            default -> builder.read(first).write(forwarding);
        }
        return builder.build(kind);
    }

    /** Chooses a subscriber as the benchmark does: the bits of two random numbers together, so that some numbers come more often. */
    int subscriber(Chance chance) {
        long range = subscribers <= MILLION ? 65_535 : 1_048_575;
        return (int) ((chance.below(range + 1) | 1 + chance.below(subscribers)) % subscribers);
    }
}
