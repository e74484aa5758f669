// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.InvalidSettingException;
import io.declock.TcpFabricSettings;
import io.declock.internal.tcp.client.RdmaFabricProvider;
import io.declock.internal.tcp.client.TcpFabric;
import io.declock.spi.Fabric;
import io.declock.spi.FabricCounters;
import java.io.UncheckedIOException;
import java.util.Map;
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
    private final TcpFabricSettings settings;

    TcpFabricFactory(DecLockProperties properties, DecLockConnectionDetails details, MemoryNodeChoice choice) {
        this.properties = properties;
        this.details = details;
        this.settings = DecLockSettings.bound(
                "declock.tcp.",
                Map.of("peerPort", "declock.peer.port", "secret", "declock.secret"),
                () -> settings(properties.tcp(), properties.peer(), details, choice));
    }

    private static TcpFabricSettings settings(
            DecLockProperties.Tcp tcp,
            DecLockProperties.Peer peer,
            DecLockConnectionDetails details,
            MemoryNodeChoice choice) {
        return TcpFabricSettings.builder()
                .secret(choice.secret(details))
                .clientTls(ReloadedTls.of(details, true))
                .serverTls(ReloadedTls.of(details, false))
                .peerHost(StringUtils.hasText(peer.host()) ? peer.host() : null)
                .peerBindHost(StringUtils.hasText(peer.bindHost()) ? peer.bindHost() : null)
                .peerPort(peer.port())
                .connectTimeout(tcp.connectTimeout())
                .requestTimeout(tcp.requestTimeout())
                .transport(tcp.transport())
                .eventLoopThreads(tcp.eventLoopThreads())
                .eventLoopPolling(tcp.eventLoopPolling())
                .build();
    }

    @Override
    public Fabric open(FabricCounters counters) {
        TcpFabric tcp = openTcp(counters);
        boolean rdma = DecLockSettings.addresses(details.getMemoryNodes()).stream()
                .anyMatch(address -> address.scheme().equals(RdmaFabricProvider.SCHEME));
        return rdma ? RdmaFabrics.open(properties.rdma(), tcp, counters) : tcp;
    }

    private TcpFabric openTcp(FabricCounters counters) {
        try {
            return TcpFabric.open(settings, counters);
        } catch (UncheckedIOException e) {
            throw new InvalidSettingException(
                    "declock.peer.port",
                    String.valueOf(settings.peerPort()),
                    "this instance cannot listen on it: " + e.getMessage(),
                    "Choose a port that is free, or remove the property to use any free one; check declock.peer.bind-host if it"
                            + " is set.",
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
