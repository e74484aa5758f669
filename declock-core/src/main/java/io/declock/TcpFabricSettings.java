// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the TCP fabric of a compute node.
 *
 * @param secret shared secret that this process proves to memory nodes, at least {@value Secrets#MIN_LENGTH} characters; null or empty for
 *     none
 * @param clientTls TLS towards memory nodes and peers, null for plain TCP. Without parameters the host name of a memory node's certificate
 *     is verified.
 * @param serverTls TLS for connections from peers. With {@code clientTls} but without this, the process does not listen for peers, and they
 *     reach it through the memory node.
 * @param listen whether to listen for peers at all; if not, they reach this process through the memory node
 * @param peerHost host to advertise to peers, or {@code host:port} if peers reach this process by another port than the one it listens on
 *     (port mapping); null for the local address of the connection to the memory node
 * @param peerBindHost address or name of the network interface to listen on for peers, null for every interface
 * @param peerPort port to listen on for peers, 0 for any free one
 * @param connectTimeout how long connecting, the handshake and joining may take together. Where connecting succeeded before, a connection
 *     attempt alone is given up sooner and tried again: after a sixth of the lease, but not before 400 ms
 * @param requestTimeout how long an answer may take before the session counts as lost
 * @param transport interface of the operating system that event loops use
 * @param eventLoopThreads number of threads that read and write
 * @param eventLoopPolling how long an event loop polls after its last work before it sleeps. Useful only with a spare core per loop: 20 us took a
 *     blocking round trip on loopback from 29 to 24 us on two cores. It costs that much CPU after every burst, so it is off by default
 * @param maxInFlight most chains of one session that are posted and not answered, a power of two; further chains wait in this process
 */
public record TcpFabricSettings(
        @Nullable String secret,
        @Nullable TlsMaterial clientTls,
        @Nullable TlsMaterial serverTls,
        boolean listen,
        @Nullable String peerHost,
        @Nullable String peerBindHost,
        int peerPort,
        Duration connectTimeout,
        Duration requestTimeout,
        TcpTransport transport,
        int eventLoopThreads,
        Duration eventLoopPolling,
        int maxInFlight) {
    /** The defaults: no secret, no TLS, an ephemeral peer port. */
    public static final TcpFabricSettings DEFAULTS = builder().build();

    /** More threads than any machine has processors for. */
    private static final int MAX_THREADS = 1024;

    /**
     * Checks the values.
     *
     * @throws InvalidSettingException if a value cannot work
     */
    public TcpFabricSettings {
        secret = Secrets.checked(secret);
        SettingChecks.between("peerPort", peerPort, 0, 65_535);
        SettingChecks.positive("connectTimeout", connectTimeout);
        SettingChecks.positive("requestTimeout", requestTimeout);
        SettingChecks.between("eventLoopThreads", eventLoopThreads, 1, MAX_THREADS);
        SettingChecks.notNegative("eventLoopPolling", eventLoopPolling);
        SettingChecks.powerOfTwo("maxInFlight", maxInFlight, 2, 1 << 30);
    }

    /** {@return a builder that begins with the defaults} */
    public static Builder builder() {
        return new Builder();
    }

    /** Shows the settings without the secret. */
    @Override
    public String toString() {
        return (secret == null ? "without a secret" : "with a secret")
                + (clientTls == null ? ", plain TCP" : ", TLS") + ", peers "
                + (listen ? (peerHost == null ? "auto" : peerHost) + ":" + peerPort : "through the memory node");
    }

    /** Builds TcpFabricSettings; what is not set has its default. Not thread-safe. */
    public static final class Builder {
        private @Nullable String secret;
        private @Nullable TlsMaterial clientTls;
        private @Nullable TlsMaterial serverTls;
        private boolean listen = true;
        private @Nullable String peerHost;
        private @Nullable String peerBindHost;
        private int peerPort;
        private Duration connectTimeout = Duration.ofSeconds(3);
        private Duration requestTimeout = Duration.ofSeconds(5);
        private TcpTransport transport = TcpTransport.AUTO;
        private int eventLoopThreads = 1;
        private Duration eventLoopPolling = Duration.ZERO;
        private int maxInFlight = 4096;

        private Builder() {}

        /**
         * {@return this builder, with another {@link TcpFabricSettings#secret}}
         *
         * @param secret the value
         */
        public Builder secret(@Nullable String secret) {
            this.secret = secret;
            return this;
        }

        /**
         * {@return this builder, with another {@link TcpFabricSettings#clientTls}}
         *
         * @param clientTls the value
         */
        public Builder clientTls(@Nullable TlsMaterial clientTls) {
            this.clientTls = clientTls;
            return this;
        }

        /**
         * {@return this builder, with another {@link TcpFabricSettings#serverTls}}
         *
         * @param serverTls the value
         */
        public Builder serverTls(@Nullable TlsMaterial serverTls) {
            this.serverTls = serverTls;
            return this;
        }

        /**
         * {@return this builder, with another {@link TcpFabricSettings#listen}}
         *
         * @param listen the value
         */
        public Builder listen(boolean listen) {
            this.listen = listen;
            return this;
        }

        /**
         * {@return this builder, with another {@link TcpFabricSettings#peerHost}}
         *
         * @param peerHost the value
         */
        public Builder peerHost(@Nullable String peerHost) {
            this.peerHost = peerHost;
            return this;
        }

        /**
         * {@return this builder, with another {@link TcpFabricSettings#peerBindHost}}
         *
         * @param peerBindHost the value
         */
        public Builder peerBindHost(@Nullable String peerBindHost) {
            this.peerBindHost = peerBindHost;
            return this;
        }

        /**
         * {@return this builder, with another {@link TcpFabricSettings#peerPort}}
         *
         * @param peerPort the value
         */
        public Builder peerPort(int peerPort) {
            this.peerPort = peerPort;
            return this;
        }

        /**
         * {@return this builder, with another {@link TcpFabricSettings#connectTimeout}}
         *
         * @param connectTimeout the value
         */
        public Builder connectTimeout(Duration connectTimeout) {
            this.connectTimeout = connectTimeout;
            return this;
        }

        /**
         * {@return this builder, with another {@link TcpFabricSettings#requestTimeout}}
         *
         * @param requestTimeout the value
         */
        public Builder requestTimeout(Duration requestTimeout) {
            this.requestTimeout = requestTimeout;
            return this;
        }

        /**
         * {@return this builder, with another {@link TcpFabricSettings#transport}}
         *
         * @param transport the value
         */
        public Builder transport(TcpTransport transport) {
            this.transport = transport;
            return this;
        }

        /**
         * {@return this builder, with another {@link TcpFabricSettings#eventLoopThreads}}
         *
         * @param eventLoopThreads the value
         */
        public Builder eventLoopThreads(int eventLoopThreads) {
            this.eventLoopThreads = eventLoopThreads;
            return this;
        }

        /**
         * {@return this builder, with another {@link TcpFabricSettings#eventLoopPolling}}
         *
         * @param eventLoopPolling the value
         */
        public Builder eventLoopPolling(Duration eventLoopPolling) {
            this.eventLoopPolling = eventLoopPolling;
            return this;
        }

        /**
         * {@return this builder, with another {@link TcpFabricSettings#maxInFlight}}
         *
         * @param maxInFlight the value
         */
        public Builder maxInFlight(int maxInFlight) {
            this.maxInFlight = maxInFlight;
            return this;
        }

        /**
         * {@return the settings}
         *
         * @throws InvalidSettingException if a value cannot work
         */
        public TcpFabricSettings build() {
            return new TcpFabricSettings(
                    secret,
                    clientTls,
                    serverTls,
                    listen,
                    peerHost,
                    peerBindHost,
                    peerPort,
                    connectTimeout,
                    requestTimeout,
                    transport,
                    eventLoopThreads,
                    eventLoopPolling,
                    maxInFlight);
        }
    }
}
