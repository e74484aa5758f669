// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.election.kubernetes;

import io.declock.spi.election.ElectionEngine;
import io.declock.spi.election.ElectionEngineProvider;
import io.declock.spi.election.ElectionSettings;
import io.declock.spi.election.InvalidElectionSettingException;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Opens {@link KubernetesEngine}s. Settings: {@code namespace} (by default the pod's own), {@code name-prefix} ({@code declock-}) and
 * {@code master-url} (by default the API server of the pod's cluster). The credentials are those of the pod's service account, or of the
 * kubeconfig file outside of a cluster. Stateless.
 */
public final class KubernetesEngineProvider implements ElectionEngineProvider {
    private static final Pattern PREFIX = Pattern.compile("[a-z][a-z0-9-]{0,39}");
    private static final String DEFAULT_NAMESPACE = "default";

    /** Makes one, for the service loader. */
    public KubernetesEngineProvider() {}

    @Override
    public String kind() {
        return "kubernetes";
    }

    @Override
    public ElectionEngine open(Map<String, String> settings, Duration timeout) throws InvalidElectionSettingException {
        ElectionSettings read = new ElectionSettings(settings);
        String namespace = read.optional("namespace", "");
        String prefix = read.optional("name-prefix", "declock-");
        String url = read.optional("master-url", "");
        read.end();
        if (!PREFIX.matcher(prefix).matches()) {
            throw new InvalidElectionSettingException(
                    "name-prefix",
                    "is '" + prefix + "', with which no name of an object may begin",
                    "Use at most 40 lower-case letters, digits and hyphens, a letter first, such as 'declock-'.",
                    null);
        }
        Config config = config(url, timeout);
        String present = config.getNamespace() == null ? DEFAULT_NAMESPACE : config.getNamespace();
        return new KubernetesEngine(
                new KubernetesClientBuilder().withConfig(config).build(),
                namespace.isEmpty() ? present : namespace,
                prefix,
                timeout,
                System::nanoTime);
    }

    private static Config config(String url, Duration timeout) throws InvalidElectionSettingException {
        int millis = Math.toIntExact(timeout.toMillis());
        ConfigBuilder builder = new ConfigBuilder(Config.autoConfigure(null))
                .withConnectionTimeout(millis)
                .withRequestTimeout(millis)
                .withRequestRetryBackoffLimit(0);
        if (!url.isEmpty()) {
            if (!url.startsWith("https://") && !url.startsWith("http://")) {
                throw new InvalidElectionSettingException(
                        "master-url",
                        "is '" + url + "', which is no URL",
                        "Write it as 'https://kubernetes.default.svc', or remove it: a pod knows its API server.",
                        null);
            }
            builder.withMasterUrl(url);
        }
        return builder.build();
    }
}
