// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.election.kubernetes;

import io.declock.spi.election.ElectionException;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One attempt about one memory node: its requests share its time, and each failure says what was attempted. A write names the version of
 * the object that it changes. For one thread.
 */
final class Attempt {
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final String MEMORY_NODE = "declock.io/memory-node";

    private final ApiServer server;
    private final Duration timeout;
    private final LongSupplier clock;
    private final String what;
    private final String memoryNode;
    private final String name;
    private final long until;

    /**
     * Begins one.
     *
     * @param timeout how long all its requests may take together
     * @param what the subject of the sentence that says that it failed
     */
    Attempt(ApiServer server, Duration timeout, LongSupplier clock, String what, String memoryNode) {
        this.server = server;
        this.timeout = timeout;
        this.clock = clock;
        this.what = what;
        this.memoryNode = memoryNode;
        this.name = server.nameOf(memoryNode);
        this.until = clock.getAsLong() + timeout.toNanos();
    }

    String memoryNode() {
        return memoryNode;
    }

    /** Returns the name of both objects of the memory node. */
    String name() {
        return name;
    }

    // ---------------------------------------------------------------- requests

    @Nullable
    Lease lease() throws ElectionException, InterruptedException {
        return checked(
                this.<@Nullable Lease>request(known -> server.lease(known, name).get()));
    }

    @Nullable
    ConfigMap kept() throws ElectionException, InterruptedException {
        return checked(this.<@Nullable ConfigMap>request(
                known -> server.configMap(known, name).get()));
    }

    /** Writes an object unless it has changed since it was read, or, if it has no version, unless it is there. */
    @Nullable
    Lease write(Lease lease) throws ElectionException, InterruptedException {
        return unlessChanged(lease, known -> server.resource(known, lease));
    }

    /** Writes an object unless it has changed since it was read, or, if it has no version, unless it is there. */
    @Nullable
    ConfigMap write(ConfigMap map) throws ElectionException, InterruptedException {
        return unlessChanged(map, known -> server.resource(known, map));
    }

    private <T extends HasMetadata> @Nullable T unlessChanged(
            T object, Function<KubernetesClient, Resource<T>> resource) throws ElectionException, InterruptedException {
        boolean isNew = object.getMetadata().getResourceVersion() == null;
        return this.<Optional<T>>request(known -> {
                    try {
                        Resource<T> written = resource.apply(known);
                        return Optional.of(isNew ? written.create() : written.update());
                    } catch (KubernetesClientException e) {
                        if (e.getCode() == HttpURLConnection.HTTP_CONFLICT
                                || e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
                            return Optional.empty();
                        }
                        throw e;
                    }
                })
                .orElse(null);
    }

    private <T extends @Nullable Object> T request(Function<KubernetesClient, T> request)
            throws ElectionException, InterruptedException {
        if (server.isRefusing()) {
            throw failed("its client is closed", null);
        }
        long millis = (until - clock.getAsLong()) / NANOS_PER_MILLI;
        if (millis <= 0) {
            throw failed("it did not answer within " + timeout.toMillis() + " ms", null);
        }
        try {
            return server.call((int) millis, request);
        } catch (KubernetesClientException e) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            throw failed(reason(e), e);
        }
    }

    // ---------------------------------------------------------------- failures

    ElectionException failed(String why, @Nullable Throwable cause) {
        return new ElectionException(
                what + " of memory node '" + memoryNode + "' at " + server.title() + " failed: " + why, cause);
    }

    private String reason(KubernetesClientException e) {
        return switch (e.getCode()) {
            case HttpURLConnection.HTTP_FORBIDDEN, HttpURLConnection.HTTP_UNAUTHORIZED ->
                "it refuses: " + e.getMessage() + ". The service account needs the verbs get, list, watch, create"
                        + " and update on 'leases' of coordination.k8s.io and on 'configmaps' in namespace "
                        + server.namespace();
            case 0 -> "it cannot be reached: " + deepest(e);
            default -> "it answers " + e.getCode() + ": " + e.getMessage();
        };
    }

    private static String deepest(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }

    // ---------------------------------------------------------------- whose objects these are

    /** Returns what an object of the memory node begins with. */
    ObjectMeta fresh() {
        return new ObjectMetaBuilder()
                .withName(name)
                .withNamespace(server.namespace())
                .addToAnnotations(MEMORY_NODE, memoryNode)
                .addToLabels("app.kubernetes.io/managed-by", "declock")
                .build();
    }

    /** Fails if the object is another memory node's, or something else's. */
    private <T extends HasMetadata> @Nullable T checked(@Nullable T found) throws ElectionException {
        if (found == null) {
            return null;
        }
        Map<String, String> annotations = found.getMetadata().getAnnotations();
        String owner = annotations == null ? "" : annotations.getOrDefault(MEMORY_NODE, "");
        if (!owner.equals(memoryNode)) {
            throw failed(
                    found.getKind() + " '" + name + "' there is not its own"
                            + (owner.isEmpty() ? "" : " but memory node '" + owner + "' has it")
                            + ". Set another name-prefix, or delete that object if nothing uses it",
                    null);
        }
        return found;
    }
}
