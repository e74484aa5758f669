// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
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
 * @param eventLoopThreads number of threads that read and write
 * @param pollNanos how long an event loop polls after its last work before it sleeps. Useful only with a spare core per loop: 20 us took a
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
        int eventLoopThreads,
        long pollNanos,
        int maxInFlight) {
    /** The defaults: no secret, no TLS, an ephemeral peer port. */
    public static final TcpFabricSettings DEFAULTS = new TcpFabricSettings(
            null, null, null, true, null, null, 0, Duration.ofSeconds(3), Duration.ofSeconds(5), 1, 0, 4096);

    /** Checks the values. */
    public TcpFabricSettings {
        secret = Secrets.checked(secret);
        if (peerPort < 0 || peerPort > 65535) {
            throw new IllegalArgumentException("peerPort must be 0 to 65535: " + peerPort);
        }
        if (connectTimeout.isNegative()
                || connectTimeout.isZero()
                || requestTimeout.isNegative()
                || requestTimeout.isZero()) {
            throw new IllegalArgumentException("time-outs must be positive: " + connectTimeout + ", " + requestTimeout);
        }
        if (eventLoopThreads < 1 || pollNanos < 0 || maxInFlight < 2 || Integer.bitCount(maxInFlight) != 1) {
            throw new IllegalArgumentException(
                    "eventLoopThreads must be positive, pollNanos not negative, maxInFlight a power of two: "
                            + eventLoopThreads + ", " + pollNanos + ", " + maxInFlight);
        }
    }

    /**
     * {@return these settings with another secret, null or empty for none}
     *
     * @param secret the new secret
     * @throws IllegalArgumentException if it is too short
     */
    public TcpFabricSettings withSecret(@Nullable String secret) {
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
                eventLoopThreads,
                pollNanos,
                maxInFlight);
    }

    /**
     * {@return these settings with fixed TLS contexts, towards memory nodes and peers and from peers}
     *
     * @param clientSsl context towards memory nodes and peers, or null
     * @param clientSslParameters parameters for it, or null
     * @param serverSsl context for connections from peers, or null
     * @param serverSslParameters parameters for it, or null
     * @throws IllegalArgumentException if there are parameters but no context
     */
    public TcpFabricSettings withTls(
            @Nullable SSLContext clientSsl,
            @Nullable SSLParameters clientSslParameters,
            @Nullable SSLContext serverSsl,
            @Nullable SSLParameters serverSslParameters) {
        return withTls(TlsMaterial.of(clientSsl, clientSslParameters), TlsMaterial.of(serverSsl, serverSslParameters));
    }

    /**
     * {@return these settings with other TLS towards memory nodes and peers, and from peers}
     *
     * @param clientTls TLS towards memory nodes and peers, or null for plain TCP
     * @param serverTls TLS for connections from peers, or null
     */
    public TcpFabricSettings withTls(@Nullable TlsMaterial clientTls, @Nullable TlsMaterial serverTls) {
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
                eventLoopThreads,
                pollNanos,
                maxInFlight);
    }

    /**
     * {@return these settings with other settings of how peers reach this process}
     *
     * @param listen whether to listen for peers
     * @param peerHost host to advertise, or null for the local address
     * @param peerPort port to listen on, 0 for any free one
     */
    public TcpFabricSettings withPeers(boolean listen, @Nullable String peerHost, int peerPort) {
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
                eventLoopThreads,
                pollNanos,
                maxInFlight);
    }

    /**
     * {@return these settings with another network interface on which to listen for peers, null for every interface}
     *
     * @param peerBindHost address or name of the interface
     */
    public TcpFabricSettings withPeerBindHost(@Nullable String peerBindHost) {
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
                eventLoopThreads,
                pollNanos,
                maxInFlight);
    }

    /**
     * {@return these settings with other time-outs}
     *
     * @param connectTimeout for connecting, handshake and joining
     * @param requestTimeout for an answer
     */
    public TcpFabricSettings withTimeouts(Duration connectTimeout, Duration requestTimeout) {
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
                eventLoopThreads,
                pollNanos,
                maxInFlight);
    }

    /**
     * {@return these settings with other event loops}
     *
     * @param eventLoopThreads number of threads
     * @param pollNanos how long each polls before it sleeps
     */
    public TcpFabricSettings withEventLoops(int eventLoopThreads, long pollNanos) {
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
                eventLoopThreads,
                pollNanos,
                maxInFlight);
    }

    /**
     * {@return these settings with another bound on chains in flight}
     *
     * @param maxInFlight the new bound, a power of two
     */
    public TcpFabricSettings withMaxInFlight(int maxInFlight) {
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
                eventLoopThreads,
                pollNanos,
                maxInFlight);
    }

    /** Shows the settings without the secret. */
    @Override
    public String toString() {
        return (secret == null ? "without a secret" : "with a secret")
                + (clientTls == null ? ", plain TCP" : ", TLS") + ", peers "
                + (listen ? (peerHost == null ? "auto" : peerHost) + ":" + peerPort : "through the memory node");
    }
}
