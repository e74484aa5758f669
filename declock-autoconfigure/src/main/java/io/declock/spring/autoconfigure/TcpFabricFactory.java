// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.Secrets;
import io.declock.TcpFabricSettings;
import io.declock.internal.tcp.TcpFabric;
import io.declock.spi.Fabric;
import io.declock.spi.FabricCounters;
import java.io.UncheckedIOException;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.util.StringUtils;

/**
 * Opens the TCP fabric that the properties describe, and the RDMA fabric on top of it if a memory node's address begins with rdma://.
 * Thread-safe.
 */
final class TcpFabricFactory implements FabricFactory {
    private final DecLockProperties properties;
    private final DecLockConnectionDetails details;
    private final MemoryNodeChoice choice;

    TcpFabricFactory(DecLockProperties properties, DecLockConnectionDetails details, MemoryNodeChoice choice) {
        this.properties = properties;
        this.details = details;
        this.choice = choice;
    }

    @Override
    public Fabric open(FabricCounters counters) {
        TcpFabric tcp = openTcp(counters);
        boolean rdma = DecLockSettings.addresses(details.getMemoryNodes()).stream()
                .anyMatch(address -> address.scheme().equals(RdmaFabrics.SCHEME));
        return rdma ? RdmaFabrics.open(properties.rdma(), tcp, counters) : tcp;
    }

    private TcpFabric openTcp(FabricCounters counters) {
        DecLockProperties.Tcp tcp = properties.tcp();
        DecLockProperties.Peer peer = properties.peer();
        TcpFabricSettings settings = TcpFabricSettings.DEFAULTS
                .withSecret(choice.secret(details))
                .withPeers(true, StringUtils.hasText(peer.host()) ? peer.host() : null, peer.port())
                .withPeerBindHost(StringUtils.hasText(peer.bindHost()) ? peer.bindHost() : null)
                .withTimeouts(tcp.connectTimeout(), tcp.requestTimeout())
                .withEventLoops(tcp.eventLoopThreads(), tcp.eventLoopPolling().toNanos());
        settings = settings.withTls(ReloadedTls.of(details, true), ReloadedTls.of(details, false));
        try {
            return TcpFabric.open(settings, counters);
        } catch (UncheckedIOException e) {
            throw new InvalidDecLockPropertyException(
                    "declock.peer.port",
                    String.valueOf(peer.port()),
                    "this instance cannot listen on it: " + e.getMessage(),
                    "Choose a port that is free, or remove the property to use any free one; check declock.peer.bind-host if it"
                            + " is set.",
                    e);
        }
    }

    /** Returns the secret, or null for none. A secret that is too short makes the start fail and is not shown. */
    static @Nullable String checkedSecret(DecLockConnectionDetails details) {
        try {
            return Secrets.checked(details.getSecret());
        } catch (IllegalArgumentException e) {
            throw new InvalidDecLockPropertyException(
                    "declock.secret",
                    "(not shown)",
                    String.valueOf(e.getMessage()),
                    "Memory nodes and services must all have the same one.",
                    e);
        }
    }

    /** Returns the TLS parameters of the bundle's options, null if the bundle has no options. */
    static @Nullable SSLParameters parameters(SslBundle bundle, boolean client) {
        SslOptions options = bundle.getOptions();
        if (!options.isSpecified()) {
            return null;
        }
        SSLParameters parameters = new SSLParameters(options.getCiphers(), options.getEnabledProtocols());
        if (client) {
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
        }
        return parameters;
    }
}
