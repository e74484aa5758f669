// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app;

import io.declock.InvalidSettingException;
import io.declock.TlsMaterial;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.memorynode.app.MemoryNodeProperties.ClientAuth;
import io.declock.memorynode.app.console.ConsoleSource;
import io.declock.spi.NodeSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Wires the memory node, its health and its metrics. */
@Configuration(proxyBeanMethods = false)
class MemoryNodeConfiguration {
    private static final String PREFIX = "declock.memory-node.";

    /** The properties that are not called as the settings are. */
    private static final Map<String, String> OTHER_NAMES = Map.of("host", "bind-address", "secrets", "secret");

    @Bean
    MemoryNodeService memoryNode(MemoryNodeProperties properties, SslBundles sslBundles) {
        Sizing sizing = Sizing.of(properties);
        return new MemoryNodeService(
                properties, sizing, nodeSettings(properties, sizing), serverSettings(properties, sslBundles));
    }

    /** Hides the secrets from every user of the actuator, whatever is configured for other values. */
    @Bean
    SanitizingFunction memoryNodeSanitizingFunction() {
        return SanitizingFunction.sanitizeValue()
                .ifKeyMatches(
                        "^declock[._]memory-?node[._]((former-?)?secret|console[._].*password|election[._].*(password|auth))$");
    }

    @Bean
    HealthIndicator memoryNodeHealthIndicator(MemoryNodeService service) {
        return new MemoryNodeHealthIndicator(service);
    }

    @Bean
    MemoryNodeMetrics memoryNodeMetrics(MemoryNodeService service) {
        return new MemoryNodeMetrics(service);
    }

    @Bean
    @ConditionalOnAvailableEndpoint
    LocksEndpoint locksEndpoint(MemoryNodeService service, ApplicationEventPublisher events) {
        return new LocksEndpoint(service::operator, events);
    }

    @Bean
    ConsoleSource consoleSource(MemoryNodeService service) {
        return service.console();
    }

    private static MemoryNodeSettings nodeSettings(MemoryNodeProperties properties, Sizing sizing) {
        String id = properties.id();
        if (id == null || id.isBlank()) {
            throw new MemoryNodeStartException(
                    "declock.memory-node.id is not set. Lock names are distributed over memory nodes by their ids, so a memory node"
                            + " that comes back with another id would split names between two records. A host name is no substitute,"
                            + " because it changes with each container.",
                    "Set declock.memory-node.id to a name that this memory node keeps for ever, for example 'locks-1', and"
                            + " that no other memory node has.");
        }
        return bound(() -> MemoryNodeSettings.builder(id)
                .records(sizing.records())
                .queueCapacity(sizing.layout().capacity())
                .recordsPerSession(properties.recordsPerSession())
                .values(properties.values())
                .maxLease(properties.maxLease())
                .formerLease(properties.formerLease())
                .leaseMargin(properties.leaseMargin())
                .waitOutOldSessions(properties.waitOutOldSessions())
                .reclaimInterval(properties.reclaimInterval())
                .nodeSet(nodeSet(id, properties.nodes()))
                .preallocate(properties.preallocate())
                .failOver(MemoryNodeElection.failOver(properties.election()))
                .build());
    }

    private static NodeSet nodeSet(String id, List<String> nodes) {
        if (nodes.isEmpty()) {
            return NodeSet.NONE;
        }
        Set<String> different = new LinkedHashSet<>(nodes);
        if (different.size() != nodes.size() || !different.contains(id)) {
            throw new MemoryNodeStartException(
                    "declock.memory-node.nodes is '" + String.join(",", nodes) + "', which "
                            + (different.contains(id)
                                    ? "has an id twice"
                                    : "does not have this memory node's own id '" + id + "'")
                            + ".",
                    "List the id of every memory node that the services use exactly once, with the same list in each memory node, or"
                            + " remove the property.");
        }
        return NodeSet.of(nodes);
    }

