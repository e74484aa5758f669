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
    public static final PeerSettings DEFAULTS = builder().build();

    /** Checks the values. */
    public PeerSettings {
        SettingChecks.between("peer-port", port, 0, 65_535);
        SettingChecks.atLeast("max-peer-connections", maxConnections, 1);
    }

    /** Returns a builder that begins with the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds PeerSettings; what is not set has its default. Not thread-safe. */
    public static final class Builder {
        private boolean direct = true;
        private int port;
        private int maxConnections = 64;

        private Builder() {}

        /** Sets {@link PeerSettings#direct}. */
        public Builder direct(boolean direct) {
            this.direct = direct;
            return this;
        }

        /** Sets {@link PeerSettings#port}. */
        public Builder port(int port) {
            this.port = port;
            return this;
        }

        /** Sets {@link PeerSettings#maxConnections}. */
        public Builder maxConnections(int maxConnections) {
            this.maxConnections = maxConnections;
            return this;
        }

        /**
         * Builds the settings.
         *
         * @throws InvalidSettingException if a value cannot work
         */
        public PeerSettings build() {
            return new PeerSettings(direct, port, maxConnections);
        }
    }
}
