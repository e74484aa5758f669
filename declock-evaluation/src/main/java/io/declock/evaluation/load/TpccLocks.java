// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.load;

/**
 * The locks of TPC-C (revision 5.11): a lock for each row of the tables WAREHOUSE, DISTRICT, CUSTOMER and STOCK, and one for the orders of each district, in which an order is added, delivered or looked up. The table
 * ITEM never changes and needs none. Transactions come with the least shares that the specification allows (5.2.3); rows are chosen by its clauses 2.4 to 2.8:
 *
 * <ul>
 *   <li>New-Order reads warehouse and customer, and changes district, orders and the stock of 5 to 15 items, of which one in a hundred is of another warehouse;
 *   <li>Payment changes warehouse, district and customer, who is of another warehouse in 15 of 100 cases;
 *   <li>Order-Status reads customer and orders;
 *   <li>Delivery changes the orders and one customer of each district;
 *   <li>Stock-Level reads district and orders. The stock that it looks at needs no lock (2.8.2.3).
 * </ul>
 *
 * A customer that is chosen by last name is the one with the name's number. Immutable.
 */
public final class TpccLocks implements Transactions {
    /** Types of transactions; the numbers are the kinds. */
    public static final int NEW_ORDER = 0;

    /** See {@link #NEW_ORDER}. */
    public static final int PAYMENT = 1;

    /** See {@link #NEW_ORDER}. */
    public static final int ORDER_STATUS = 2;

    /** See {@link #NEW_ORDER}. */
    public static final int DELIVERY = 3;

    /** See {@link #NEW_ORDER}. */
    public static final int STOCK_LEVEL = 4;

    /** A reader of all customers of a warehouse, which is not in the specification. */
    public static final int LONG_READ = 5;

    static final int DISTRICTS = 10;

    private static final Mix MIX = new Mix(45, 43, 4, 4, 4);
    private static final double BY_LAST_NAME = 0.6;
    private static final double REMOTE_CUSTOMER = 0.15;
    private static final double REMOTE_ITEM = 0.01;
    private static final int LAST_NAMES = 1_000;

    /** Constants of the run in the specification's non-uniform choice (2.1.6), any within its bounds. */
    private static final int CONSTANT = 123;

    /**
     * What is varied.
     *
     * @param warehouses number of warehouses
     * @param customers customers of a district, 3,000 in the specification
     * @param items number of items, 100,000 in the specification
     * @param workNanos how long a transaction works
     * @param longReads share of long reads in all transactions. If it is not zero, each warehouse has a lock for its customers together, which each transaction takes as it takes the
     *     customer's, as in section 6.4 of DSLR's paper
     * @param longNanos how long a long read works
     */
    public record Settings(int warehouses, int customers, int items, long workNanos, double longReads, long longNanos) {
        /** Makes settings without long reads. */
        public Settings(int warehouses, int customers, int items, long workNanos) {
            this(warehouses, customers, items, workNanos, 0, 0);
        }
    }

    private final Settings settings;
    private final int rows;

    /** Makes them. */
    public TpccLocks(Settings settings) {
        this.settings = settings;
        this.rows = stock(0, settings.items());
    }

    @Override
    public String name() {
        return "TPC-C";
    }

    @Override
    public int locks() {
        return settings.warehouses() * rows;
    }

    @Override
    public long workNanos(Transaction transaction) {
        return transaction.kind() == LONG_READ ? settings.longNanos() : settings.workNanos();
    }

    /** A client lives with one warehouse, as a terminal does. */
    @Override
    public Transaction next(int client, Chance chance) {
        int home = client % settings.warehouses();
        if (settings.longReads() > 0 && chance.happens(settings.longReads())) {
            return new Transaction.Builder().read(allCustomers(home)).build(LONG_READ);
        }
        int kind = MIX.next(chance);
        int district = (int) chance.below(DISTRICTS);
        return switch (kind) {
            case NEW_ORDER -> newOrder(home, district, chance);
            case PAYMENT -> payment(home, district, chance);
            case ORDER_STATUS -> orderStatus(home, district, chance);
            case DELIVERY -> delivery(home, chance);
            default ->
                new Transaction.Builder()
                        .read(district(home, district))
                        .read(orders(home, district))
                        .build(STOCK_LEVEL);
        };
    }

    private Transaction newOrder(int home, int district, Chance chance) {
        Transaction.Builder builder = new Transaction.Builder()
                .read(warehouse(home))
                .write(district(home, district))
                .write(orders(home, district));
        customer(builder, home, district, customerById(chance), false);
        int lines = chance.between(5, 15);
        for (int line = 0; line < lines; line++) {
            int item = nonUniform(8_191, 0, settings.items() - 1, chance);
            builder.write(stock(chance.happens(REMOTE_ITEM) ? other(home, chance) : home, item));
        }
        return builder.build(NEW_ORDER);
    }

    private Transaction payment(int home, int district, Chance chance) {
        Transaction.Builder builder =
                new Transaction.Builder().write(warehouse(home)).write(district(home, district));
        boolean remote = chance.happens(REMOTE_CUSTOMER);
        customer(
                builder,
                remote ? other(home, chance) : home,
                remote ? (int) chance.below(DISTRICTS) : district,
                customer(chance),
                true);
        return builder.build(PAYMENT);
    }

    private Transaction orderStatus(int home, int district, Chance chance) {
        Transaction.Builder builder = new Transaction.Builder().read(orders(home, district));
        customer(builder, home, district, customer(chance), false);
        return builder.build(ORDER_STATUS);
    }

    private Transaction delivery(int home, Chance chance) {
        Transaction.Builder builder = new Transaction.Builder();
        for (int district = 0; district < DISTRICTS; district++) {
            builder.write(orders(home, district));
            customer(builder, home, district, customerById(chance), true);
        }
        return builder.build(DELIVERY);
    }

    private void customer(Transaction.Builder builder, int warehouse, int district, int customer, boolean change) {
        int lock = warehouse * rows + 2 + 2 * DISTRICTS + district * settings.customers() + customer;
        if (change) {
            builder.write(lock);
        } else {
            builder.read(lock);
        }
        if (settings.longReads() > 0 && change) {
            builder.write(allCustomers(warehouse));
        } else if (settings.longReads() > 0) {
            builder.read(allCustomers(warehouse));
        }
    }

    private int customer(Chance chance) {
        return chance.happens(BY_LAST_NAME)
                ? nonUniform(255, 0, Math.min(LAST_NAMES, settings.customers()) - 1, chance)
                : customerById(chance);
    }

    private int customerById(Chance chance) {
        return nonUniform(1_023, 0, settings.customers() - 1, chance);
    }

    /** Another warehouse, or the same if there is one only. */
    private int other(int home, Chance chance) {
        return settings.warehouses() == 1
                ? home
                : (home + 1 + (int) chance.below(settings.warehouses() - 1L)) % settings.warehouses();
    }

    /** The function NURand of clause 2.1.6. */
    static int nonUniform(int bits, int first, int last, Chance chance) {
        int mixed = chance.between(0, bits) | chance.between(first, last);
        return (mixed + CONSTANT) % (last - first + 1) + first;
    }

    int warehouse(int warehouse) {
        return warehouse * rows;
    }

    int allCustomers(int warehouse) {
        return warehouse * rows + 1;
    }

    int district(int warehouse, int district) {
        return warehouse * rows + 2 + district;
    }

    int orders(int warehouse, int district) {
        return warehouse * rows + 2 + DISTRICTS + district;
    }

    private int stock(int warehouse, int item) {
        return warehouse * rows + 2 + DISTRICTS * (2 + settings.customers()) + item;
    }
}
