// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.demo;

import java.sql.SQLException;
import java.util.Map;
import org.h2.tools.Server;

/**
 * An H2 that this process serves on the loopback interface. In runs that kill shops, no shop may be the process that serves the
 * database to all others.
 */
final class SharedH2 implements AutoCloseable {
    /**
     * How long an order waits for a row that another one's transaction has changed. H2's default of two seconds is too short for the orders after
     * that of a stopped shop, whose transaction stays open until the shop continues. PostgreSQL waits without a limit.
     */
    private static final int LOCK_TIMEOUT_MILLIS = 30_000;

    private final Server server;

    private SharedH2(Server server) {
        this.server = server;
    }

    static SharedH2 start() {
        System.setProperty("h2.bindAddress", "127.0.0.1");
        try {
            return new SharedH2(
                    Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start());
        } catch (SQLException e) {
            throw new DemoFailedException("Cannot serve the database: " + e.getMessage(), e);
        }
    }

    /** Returns the URL of the shops' database. */
    String shopUrl() {
        return "jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/mem:shop;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT="
                + LOCK_TIMEOUT_MILLIS;
    }

    /** Returns the environment variables that make a shop use it. */
    Map<String, String> environment() {
        return Map.of("SPRING_DATASOURCE_URL", shopUrl());
    }

    /** Returns the URL of another database, by which candidates of the memory node are elected. */
    String engineUrl() {
        return "jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/mem:election;DB_CLOSE_DELAY=-1";
    }

    @Override
    public void close() {
        server.stop();
    }
}
