// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

import java.nio.file.Path;
import java.time.Duration;

/** What a cluster's programs run on. */
public interface Platform extends AutoCloseable {
    /** How much longer than a lease the memory node waits before it declares a worker dead. */
    Duration MARGIN = Duration.ofMillis(200);

    /** Sections a worker's ledger has room for. */
    int SECTIONS = 1 << 15;

    /** Returns the lease of every program. */
    Duration lease();

    /** Returns the directory with the ledgers. */
    Path directory();

    /** Returns the JDBC URL of the accounts, for this process. */
    String databaseUrl();

    /**
     * Starts the memory node's program, always at the same address, and waits until it serves.
     *
     * @param life how often it has been started
     * @param hadEarlierLife whether locks of an earlier life have to be waited for
     */
    Program startMemoryNode(int life, boolean hadEarlierLife);

    /** Starts a worker; it has not joined yet. The name is another each time. */
    Node launch(String name);

    /** Ends what is not the cluster's, and deletes every file. */
    @Override
    void close();
}
