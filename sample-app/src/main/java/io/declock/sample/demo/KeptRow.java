// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.demo;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * A product's row in the shop's database that the demonstration keeps from orders until it is closed. The next order for the product gets its
 * lock and then waits for the row: an order that is slow, and holds its lock while faults are injected.
 */
final class KeptRow implements AutoCloseable {
    private final Connection connection;
    private final String product;

    private KeptRow(Connection connection, String product) {
        this.connection = connection;
        this.product = product;
    }

    /** Waits for the row and keeps it. */
    static KeptRow keep(String url, String user, String password, String product) {
        try {
            KeptRow row = new KeptRow(DriverManager.getConnection(url, user, password), product);
            row.lock();
            return row;
        } catch (SQLException e) {
            throw new DemoFailedException("Cannot keep the row of " + product + ": " + e.getMessage(), e);
        }
    }

    private void lock() throws SQLException {
        try {
            connection.setAutoCommit(false);
            try (PreparedStatement select =
                    connection.prepareStatement("select stock from product where id = ? for update")) {
                select.setString(1, product);
                select.executeQuery().next();
            }
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    String product() {
        return product;
    }

    /** Leaves the row to the order that waits for it. */
    @Override
    public void close() {
        try {
            connection.rollback();
            connection.close();
        } catch (SQLException e) {
            throw new DemoFailedException("Cannot give back the row of " + product + ": " + e.getMessage(), e);
        }
    }
}
