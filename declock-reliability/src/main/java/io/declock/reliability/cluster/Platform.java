// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

import java.time.Duration;

/** The platform on which a cluster's programs run. */
public interface Platform extends AutoCloseable {
    /** How long after the end of its lease the memory node declares a worker dead. */
    Duration MARGIN = Duration.ofMillis(200);

    /** Returns what all programs share. */
    Site site();

    /**
     * Starts the memory node's program, always at the same address, and waits until it serves.
     *
     * @param life how often it has been started
     * @param hadEarlierLife whether it must wait for locks of an earlier incarnation
     */
    Program startMemoryNode(int life, boolean hadEarlierLife);

    /** Starts a worker; it has not joined yet. The name must be different each time. */
    Node launch(String name);

    /** Ends the programs that the cluster does not own, and deletes every file. */
    @Override
    void close();
}
