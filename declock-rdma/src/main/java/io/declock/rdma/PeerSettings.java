// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import io.declock.SettingChecks;

/**
 * Settings of the messages between compute nodes.
 *
 * @param direct whether messages use RDMA connections of their own; otherwise they use TCP
 * @param port port to listen on in the port space of RDMA, 0 for any free one
 * @param maxConnections maximum number of such connections; when one more is needed, the least recently used one ends, and its
 *     messages are relayed until they are more frequent again
 */
public record PeerSettings(boolean direct, int port, int maxConnections) {
    /** The defaults. */
    public static final PeerSettings DEFAULTS =
            new PeerSettings(/* direct= */ true, /* port= */ 0, /* maxConnections= */ 64);

    /**
     * Checks the values.
     *
     * @throws io.declock.InvalidSettingException if a value cannot work
     */
    public PeerSettings {
        SettingChecks.between("peer-port", port, 0, 65_535);
        SettingChecks.atLeast("max-peer-connections", maxConnections, 1);
    }
}
