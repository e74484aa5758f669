// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.jdbc;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.EmptyResultDataAccessException;
import org.springframework.jdbc.core.JdbcOperations;

/**
 * An SQL update that a holder whose lock was lost can no longer make: each row carries the fencing token of the last write, and a
 * write with a lower token is refused. The same token may write again, so one holder may write a row several times.
 *
 * <pre>{@code
 * FencedUpdate.of("stock")
 *         .set("quantity", "quantity - ?", amount)
 *         .where("id = ?", id)
 *         .onlyIf("quantity >= ?", amount)
 *         .execute(jdbc, DecLockContext.currentToken());
 * // update stock set quantity = quantity - ?, fence = ? where id = ? and fence <= ? and quantity >= ?
 * }</pre>
 *
 * <p>A value that depends on what the row had before is written either by one such statement, or after {@link #claim}: the row is claimed first,
 * then read, then written.
 *
 * <p>The column for the token must be a {@code bigint not null}, initially zero. Table, column and conditions become part of the
 * statement unchanged: never put user input there. Immutable; each method returns a new update.
 */
public final class FencedUpdate {
    private static final String DEFAULT_COLUMN = "fence";

    private final String table;
    private final String column;
    private final List<Clause> assignments;
    private final @Nullable Clause row;
    private final @Nullable Clause condition;

    private FencedUpdate(
            String table, String column, List<Clause> assignments, @Nullable Clause row, @Nullable Clause condition) {
        this.table = table;
        this.column = column;
        this.assignments = assignments;
        this.row = row;
        this.condition = condition;
    }

    /**
     * Starts an update of a table whose column for the token is called {@code fence}.
     *
     * @param table the table
     * @return the update
     */
    public static FencedUpdate of(String table) {
        return new FencedUpdate(table, DEFAULT_COLUMN, List.of(), null, null);
    }

    /**
     * Names the column for the token.
     *
     * @param name the column
     * @return the new update
     */
    public FencedUpdate fenceColumn(String name) {
        return new FencedUpdate(table, name, assignments, row, condition);
    }

    /**
     * Assigns a value to a column.
     *
     * @param name the column
     * @param value its new value
     * @return the new update
     */
    public FencedUpdate set(String name, @Nullable Object value) {
        return set(name, "?", value);
    }

    /**
     * Assigns an SQL expression with its parameters to a column.
     *
     * @param name the column
     * @param expression an SQL expression
     * @param parameters its parameters
     * @return the new update
     */
    public FencedUpdate set(String name, String expression, @Nullable Object... parameters) {
        List<Clause> more = new ArrayList<>(assignments);
        more.add(new Clause(name + " = " + expression, Arrays.asList(parameters)));
        return new FencedUpdate(table, column, more, row, condition);
    }

    /**
     * Selects the row by its key. The update itself must not change whether the key matches the row.
     *
     * @param key an SQL condition
     * @param parameters its parameters
     * @return the new update
     */
    public FencedUpdate where(String key, @Nullable Object... parameters) {
        return new FencedUpdate(table, column, assignments, new Clause(key, Arrays.asList(parameters)), condition);
    }

    /**
     * Adds the application's own condition; if it does not hold, the update changes nothing, which is not an error.
     *
     * @param expression an SQL condition
     * @param parameters its parameters
     * @return the new update
     */
    public FencedUpdate onlyIf(String expression, @Nullable Object... parameters) {
        return new FencedUpdate(table, column, assignments, row, new Clause(expression, Arrays.asList(parameters)));
    }

    /**
     * Stores the token in the row and changes nothing else: to be called before the row is read, in the transaction that reads and writes it. From
     * then on no holder of an older token can write the row. Without it an older holder that has not noticed its loss may write between this
     * holder's read and its write, when its own token is still the newest that the row has seen; what it wrote would be overwritten unseen. If an
     * older holder's transaction has written the row already, the database lets this call wait until that transaction has ended, and what is read
     * after this call contains it.
     *
     * <p>The row stays locked in the database until the transaction ends: the next holder waits there if this one is stopped. READ COMMITTED
     * suffices, the default of PostgreSQL, Oracle, SQL Server and H2. Under stricter isolation by snapshots the database may refuse one of the transactions.
     * MySQL's default, REPEATABLE READ, reads as of the transaction's first read, so the claim must come before every read, also of other rows. What a JPA
     * persistence context has read before stays as it was: claim first, or refresh the entity.
     *
     * @param jdbc executes it
     * @param token the fencing token of the lock under which the row is read and written
     * @return how many rows were claimed: zero if there is no such row
     * @throws FencedOffException if rows are there and none was claimed, because they carry a higher token
     */
    public int claim(JdbcOperations jdbc, long token) {
        return new FencedUpdate(table, column, List.of(), row, null).execute(jdbc, token);
    }

    /**
     * Executes the update.
     *
     * @param jdbc executes it
     * @param token the fencing token of the lock under which the update is made
     * @return how many rows were changed: zero if there is no such row, or the condition does not hold
     * @throws FencedOffException if no row was changed, and one carries a higher token or there is no condition that could have kept it from being
     *     changed. Of several rows those that carry a higher token are left alone
     */
    public int execute(JdbcOperations jdbc, long token) {
        if (row == null) {
            throw new IllegalStateException("A fenced update needs where(...)");
        }
        StringBuilder sql = new StringBuilder("update ").append(table).append(" set ");
        List<@Nullable Object> parameters = new ArrayList<>();
        for (Clause assignment : assignments) {
            sql.append(assignment.sql).append(", ");
            parameters.addAll(assignment.parameters);
        }
        sql.append(column)
                .append(" = ? where (")
                .append(row.sql)
                .append(") and ")
                .append(column)
                .append(" <= ?");
        parameters.add(token);
        parameters.addAll(row.parameters);
        parameters.add(token);
        if (condition != null) {
            sql.append(" and (").append(condition.sql).append(')');
            parameters.addAll(condition.parameters);
        }
        int changed = jdbc.update(sql.toString(), parameters.toArray());
        if (changed == 0) {
            refuseIfNewer(jdbc, row, token);
        }
        return changed;
    }

    private void refuseIfNewer(JdbcOperations jdbc, Clause key, long token) {
        Long stored;
        try {
            stored = jdbc.queryForObject(
                    "select max(" + column + ") from " + table + " where " + key.sql,
                    Long.class,
                    key.parameters.toArray());
        } catch (EmptyResultDataAccessException e) {
            stored = null;
        }
        // Without a condition nothing but a higher token keeps a row from being changed, although a transaction that
        // reads a snapshot may not see it.
        if (stored != null && (stored > token || condition == null)) {
            throw new FencedOffException(table + " where " + key.sql + " " + key.parameters, token, stored);
        }
    }

    /** A piece of SQL with its parameters. */
    private record Clause(String sql, List<@Nullable Object> parameters) {}
}
