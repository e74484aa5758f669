// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

/**
 * How messages between compute nodes travel.
 *
 * @param direct whether on RDMA connections of their own; otherwise as over TCP
 * @param port port to listen on in the port space of RDMA, 0 for any free one
 * @param maxConnections most such connections at once; when one more is wanted, that which was used longest ago ends, and its
 *     messages are relayed until they are more frequent again
 */
public record PeerSettings(boolean direct, int port, int maxConnections) {
    /** The defaults. */
    public static final PeerSettings DEFAULTS = new PeerSettings(true, 0, 64);

    /** Checks the values. */
    public PeerSettings {
        if (port < 0 || port > 65535 || maxConnections < 1) {
            throw new IllegalArgumentException(
                    "port must be 0 to 65535, max-connections positive: " + port + ", " + maxConnections);
        }
    }
}
