// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.ledger;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The data that the locks protect: one amount per lock in a database, changed by reading it, waiting, and writing it back plus one. The
 * database knows nothing of locks: it accepts a write if its fencing token is not lower than the highest one stored. Every accepted write
 * is booked together with the amount read before, in one transaction, so that a lost update is visible. For one thread.
 */
public final class Accounts implements AutoCloseable {
    private final Connection connection;
    private final PreparedStatement fence;
    private final PreparedStatement read;
    private final PreparedStatement write;
    private final PreparedStatement book;

    /** Connects to the database at a JDBC URL. */
    public Accounts(String url) throws SQLException {
        connection = DriverManager.getConnection(url);
        connection.setAutoCommit(false);
        fence = connection.prepareStatement("update account set fence = ? where lock = ? and fence <= ?");
        read = connection.prepareStatement("select amount from account where lock = ?");
        write = connection.prepareStatement("update account set fence = ?, amount = ? where lock = ? and fence <= ?");
        book = connection.prepareStatement(
                "insert into booking(lock, token, owner, was, became) values (?, ?, ?, ?, ?)");
    }

    /** Makes the tables, with an empty account for each of that many locks. */
    public static void create(String url, int locks) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                PreparedStatement accounts = connection.prepareStatement(
                        "create table account(lock int primary key, fence bigint not null, amount bigint not null)");
                PreparedStatement bookings =
                        connection.prepareStatement("create table booking(number bigint generated always as"
                                + " identity primary key, lock int not null, token bigint not null, owner varchar(80) not null,"
                                + " was bigint not null, became bigint not null)")) {
            accounts.execute();
            bookings.execute();
            try (PreparedStatement empty = connection.prepareStatement("insert into account values (?, 0, 0)")) {
                for (int lock = 0; lock < locks; lock++) {
                    empty.setInt(1, lock);
                    empty.execute();
                }
            }
        }
    }

    /** Presents the token and reads the amount; returns -1 if the token is too old. */
    public long read(int lock, long token) throws SQLException {
        fence.setLong(1, token);
        fence.setInt(2, lock);
        fence.setLong(3, token);
        long amount = -1;
        if (fence.executeUpdate() == 1) {
            read.setInt(1, lock);
            try (ResultSet row = read.executeQuery()) {
                amount = row.next() ? row.getLong(1) : -1;
            }
        }
        connection.commit();
        return amount;
    }

    /** Writes back the read amount plus one; returns false if the token is too old. */
    public boolean write(int lock, long token, String owner, long was) throws SQLException {
        write.setLong(1, token);
        write.setLong(2, was + 1);
        write.setInt(3, lock);
        write.setLong(4, token);
        boolean taken = write.executeUpdate() == 1;
        if (taken) {
            book.setInt(1, lock);
            book.setLong(2, token);
            book.setString(3, owner);
            book.setLong(4, was);
            book.setLong(5, was + 1);
            book.executeUpdate();
        }
        connection.commit();
        return taken;
    }

    /** Closes the connection. */
    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
