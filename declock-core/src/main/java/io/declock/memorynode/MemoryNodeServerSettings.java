// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode;

import io.declock.fabric.MemoryNodeAddress;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a memory node's TCP server.
 *
 * @param host address to bind to; {@code 0.0.0.0} for every interface
 * @param port port to bind to, 0 for any free one
 * @param secret what compute nodes must prove to know; null or empty: everyone may join
 * @param sslContext TLS with this context, null for plain TCP
 * @param sslParameters refines TLS, for example {@code needClientAuth}; null for the context's defaults
 * @param eventLoopThreads threads that execute verbs
 * @param pollNanos how long an event loop polls after it last had something to do, before it sleeps. Worth it only with a core
 *     to spare per loop: 20 us took a blocking round trip on loopback from 29 to 24 us on two cores, and costs that much CPU
 *     after every burst, so it is off by default
 * @param handshakeTimeout how long a connection may take from opening to joining
 * @param stallTimeout how long a compute node may leave its answers unread
 * @param maxConnections most connections at once
 * @param maxPendingBytes most bytes of unread answers of one connection before it is no longer read from
 */
public record MemoryNodeServerSettings(
        String host,
        int port,
        @Nullable String secret,
        @Nullable SSLContext sslContext,
        @Nullable SSLParameters sslParameters,
        int eventLoopThreads,
        long pollNanos,
        Duration handshakeTimeout,
        Duration stallTimeout,
        int maxConnections,
        int maxPendingBytes) {
    /** The defaults: every interface, the default port, no secret, no TLS. */
    public static final MemoryNodeServerSettings DEFAULTS = new MemoryNodeServerSettings(
            "0.0.0.0",
            MemoryNodeAddress.DEFAULT_PORT,
            null,
            null,
            null,
            Math.max(1, Math.min(4, Runtime.getRuntime().availableProcessors() / 2)),
            0,
            Duration.ofSeconds(5),
            Duration.ofSeconds(5),
            1024,
            256 * 1024);

    /** Checks the values. */
    public MemoryNodeServerSettings {
        if (port < 0 || port > 65535) {
            throw new IllegalArgumentException("port must be 0 to 65535: " + port);
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
                secret,
                sslContext,
                sslParameters,
                eventLoopThreads,
                pollNanos,
                handshakeTimeout,
                stallTimeout,
                maxConnections,
                maxPendingBytes);
    }

    /** Returns these settings with another secret. */
    public MemoryNodeServerSettings withSecret(@Nullable String secret) {
        return new MemoryNodeServerSettings(
                host,
                port,
                secret,
                sslContext,
                sslParameters,
                eventLoopThreads,
                pollNanos,
                handshakeTimeout,
                stallTimeout,
                maxConnections,
                maxPendingBytes);
    }

    /** Returns these settings with TLS. */
    public MemoryNodeServerSettings withTls(@Nullable SSLContext sslContext, @Nullable SSLParameters sslParameters) {
        return new MemoryNodeServerSettings(
                host,
                port,
                secret,
                sslContext,
                sslParameters,
                eventLoopThreads,
                pollNanos,
                handshakeTimeout,
                stallTimeout,
                maxConnections,
                maxPendingBytes);
    }

    /** Returns these settings with other event loops. */
    public MemoryNodeServerSettings withEventLoops(int eventLoopThreads, long pollNanos) {
        return new MemoryNodeServerSettings(
                host,
                port,
                secret,
                sslContext,
                sslParameters,
                eventLoopThreads,
                pollNanos,
                handshakeTimeout,
                stallTimeout,
                maxConnections,
                maxPendingBytes);
    }

    /** Returns these settings with other limits. */
    public MemoryNodeServerSettings withLimits(
            Duration handshakeTimeout, Duration stallTimeout, int maxConnections, int maxPendingBytes) {
        return new MemoryNodeServerSettings(
                host,
                port,
                secret,
                sslContext,
                sslParameters,
                eventLoopThreads,
                pollNanos,
                handshakeTimeout,
                stallTimeout,
                maxConnections,
                maxPendingBytes);
    }

    /** Shows everything but the secret. */
    @Override
    public String toString() {
        return host + ":" + port + (secret == null || secret.isEmpty() ? " without a secret" : " with a secret")
                + (sslContext == null ? ", plain TCP" : ", TLS") + ", " + eventLoopThreads + " event loops, at most "
                + maxConnections
                + " connections";
    }
}
