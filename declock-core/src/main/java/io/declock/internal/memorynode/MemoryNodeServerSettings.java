// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.MemoryNodeAddress;
import io.declock.Secrets;
import io.declock.TlsMaterial;
import io.declock.internal.tcp.wire.Wire;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a memory node's TCP server.
 *
 * @param host address to bind to; {@code 0.0.0.0} for every interface
 * @param port port to bind to, 0 for any free one
 * @param secrets secrets of which compute nodes must prove to know one: the current one and, during its replacement, the previous one, each
 *     of at least {@value Secrets#MIN_LENGTH} characters; if there is none, every compute node may join
 * @param tls TLS of the server, null for plain TCP; its parameters say, for example, whether client certificates are needed
 * @param eventLoopThreads number of threads that execute verbs
 * @param pollNanos how long an event loop polls after its last work before it sleeps. Useful only with a spare core per loop: 20 us took a
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
        int eventLoopThreads,
        long pollNanos,
        Duration preambleTimeout,
        Duration handshakeTimeout,
        Duration stallTimeout,
        int maxConnections,
        int maxNewcomersPerAddress,
        int maxPendingBytes) {
    /** The defaults: every interface, the default port, no secret, no TLS. */
    public static final MemoryNodeServerSettings DEFAULTS = new MemoryNodeServerSettings(
            "0.0.0.0",
            MemoryNodeAddress.DEFAULT_PORT,
            List.of(),
            null,
            Math.max(1, Math.min(4, Runtime.getRuntime().availableProcessors() / 2)),
            0,
            Duration.ofSeconds(2),
            Duration.ofSeconds(5),
            Duration.ofSeconds(5),
            1024,
            256,
            256 * 1024);

    /** Checks the values. */
    public MemoryNodeServerSettings {
        if (port < 0 || port > 65535) {
            throw new IllegalArgumentException("port must be 0 to 65535: " + port);
        }
        secrets = Secrets.checked(secrets);
        if (preambleTimeout.isNegative() || preambleTimeout.isZero() || maxNewcomersPerAddress < 1) {
            throw new IllegalArgumentException("preambleTimeout and maxNewcomersPerAddress must be positive: "
                    + preambleTimeout + ", " + maxNewcomersPerAddress);
        }
        if (eventLoopThreads < 1 || maxConnections < 1 || maxPendingBytes < 1024 || pollNanos < 0) {
            throw new IllegalArgumentException(
                    "eventLoopThreads and maxConnections must be positive, pollNanos not negative, maxPendingBytes"
                            + " at least 1024: " + eventLoopThreads + ", " + maxConnections + ", " + pollNanos + ", "
                            + maxPendingBytes);
        }
    }

    /** Returns these settings with another address. */
    public MemoryNodeServerSettings withAddress(String host, int port) {
        return new MemoryNodeServerSettings(
                host,
                port,
                secrets,
                tls,
                eventLoopThreads,
                pollNanos,
                preambleTimeout,
                handshakeTimeout,
                stallTimeout,
                maxConnections,
                maxNewcomersPerAddress,
                maxPendingBytes);
    }

    /** Returns these settings with another secret, null or empty for none. */
    public MemoryNodeServerSettings withSecret(@Nullable String secret) {
        return withSecrets(secret == null ? List.of() : List.of(secret));
    }

    /**
     * Returns these settings with other secrets, without the empty ones.
     *
     * @throws IllegalArgumentException if one is too short, or there are more than {@value Secrets#MOST}
     */
    public MemoryNodeServerSettings withSecrets(List<String> secrets) {
        return new MemoryNodeServerSettings(
                host,
                port,
                secrets,
                tls,
                eventLoopThreads,
                pollNanos,
                preambleTimeout,
                handshakeTimeout,
                stallTimeout,
                maxConnections,
                maxNewcomersPerAddress,
                maxPendingBytes);
    }

    /**
     * Returns these settings with a fixed TLS context, or without TLS.
     *
     * @throws IllegalArgumentException if there are parameters but no context
     */
    public MemoryNodeServerSettings withTls(@Nullable SSLContext sslContext, @Nullable SSLParameters sslParameters) {
        return withTls(TlsMaterial.of(sslContext, sslParameters));
    }

    /** Returns these settings with other TLS, null for plain TCP. */
    public MemoryNodeServerSettings withTls(@Nullable TlsMaterial tls) {
        return new MemoryNodeServerSettings(
                host,
                port,
                secrets,
                tls,
                eventLoopThreads,
                pollNanos,
                preambleTimeout,
                handshakeTimeout,
                stallTimeout,
                maxConnections,
                maxNewcomersPerAddress,
                maxPendingBytes);
    }

    /** Returns these settings with other event loops. */
    public MemoryNodeServerSettings withEventLoops(int eventLoopThreads, long pollNanos) {
        return new MemoryNodeServerSettings(
                host,
                port,
                secrets,
                tls,
                eventLoopThreads,
                pollNanos,
                preambleTimeout,
                handshakeTimeout,
                stallTimeout,
                maxConnections,
                maxNewcomersPerAddress,
                maxPendingBytes);
    }

    /** Returns these settings with other limits. */
    public MemoryNodeServerSettings withLimits(
            Duration handshakeTimeout, Duration stallTimeout, int maxConnections, int maxPendingBytes) {
        return new MemoryNodeServerSettings(
                host,
                port,
                secrets,
                tls,
                eventLoopThreads,
                pollNanos,
                preambleTimeout,
                handshakeTimeout,
                stallTimeout,
                maxConnections,
                maxNewcomersPerAddress,
                maxPendingBytes);
    }

    /** Returns these settings with other bounds on connections that have not joined yet. */
    public MemoryNodeServerSettings withNewcomers(Duration preambleTimeout, int maxNewcomersPerAddress) {
        return new MemoryNodeServerSettings(
                host,
                port,
                secrets,
                tls,
                eventLoopThreads,
                pollNanos,
                preambleTimeout,
                handshakeTimeout,
                stallTimeout,
                maxConnections,
                maxNewcomersPerAddress,
                maxPendingBytes);
    }

    /** Shows the settings without the secrets. */
    @Override
    public String toString() {
        return host + ":" + port + (secrets.isEmpty() ? " without a secret" : " with a secret")
                + (tls == null ? ", plain TCP" : ", TLS") + ", " + eventLoopThreads + " event loops, at most "
                + maxConnections
                + " connections";
    }
}
