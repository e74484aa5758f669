// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.election.kubernetes;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.NamespacedKubernetesClient;
import io.fabric8.kubernetes.client.RequestConfig;
import io.fabric8.kubernetes.client.RequestConfigBuilder;
import io.fabric8.kubernetes.client.dsl.FunctionCallable;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The API server of a cluster, with the one namespace in which the objects of memory nodes are. Thread-safe. */
final class ApiServer {
    private final NamespacedKubernetesClient client;
    private final String namespace;
    private final String prefix;
    private volatile boolean refusing;

    ApiServer(KubernetesClient client, String namespace, String prefix) {
        this.client = client.adapt(NamespacedKubernetesClient.class);
        this.namespace = namespace;
        this.prefix = prefix;
    }

    String title() {
        return "Kubernetes at " + client.getMasterUrl() + ", namespace " + namespace;
    }

    String namespace() {
        return namespace;
    }

    /** Returns the name of both objects of a memory node. */
    String nameOf(String memoryNode) {
        return ObjectNames.of(prefix, memoryNode);
    }

    // ---------------------------------------------------------------- requests

    /** Makes a request that may take so long, without trying again. */
    <T extends @Nullable Object> T call(int millis, Function<KubernetesClient, T> request) {
        return call(client.withRequestConfig(inTime(millis)), request);
    }

    private static RequestConfig inTime(int millis) {
        return new RequestConfigBuilder()
                .withRequestTimeout(millis)
                .withUploadRequestTimeout(millis)
                .withRequestRetryBackoffLimit(0)
                .build();
    }

    private static <C extends KubernetesClient, T extends @Nullable Object> T call(
            FunctionCallable<C> callable, Function<KubernetesClient, T> request) {
        return callable.call(request::apply);
    }

    /** Returns what a request needs to read a Lease. */
    Resource<Lease> lease(KubernetesClient known, String name) {
        return known.leases().inNamespace(namespace).withName(name);
    }

    /** Returns what a request needs to write a Lease. */
    Resource<Lease> resource(KubernetesClient known, Lease lease) {
        return known.leases().inNamespace(namespace).resource(lease);
    }

    /** Returns what a request needs to read a ConfigMap. */
    Resource<ConfigMap> configMap(KubernetesClient known, String name) {
        return known.configMaps().inNamespace(namespace).withName(name);
    }

    /** Returns what a request needs to write a ConfigMap. */
    Resource<ConfigMap> resource(KubernetesClient known, ConfigMap map) {
        return known.configMaps().inNamespace(namespace).resource(map);
    }

    /** Makes an informer, which the caller starts and closes, of a memory node's Lease. */
    SharedIndexInformer<Lease> informer(String memoryNode) {
        return lease(client, nameOf(memoryNode)).runnableInformer(0);
    }

    // ---------------------------------------------------------------- its end

    /** From now on nothing new is asked, and nothing is tried again. */
    void refuse() {
        refusing = true;
    }

    boolean isRefusing() {
        return refusing;
    }

    void close() {
        client.close();
    }
}
