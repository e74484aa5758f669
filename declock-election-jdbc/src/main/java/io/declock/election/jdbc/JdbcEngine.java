// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.election.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.declock.spi.election.ElectionEngine;
import io.declock.spi.election.ElectionException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A database as an engine: one row for each memory node, which an election and every change lock. A lease is judged by the database's own
 * clock, which must not be set forward by more than an eighth of it. Each attempt is one transaction. Thread-safe.
 */
final class JdbcEngine implements ElectionEngine {
    private final HikariDataSource pool;
    private final JdbcTables tables;
    private final String title;
    private final int timeoutSeconds;
    private final AtomicBoolean hasTables;

    JdbcEngine(HikariConfig config, JdbcTables tables, boolean createTables, String title) {
        this.pool = new HikariDataSource(config);
        this.tables = tables;
        this.title = title;
        this.timeoutSeconds = (int) Math.max(1, (config.getConnectionTimeout() + 999) / 1000);
        this.hasTables = new AtomicBoolean(!createTables);
    }

    @Override
    public String title() {
        return "the database " + title;
    }

    /** The statements of one transaction. */
    private interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    private <T> T transaction(String what, Work<T> work) throws ElectionException {
        try (Connection connection = pool.getConnection()) {
            try {
                T result = work.on(connection);
                connection.commit();
                return result;
            } catch (SQLException | RuntimeException e) {
                rollBack(connection, e);
                throw e;
            }
        } catch (SQLException | RuntimeException e) {
            throw new ElectionException(
                    what + " at " + title() + " failed: " + e.getMessage()
                            + "; check that it runs, and the settings url, username and password",
                    e);
        }
    }

    private static void rollBack(Connection connection, Exception cause) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }

    private PreparedStatement prepare(Connection connection, String sql, Object... values) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        statement.setQueryTimeout(timeoutSeconds);
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        return statement;
    }

    private int update(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = prepare(connection, sql, values)) {
            return statement.executeUpdate();
        }
    }

    /** The row of a memory node. */
    private record Row(long term, String candidate, boolean runs) {}

    @Override
    public Answer acquire(String memoryNode, String candidate, Duration lease) throws ElectionException {
        createTables();
        Optional<Answer> answer = elect(memoryNode, candidate, lease);
        if (answer.isEmpty()) {
            createRow(memoryNode);
            answer = elect(memoryNode, candidate, lease);
        }
        return answer.orElseThrow(() -> new ElectionException(
                "The row of memory node '" + memoryNode + "' at " + title() + " was deleted meanwhile", null));
    }

    /** Returns nothing if the memory node has no row. */
    private Optional<Answer> elect(String memoryNode, String candidate, Duration lease) throws ElectionException {
        return transaction("The election of a candidate for memory node '" + memoryNode + "'", connection -> {
            Optional<Row> row = lock(connection, memoryNode);
            if (row.isEmpty()) {
                return Optional.empty();
            }
            long term = row.get().term();
            if (row.get().runs()) {
                return Optional.of(new Held(term, row.get().candidate()));
            }
            update(connection, tables.elect(), candidate, lease.toMillis(), memoryNode);
            return Optional.of(new Elected(term + 1, kept(connection, memoryNode)));
        });
    }

    private void createTables() throws ElectionException {
        if (hasTables.get()) {
            return;
        }
        transaction("Creating the tables", connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.setQueryTimeout(timeoutSeconds);
                for (String create : tables.create()) {
                    statement.execute(create);
                }
            }
            return true;
        });
        hasTables.set(true);
    }

    /** A transaction of its own: after a failed INSERT PostgreSQL carries out nothing more in the same one. */
    private void createRow(String memoryNode) throws ElectionException {
        try {
            transaction(
                    "Entering memory node '" + memoryNode + "'",
                    connection -> update(connection, tables.insertNode(), memoryNode));
        } catch (ElectionException e) {
            if (!(e.getCause() instanceof SQLException duplicate && isDuplicate(duplicate))) {
                throw e;
            }
        }
    }

    /** Another candidate has inserted the row at the same moment. */
    private static boolean isDuplicate(SQLException e) {
        return e.getSQLState() != null && e.getSQLState().startsWith("23");
    }

    private Optional<Row> lock(Connection connection, String memoryNode) throws SQLException {
        try (PreparedStatement statement = prepare(connection, tables.lockNode(), memoryNode);
                ResultSet found = statement.executeQuery()) {
            return found.next()
                    ? Optional.of(new Row(found.getLong(1), found.getString(2), found.getBoolean(3)))
                    : Optional.empty();
        }
    }

    private Map<String, byte[]> kept(Connection connection, String memoryNode) throws SQLException {
        Map<String, byte[]> kept = new HashMap<>();
        try (PreparedStatement statement = prepare(connection, tables.kept(), memoryNode);
                ResultSet found = statement.executeQuery()) {
            while (found.next()) {
                kept.put(found.getString(1), Base64.getDecoder().decode(found.getString(2)));
            }
        }
        return kept;
    }

    @Override
    public Optional<Held> look(String memoryNode) throws ElectionException {
        createTables();
        return transaction(
                "Looking who serves memory node '" + memoryNode + "'",
                connection -> lock(connection, memoryNode)
                        .filter(Row::runs)
                        .map(row -> new Held(row.term(), row.candidate())));
    }

    @Override
    public boolean renew(String memoryNode, long term, Duration lease) throws ElectionException {
        return transaction(
                "The renewal of term " + term + " of memory node '" + memoryNode + "'",
                connection -> update(connection, tables.renew(), lease.toMillis(), memoryNode, term) == 1);
    }

    @Override
    public boolean keep(String memoryNode, long term, Map<String, Optional<byte[]>> changes) throws ElectionException {
        return transaction("Writing the members of memory node '" + memoryNode + "'", connection -> {
            try (PreparedStatement own = prepare(connection, tables.ownTerm(), memoryNode, term);
                    ResultSet found = own.executeQuery()) {
                if (!found.next()) {
                    return false;
                }
            }
            for (Map.Entry<String, Optional<byte[]>> change : changes.entrySet()) {
                change(connection, memoryNode, change.getKey(), change.getValue());
            }
            return true;
        });
    }

    private void change(Connection connection, String memoryNode, String name, Optional<byte[]> value)
            throws SQLException {
        if (value.isEmpty()) {
            update(connection, tables.remove(), memoryNode, name);
            return;
        }
        String text = Base64.getEncoder().encodeToString(value.get());
        // Nobody else inserts: the memory node's row is locked.
        if (update(connection, tables.update(), text, memoryNode, name) == 0) {
            update(connection, tables.insert(), text, memoryNode, name);
        }
    }

    @Override
    public void resign(String memoryNode, long term) throws ElectionException {
        transaction(
                "The end of term " + term + " of memory node '" + memoryNode + "'",
                connection -> update(connection, tables.resign(), memoryNode, term));
    }

    @Override
    public void close() {
        pool.close();
    }
}
