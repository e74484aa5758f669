// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.peer;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** Values in a table of a PostgreSQL, one row each, with a pool of connections; each statement is a transaction. Thread-safe. */
final class DatabaseStore implements ValueOf.Store {
    private static final String READ = "SELECT content FROM guarded WHERE name = ?";
    private static final String WRITE =
            "INSERT INTO guarded (name, content) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET content = excluded.content";

    private final HikariDataSource connections = new HikariDataSource();

    /** Connects, and makes the table if there is none. */
    DatabaseStore(String url) throws SQLException {
        connections.setJdbcUrl(url);
        try (Connection connection = connections.getConnection();
                Statement statement = connection.createStatement()) {
            // Two processes that make the table at the same time would fail at each other.
            statement.execute("SELECT pg_advisory_lock(1)");
            statement.execute(
                    "CREATE TABLE IF NOT EXISTS guarded (name VARCHAR(200) PRIMARY KEY, content VARCHAR(1024) NOT NULL)");
            statement.execute("SELECT pg_advisory_unlock(1)");
        }
    }

    @Override
    public @Nullable String get(String name) throws SQLException {
        try (Connection connection = connections.getConnection();
                PreparedStatement statement = connection.prepareStatement(READ)) {
            statement.setString(1, name);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getString(1) : null;
            }
        }
    }

    @Override
    public void set(String name, String value) throws SQLException {
        try (Connection connection = connections.getConnection();
                PreparedStatement statement = connection.prepareStatement(WRITE)) {
            statement.setString(1, name);
            statement.setString(2, value);
            statement.executeUpdate();
        }
    }

    @Override
    public void close() {
        connections.close();
    }
}
