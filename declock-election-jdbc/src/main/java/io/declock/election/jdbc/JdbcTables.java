// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.election.jdbc;

import java.util.List;

/**
 * The statements on the two tables: one row for each memory node with its term, and one for each value that is kept. Time is the database's own,
 * in milliseconds since 1970. Immutable.
 */
record JdbcTables(
        List<String> create,
        String insertNode,
        String lockNode,
        String elect,
        String renew,
        String resign,
        String ownTerm,
        String kept,
        String remove,
        String update,
        String insert) {
    // PostgreSQL takes this when the transaction begins, which may then wait for the row. So a lease seems to last
    // longer to those who want to take over, and ends sooner than it could; its holder counts from before the attempt.
    private static final String NOW = "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * 1000 AS BIGINT)";

    /** Returns the statements for tables with a prefix. */
    static JdbcTables of(String prefix) {
        String nodes = prefix + "memory_node";
        String values = prefix + "kept";
        return new JdbcTables(
                List.of(
                        "CREATE TABLE IF NOT EXISTS " + nodes + " (memory_node VARCHAR(256) PRIMARY KEY,"
                                + " term BIGINT NOT NULL, candidate VARCHAR(1024) NOT NULL, expires_at BIGINT NOT NULL)",
                        "CREATE TABLE IF NOT EXISTS " + values + " (memory_node VARCHAR(256) NOT NULL,"
                                + " entry VARCHAR(100) NOT NULL, content VARCHAR(6000) NOT NULL,"
                                + " PRIMARY KEY (memory_node, entry))"),
                "INSERT INTO " + nodes + " (memory_node, term, candidate, expires_at) VALUES (?, 0, '', 0)",
                "SELECT term, candidate, expires_at > " + NOW + " FROM " + nodes + " WHERE memory_node = ? FOR UPDATE",
                "UPDATE " + nodes + " SET term = term + 1, candidate = ?, expires_at = " + NOW
                        + " + ? WHERE memory_node = ?",
                "UPDATE " + nodes + " SET expires_at = " + NOW
                        + " + ? WHERE memory_node = ? AND term = ? AND expires_at > 0",
                "UPDATE " + nodes + " SET expires_at = 0 WHERE memory_node = ? AND term = ?",
                "SELECT term FROM " + nodes + " WHERE memory_node = ? AND term = ? AND expires_at > 0 FOR UPDATE",
                "SELECT entry, content FROM " + values + " WHERE memory_node = ?",
                "DELETE FROM " + values + " WHERE memory_node = ? AND entry = ?",
                "UPDATE " + values + " SET content = ? WHERE memory_node = ? AND entry = ?",
                "INSERT INTO " + values + " (content, memory_node, entry) VALUES (?, ?, ?)");
    }
}