    private static MemoryNodeServerSettings serverSettings(MemoryNodeProperties properties, SslBundles sslBundles) {
        SslBundle bundle = bundle(properties.ssl().bundle(), sslBundles);
        checkSecurity(properties, bundle);
        Integer threads = properties.eventLoopThreads();
        TlsMaterial tls = tls(properties.ssl(), bundle, sslBundles);
        return bound(() -> MemoryNodeServerSettings.builder()
                .host(properties.bindAddress())
                .port(properties.port())
                .secrets(properties.secrets())
                .tls(tls)
                .transport(properties.transport())
                .eventLoopThreads(threads == null ? MemoryNodeServerSettings.DEFAULTS.eventLoopThreads() : threads)
                .eventLoopPolling(properties.eventLoopPolling())
                .preambleTimeout(properties.preambleTimeout())
                .handshakeTimeout(properties.handshakeTimeout())
                .stallTimeout(properties.stallTimeout())
                .maxConnections(properties.maxConnections())
                .maxNewcomersPerAddress(properties.maxNewcomersPerAddress())
                .build());
    }

    private static @Nullable TlsMaterial tls(
            MemoryNodeProperties.Ssl ssl, @Nullable SslBundle bundle, SslBundles sslBundles) {
        String bundleName = ssl.bundle();
        if (bundle == null || bundleName == null) {
            return null;
        }
        AtomicReference<SSLContext> context = new AtomicReference<>(bundle.createSslContext());
        // Connections that are made after the bundle's files have changed use the new files.
        sslBundles.addBundleUpdateHandler(bundleName, updated -> context.set(updated.createSslContext()));
        return new TlsMaterial(context::get, parameters(context.get(), bundle.getOptions(), ssl.clientAuth()));
    }

    /** Refuses settings that would leave the memory node less protected than they suggest. */
    private static void checkSecurity(MemoryNodeProperties properties, @Nullable SslBundle bundle) {
        ClientAuth clientAuth = properties.ssl().clientAuth();
        if (bundle == null && clientAuth != ClientAuth.NONE) {
            throw new MemoryNodeStartException(
                    "declock.memory-node.ssl.client-auth is "
                            + clientAuth.name().toLowerCase(Locale.ROOT)
                            + ", but without declock.memory-node.ssl.bundle there is no TLS, and no client shows a certificate.",
                    "Set declock.memory-node.ssl.bundle to the SSL bundle with the certificate of this memory node, or remove"
                            + " declock.memory-node.ssl.client-auth.");
        }
        if (!properties.hasSecret() && !properties.secrets().isEmpty()) {
            throw new MemoryNodeStartException(
                    "declock.memory-node.former-secret is set and declock.memory-node.secret is not.",
                    "Set declock.memory-node.secret to the current secret, and former-secret to the secret that it replaces.");
        }
    }

    private static @Nullable SslBundle bundle(@Nullable String name, SslBundles sslBundles) {
        if (name == null || name.isEmpty()) {
            return null;
        }
        try {
            return sslBundles.getBundle(name);
        } catch (NoSuchSslBundleException e) {
            throw new MemoryNodeStartException(
                    "declock.memory-node.ssl.bundle names the SSL bundle '" + name + "', which does not exist. "
                            + (sslBundles.getBundleNames().isEmpty()
                                    ? "No SSL bundle is defined."
                                    : "There are: " + String.join(", ", sslBundles.getBundleNames()) + "."),
                    "Define it with spring.ssl.bundle.pem." + name + ".* or spring.ssl.bundle.jks." + name
                            + ".*, or correct the name.",
                    e);
        }
    }

    private static SSLParameters parameters(SSLContext context, SslOptions options, ClientAuth clientAuth) {
        SSLParameters parameters = context.getDefaultSSLParameters();
        if (options.getCiphers() != null) {
            parameters.setCipherSuites(options.getCiphers());
        }
        if (options.getEnabledProtocols() != null) {
            parameters.setProtocols(options.getEnabledProtocols());
        }
        parameters.setWantClientAuth(clientAuth == ClientAuth.WANT);
        if (clientAuth == ClientAuth.NEED) {
            parameters.setNeedClientAuth(true);
        }
        return parameters;
    }

    /** Makes settings from properties; the exception for a value that cannot work names the property. */
    private static <T> T bound(Supplier<T> settings) {
        try {
            return settings.get();
        } catch (InvalidSettingException e) {
            InvalidSettingException named = e.named(setting ->
                    PREFIX + OTHER_NAMES.getOrDefault(setting, DataObjectPropertyName.toDashedForm(setting)));
            throw new MemoryNodeStartException(
                    named.setting() + " is " + named.value() + ", but " + named.reason() + ".", named.mend(), e);
        }
    }
}
