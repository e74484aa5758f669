// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.election.etcd;

import io.declock.spi.election.ElectionEngine;
import io.declock.spi.election.ElectionEngineProvider;
import io.declock.spi.election.ElectionSettings;
import io.declock.spi.election.InvalidElectionSettingException;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.ClientBuilder;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import javax.net.ssl.SSLException;

/**
 * Opens {@link EtcdEngine}s. Settings: {@code endpoints} (required, URLs with commas between them), {@code username}, {@code password},
 * {@code prefix} ({@code /declock/}), {@code ca-certificate} (a PEM file, for https). Stateless.
 */
public final class EtcdEngineProvider implements ElectionEngineProvider {
    /** Makes one, for the service loader. */
    public EtcdEngineProvider() {}

    @Override
    public String kind() {
        return "etcd";
    }

    @Override
    public ElectionEngine open(Map<String, String> settings, Duration timeout) throws InvalidElectionSettingException {
        ElectionSettings read = new ElectionSettings(settings);
        String endpoints = read.required("endpoints", "http://etcd-1:2379,http://etcd-2:2379,http://etcd-3:2379");
        String username = read.optional("username", "");
        String password = read.optional("password", "");
        String prefix = read.optional("prefix", "/declock/");
        String authority = read.optional("ca-certificate", "");
        read.end();
        ClientBuilder client = Client.builder()
                .connectTimeout(timeout)
                .retryMaxDuration(timeout)
                .keepaliveTime(Duration.ofSeconds(10))
                .keepaliveTimeout(timeout);
        try {
            client.endpoints(endpoints.replace(" ", "").split(",", -1));
        } catch (IllegalArgumentException e) {
            throw new InvalidElectionSettingException(
                    "endpoints",
                    "is '" + endpoints + "', which is not a list of URLs: " + e.getMessage(),
                    "Write it as 'http://etcd-1:2379,http://etcd-2:2379'.",
                    e);
        }
        if (!username.isEmpty()) {
            client.user(bytes(username)).password(bytes(password));
        }
        if (!authority.isEmpty()) {
            trust(client, authority);
        }
        return new EtcdEngine(client.build(), prefix, endpoints, timeout);
    }

    private static void trust(ClientBuilder client, String authority) throws InvalidElectionSettingException {
        try {
            client.sslContext(context -> context.trustManager(new File(authority)));
        } catch (SSLException | IllegalArgumentException e) {
            throw new InvalidElectionSettingException(
                    "ca-certificate",
                    "is '" + authority + "', which cannot be read as a PEM certificate: " + e.getMessage(),
                    "Give the file of the certificate authority that has signed etcd's certificate.",
                    e);
        }
    }

    private static ByteSequence bytes(String text) {
        return ByteSequence.from(text, StandardCharsets.UTF_8);
    }
}
