// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.server;

import io.declock.MemoryNodeAddress;
import io.declock.Secrets;
import io.declock.SettingChecks;
import io.declock.TcpTransport;
import io.declock.TlsMaterial;
import io.declock.internal.tcp.wire.Wire;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a memory node's TCP server.
 *
 * @param host address to bind to; {@code 0.0.0.0} for every interface
 * @param port port to bind to, 0 for any free one
 * @param secrets secrets of which compute nodes must prove to know one: the current one and, during its replacement, the previous one, each
 *     of at least {@value Secrets#MIN_LENGTH} characters; if there is none, every compute node may join
 * @param tls TLS of the server, null for plain TCP; its parameters say, for example, whether client certificates are needed
 * @param transport interface of the operating system that event loops use
 * @param eventLoopThreads number of threads that execute verbs
 * @param eventLoopPolling how long an event loop polls after its last work before it sleeps. Useful only with a spare core per loop: 20 us took a
 *     blocking round trip on loopback from 29 to 24 us on two cores. It costs that much CPU after every burst, so it is off by default
 * @param preambleTimeout how long a connection may take from opening to its first {@value Wire#PREAMBLE_BYTES} bytes, TLS included; a value
 *     above {@code handshakeTimeout} has no effect
 * @param handshakeTimeout how long a connection may take from opening to joining
 * @param stallTimeout how long a compute node may leave its answers unread
 * @param maxConnections most connections at once; at most half of them may be connections that have not joined yet
 * @param maxNewcomersPerAddress most connections from one network address (of IPv6: one network of 64 bits) that have not joined yet. At
 *     this bound the oldest is closed to make room for the next. All compute nodes may share one address, behind NAT, and connect at the
 *     same moment, so the default is one more than a memory node can have.
 * @param maxPendingBytes most bytes of unread answers of one connection before the server stops reading from it
 */
public record MemoryNodeServerSettings(
        String host,
        int port,
        List<String> secrets,
        @Nullable TlsMaterial tls,
        TcpTransport transport,
        int eventLoopThreads,
        Duration eventLoopPolling,
        Duration preambleTimeout,
        Duration handshakeTimeout,
        Duration stallTimeout,
        int maxConnections,
        int maxNewcomersPerAddress,
        int maxPendingBytes) {
    /** The defaults: every interface, the default port, no secret, no TLS. */
    public static final MemoryNodeServerSettings DEFAULTS = builder().build();

    /** More threads than any machine has processors for. */
    private static final int MAX_THREADS = 1024;

    /** Checks the values. */
    public MemoryNodeServerSettings {
        SettingChecks.between("port", port, 0, 65_535);
        secrets = Secrets.checked(secrets);
        SettingChecks.between("eventLoopThreads", eventLoopThreads, 1, MAX_THREADS);
        SettingChecks.notNegative("eventLoopPolling", eventLoopPolling);
        SettingChecks.positive("preambleTimeout", preambleTimeout);
        SettingChecks.positive("handshakeTimeout", handshakeTimeout);
        SettingChecks.positive("stallTimeout", stallTimeout);
        SettingChecks.atLeast("maxConnections", maxConnections, 1);
        SettingChecks.atLeast("maxNewcomersPerAddress", maxNewcomersPerAddress, 1);
        SettingChecks.atLeast("maxPendingBytes", maxPendingBytes, 1024);
    }

    /** Returns a builder that begins with the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the same settings with another port. */
    MemoryNodeServerSettings onPort(int other) {
        return builder()
                .host(host)
                .port(other)
                .secrets(secrets)
                .tls(tls)
                .transport(transport)
                .eventLoopThreads(eventLoopThreads)
                .eventLoopPolling(eventLoopPolling)
                .preambleTimeout(preambleTimeout)
                .handshakeTimeout(handshakeTimeout)
                .stallTimeout(stallTimeout)
                .maxConnections(maxConnections)
                .maxNewcomersPerAddress(maxNewcomersPerAddress)
                .maxPendingBytes(maxPendingBytes)
                .build();
    }

    /** Shows the settings without the secrets. */
    @Override
    public String toString() {
        return host + ":" + port + (secrets.isEmpty() ? " without a secret" : " with a secret")
                + (tls == null ? ", plain TCP" : ", TLS") + ", " + eventLoopThreads + " event loops, at most "
                + maxConnections
                + " connections";
    }

    /** Builds MemoryNodeServerSettings; what is not set has its default. Not thread-safe. */
    public static final class Builder {
        private String host = "0.0.0.0";
        private int port = MemoryNodeAddress.DEFAULT_PORT;
        private List<String> secrets = List.of();
        private @Nullable TlsMaterial tls;
        private TcpTransport transport = TcpTransport.AUTO;
        private int eventLoopThreads =
                Math.max(1, Math.min(4, Runtime.getRuntime().availableProcessors() / 2));
        private Duration eventLoopPolling = Duration.ZERO;
        private Duration preambleTimeout = Duration.ofSeconds(2);
        private Duration handshakeTimeout = Duration.ofSeconds(5);
        private Duration stallTimeout = Duration.ofSeconds(5);
        private int maxConnections = 8192;
        private int maxNewcomersPerAddress = 1024;
        private int maxPendingBytes = 256 * 1024;

        private Builder() {}

        /** Sets {@link MemoryNodeServerSettings#host}. */
        public Builder host(String host) {
            this.host = host;
            return this;
        }

        /** Sets {@link MemoryNodeServerSettings#port}. */
        public Builder port(int port) {
            this.port = port;
            return this;
        }

        /** Sets {@link MemoryNodeServerSettings#secrets}. */
        public Builder secrets(List<String> secrets) {
            this.secrets = secrets;
            return this;
        }

        /** Sets {@link MemoryNodeServerSettings#tls}. */
        public Builder tls(@Nullable TlsMaterial tls) {
            this.tls = tls;
            return this;
        }

        /** Sets {@link MemoryNodeServerSettings#transport}. */
        public Builder transport(TcpTransport transport) {
            this.transport = transport;
            return this;
        }

        /** Sets {@link MemoryNodeServerSettings#eventLoopThreads}. */
        public Builder eventLoopThreads(int eventLoopThreads) {
            this.eventLoopThreads = eventLoopThreads;
            return this;
        }

        /** Sets {@link MemoryNodeServerSettings#eventLoopPolling}. */
        public Builder eventLoopPolling(Duration eventLoopPolling) {
            this.eventLoopPolling = eventLoopPolling;
            return this;
        }

        /** Sets {@link MemoryNodeServerSettings#preambleTimeout}. */
        public Builder preambleTimeout(Duration preambleTimeout) {
            this.preambleTimeout = preambleTimeout;
            return this;
        }

        /** Sets {@link MemoryNodeServerSettings#handshakeTimeout}. */
        public Builder handshakeTimeout(Duration handshakeTimeout) {
            this.handshakeTimeout = handshakeTimeout;
            return this;
        }

        /** Sets {@link MemoryNodeServerSettings#stallTimeout}. */
        public Builder stallTimeout(Duration stallTimeout) {
            this.stallTimeout = stallTimeout;
            return this;
        }

        /** Sets {@link MemoryNodeServerSettings#maxConnections}. */
        public Builder maxConnections(int maxConnections) {
            this.maxConnections = maxConnections;
            return this;
        }

        /** Sets {@link MemoryNodeServerSettings#maxNewcomersPerAddress}. */
        public Builder maxNewcomersPerAddress(int maxNewcomersPerAddress) {
            this.maxNewcomersPerAddress = maxNewcomersPerAddress;
            return this;
        }

        /** Sets {@link MemoryNodeServerSettings#maxPendingBytes}. */
        public Builder maxPendingBytes(int maxPendingBytes) {
            this.maxPendingBytes = maxPendingBytes;
            return this;
        }

        /**
         * Builds the settings.
         *
         * @throws io.declock.InvalidSettingException if a value cannot work
         */
        public MemoryNodeServerSettings build() {
            return new MemoryNodeServerSettings(
                    host,
                    port,
                    secrets,
                    tls,
                    transport,
                    eventLoopThreads,
                    eventLoopPolling,
                    preambleTimeout,
                    handshakeTimeout,
                    stallTimeout,
                    maxConnections,
                    maxNewcomersPerAddress,
                    maxPendingBytes);
        }
    }
}
