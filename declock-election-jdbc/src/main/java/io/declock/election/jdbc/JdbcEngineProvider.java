// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.election.jdbc;

import com.zaxxer.hikari.HikariConfig;
import io.declock.spi.election.ElectionEngine;
import io.declock.spi.election.ElectionEngineProvider;
import io.declock.spi.election.ElectionSettings;
import io.declock.spi.election.InvalidElectionSettingException;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Opens {@link JdbcEngine}s. Settings: {@code url} (required), {@code username}, {@code password}, {@code table-prefix} ({@code declock_}),
 * {@code create-tables} ({@code true}). Stateless.
 */
public final class JdbcEngineProvider implements ElectionEngineProvider {
    private static final Pattern PREFIX = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,39}");
    /** HikariCP's shortest time limits. */
    private static final long LEAST_MILLIS = 250;

    /** Makes one, for the service loader. */
    public JdbcEngineProvider() {}

    @Override
    public String kind() {
        return "jdbc";
    }

    @Override
    public ElectionEngine open(Map<String, String> settings, Duration timeout) throws InvalidElectionSettingException {
        ElectionSettings read = new ElectionSettings(settings);
        String url = read.required("url", "jdbc:postgresql://db.example:5432/locks");
        String username = read.optional("username", "");
        String password = read.optional("password", "");
        String prefix = read.optional("table-prefix", "declock_");
        String create = read.optional("create-tables", "true").toLowerCase(Locale.ROOT);
        read.end();
        checkDriver(url);
        if (!PREFIX.matcher(prefix).matches()) {
            throw new InvalidElectionSettingException(
                    "table-prefix",
                    "is '" + prefix + "', which cannot begin the name of a table",
                    "Use at most 40 letters, digits and underscores, beginning with a letter.",
                    null);
        }
        if (!create.equals("true") && !create.equals("false")) {
            throw new InvalidElectionSettingException(
                    "create-tables", "is '" + create + "'", "Set it to true or false.", null);
        }
        return new JdbcEngine(
                pool(url, username, password, timeout), JdbcTables.of(prefix), create.equals("true"), titleOf(url));
    }

    private static void checkDriver(String url) throws InvalidElectionSettingException {
        try {
            DriverManager.getDriver(url);
        } catch (SQLException e) {
            throw new InvalidElectionSettingException(
                    "url",
                    "is '" + titleOf(url) + "', for which there is no JDBC driver",
                    "Use a URL of PostgreSQL or H2, or add the driver of your database to the class path.",
                    e);
        }
    }

    private static HikariConfig pool(String url, String username, String password, Duration timeout) {
        HikariConfig config = new HikariConfig();
        long millis = Math.max(LEAST_MILLIS, timeout.toMillis());
        config.setJdbcUrl(url);
        if (!username.isEmpty()) {
            config.setUsername(username);
            config.setPassword(password);
        }
        config.setPoolName("declock-election");
        // One for the term, one for what is kept.
        config.setMaximumPoolSize(2);
        config.setConnectionTimeout(millis);
        config.setValidationTimeout(LEAST_MILLIS);
        // The database need not be there yet.
        config.setInitializationFailTimeout(-1);
        config.setAutoCommit(false);
        if (url.startsWith("jdbc:postgresql:")) {
            String seconds = Long.toString(Math.max(1, (millis + 999) / 1000));
            config.addDataSourceProperty("socketTimeout", seconds);
            config.addDataSourceProperty("connectTimeout", seconds);
            config.addDataSourceProperty("loginTimeout", seconds);
            config.addDataSourceProperty("ApplicationName", "declock-memory-node");
        }
        return config;
    }

    /** A URL may have a password among its parameters, which follow the first of these characters. */
    private static String titleOf(String url) {
        return url.split("[?;]", 2)[0].replaceAll("//[^/@]*@", "//");
    }
}
