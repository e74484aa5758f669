// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.election.kubernetes;

import io.declock.spi.election.ElectionEngine;
import io.declock.spi.election.ElectionException;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpecBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.NamespacedKubernetesClient;
import io.fabric8.kubernetes.client.RequestConfig;
import io.fabric8.kubernetes.client.RequestConfigBuilder;
import io.fabric8.kubernetes.client.dsl.FunctionCallable;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Kubernetes as an engine. Each memory node has two objects of the same name: a {@code Lease}, which says who has the present term, and a
 * {@code ConfigMap} with what is kept and the number of the last term that read it. Each write names the version of the object that it
 * changes, so that only one of two writes is made.
 *
 * <p>No server judges a {@code Lease}: a client takes it over if it has seen the same version for as long as the lease lasts, by its own
 * clock, as the leader elections of Kubernetes' own components do. A term begins with the write to the {@code Lease}, and has to write its
 * number to the {@code ConfigMap} before it is used: from then on the term before it can change nothing more. Thread-safe.
 */
final class KubernetesEngine implements ElectionEngine {
    private static final Logger log = LoggerFactory.getLogger(KubernetesEngine.class);
    private static final int TRIES = 5;
    private static final long NANOS_PER_MICRO = 1_000;
    private static final long NANOS_PER_MILLI = 1_000_000;
    /** Not names of values that are kept: those begin with a letter. */
    private static final String TERM = "_term";

    private static final String CANDIDATE = "_candidate";
    private static final String MEMORY_NODE = "declock.io/memory-node";
    private static final String CLIENT = "declock.io/client";

    private final NamespacedKubernetesClient client;
    private final String namespace;
    private final String prefix;
    private final Duration timeout;
    private final LongSupplier clock;
    private final String id = UUID.randomUUID().toString();
    /** The terms that this client began. */
    private final Map<List<Object>, Own> own = new ConcurrentHashMap<>();

    private final Map<String, Observed> observations = new ConcurrentHashMap<>();
    private final List<SharedIndexInformer<Lease>> informers = new CopyOnWriteArrayList<>();
    private volatile boolean closed;

    /** Since when the Lease of a memory node has been seen in one version, by this process's clock. */
    private record Observed(String version, long since) {}

    /** A term that this client begins or has begun, with both objects as they were last written. */
    private static final class Own {
        private volatile @Nullable Lease lease;
        private volatile @Nullable ConfigMap kept;
    }

    KubernetesEngine(KubernetesClient client, String namespace, String prefix, Duration timeout, LongSupplier clock) {
        this.client = client.adapt(NamespacedKubernetesClient.class);
        this.namespace = namespace;
        this.prefix = prefix;
        this.timeout = timeout;
        this.clock = clock;
    }

    @Override
    public String title() {
        return "Kubernetes at " + client.getMasterUrl() + ", namespace " + namespace;
    }

    // ---------------------------------------------------------------- requests

    /** One attempt about one memory node: its requests share its time. */
    private final class Attempt {
        private final String what;
        private final String memoryNode;
        private final String name;
        private final long until = clock.getAsLong() + timeout.toNanos();

        Attempt(String what, String memoryNode) {
            this.what = what;
            this.memoryNode = memoryNode;
            this.name = ObjectNames.of(prefix, memoryNode);
        }

        private <T extends @Nullable Object> T request(Function<KubernetesClient, T> request)
                throws ElectionException, InterruptedException {
            if (closed) {
                throw failed("its client is closed", null);
            }
            long millis = (until - clock.getAsLong()) / NANOS_PER_MILLI;
            if (millis <= 0) {
                throw failed("it did not answer within " + timeout.toMillis() + " ms", null);
            }
            try {
                return call(client.withRequestConfig(inTime((int) millis)), request);
            } catch (KubernetesClientException e) {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                throw failed(reason(e), e);
            }
        }

        private String reason(KubernetesClientException e) {
            return switch (e.getCode()) {
                case HttpURLConnection.HTTP_FORBIDDEN, HttpURLConnection.HTTP_UNAUTHORIZED ->
                    "it refuses: " + e.getMessage() + ". The service account needs the verbs get, list, watch, create"
                            + " and update on 'leases' of coordination.k8s.io and on 'configmaps' in namespace "
                            + namespace;
                case 0 -> "it cannot be reached: " + deepest(e);
                default -> "it answers " + e.getCode() + ": " + e.getMessage();
            };
        }

        ElectionException failed(String why, @Nullable Throwable cause) {
            return new ElectionException(
                    what + " of memory node '" + memoryNode + "' at " + title() + " failed: " + why, cause);
        }

        @Nullable
        Lease lease() throws ElectionException, InterruptedException {
            Lease found = this.<@Nullable Lease>request(known ->
                    known.leases().inNamespace(namespace).withName(name).get());
            return checked(found);
        }

        @Nullable
        ConfigMap kept() throws ElectionException, InterruptedException {
            ConfigMap found = this.<@Nullable ConfigMap>request(known ->
                    known.configMaps().inNamespace(namespace).withName(name).get());
            return checked(found);
        }

        /** Fails if the object is another memory node's, or something else's. */
        private <T extends HasMetadata> @Nullable T checked(@Nullable T found) throws ElectionException {
            if (found == null) {
                return null;
            }
            String owner = annotation(found);
            if (!owner.equals(memoryNode)) {
                throw failed(
                        found.getKind() + " '" + name + "' there is not its own"
                                + (owner.isEmpty() ? "" : " but memory node '" + owner + "' has it")
                                + ". Set another name-prefix, or delete that object if nothing uses it",
                        null);
            }
            return found;
        }

        /** Writes an object unless it has changed since it was read, or, if it has no version, unless it is there. */
        @Nullable
        Lease write(Lease lease) throws ElectionException, InterruptedException {
            return unlessChanged(known -> {
                var resource = known.leases().inNamespace(namespace).resource(lease);
                return isNew(lease) ? resource.create() : resource.update();
            });
        }

        @Nullable
        ConfigMap write(ConfigMap map) throws ElectionException, InterruptedException {
            return unlessChanged(known -> {
                var resource = known.configMaps().inNamespace(namespace).resource(map);
                return isNew(map) ? resource.create() : resource.update();
            });
        }

        private <T> @Nullable T unlessChanged(Function<KubernetesClient, T> request)
                throws ElectionException, InterruptedException {
            return this.<Optional<T>>request(known -> {
                        try {
                            return Optional.of(request.apply(known));
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

        ObjectMeta fresh() {
            return new ObjectMetaBuilder()
                    .withName(name)
                    .withNamespace(namespace)
                    .addToAnnotations(MEMORY_NODE, memoryNode)
                    .addToLabels("app.kubernetes.io/managed-by", "declock")
                    .build();
        }
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

    private static boolean isNew(HasMetadata object) {
        return object.getMetadata().getResourceVersion() == null;
    }

    private static String annotation(HasMetadata object) {
        Map<String, String> all = object.getMetadata().getAnnotations();
        return all == null ? "" : all.getOrDefault(MEMORY_NODE, "");
    }

    private static String deepest(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }

    // ---------------------------------------------------------------- who has the term

    private static int transitions(@Nullable Lease lease) {
        Integer number = lease == null || lease.getSpec() == null
                ? null
                : lease.getSpec().getLeaseTransitions();
        return number == null ? 0 : number;
    }

    private static String holder(@Nullable Lease lease) {
        String holder = lease == null || lease.getSpec() == null
                ? null
                : lease.getSpec().getHolderIdentity();
        return holder == null ? "" : holder;
    }

    private static int lastTerm(@Nullable ConfigMap kept) {
        return kept == null || kept.getData() == null
                ? 0
                : Integer.parseInt(kept.getData().getOrDefault(TERM, "0"));
    }

    private static Held held(@Nullable Lease lease, @Nullable ConfigMap kept) {
        if (lease == null && kept != null) {
            return new Held(lastTerm(kept), kept.getData().getOrDefault(CANDIDATE, ""));
        }
        return new Held(transitions(lease), holder(lease));
    }

    /** Notes the version that was just seen, and returns since when it has been seen. */
    private Observed observe(String memoryNode, @Nullable Lease seen) {
        String version = seen == null ? "" : seen.getMetadata().getResourceVersion();
        Observed now = new Observed(version, clock.getAsLong());
        return observations.merge(
                memoryNode, now, (before, fresh) -> before.version().equals(version) ? before : fresh);
    }

    /**
     * Returns whether a term may have a lease. A Lease that somebody has deleted says nothing of the term that had it: its candidate still
     * counts on it.
     */
    private boolean runs(Observed observed, @Nullable Lease lease, @Nullable ConfigMap kept, Duration otherwise) {
        if (lease == null ? lastTerm(kept) == 0 : holder(lease).isEmpty()) {
            return false;
        }
        Integer seconds = lease == null ? null : lease.getSpec().getLeaseDurationSeconds();
        Duration lasts = seconds == null ? otherwise : Duration.ofSeconds(seconds);
        return clock.getAsLong() - observed.since() < lasts.toNanos();
    }

    // ---------------------------------------------------------------- elections

    @Override
    public Answer acquire(String memoryNode, String candidate, Duration lease)
            throws ElectionException, InterruptedException {
        Attempt attempt = new Attempt("The election of a candidate", memoryNode);
        for (int i = 0; i < TRIES; i++) {
            Optional<Answer> answer = tryOnce(attempt, candidate, lease);
            if (answer.isPresent()) {
                return answer.get();
            }
        }
        throw attempt.failed("other candidates began and ended terms meanwhile", null);
    }

    /** Returns nothing if others changed the objects meanwhile. */
    private Optional<Answer> tryOnce(Attempt attempt, String candidate, Duration lease)
            throws ElectionException, InterruptedException {
        Lease present = attempt.lease();
        Observed observed = observe(attempt.memoryNode, present);
        if (present != null && !isStray(attempt, present) && runs(observed, present, null, lease)) {
            return Optional.of(held(present, null));
        }
        ConfigMap kept = attempt.kept();
        if (present == null && runs(observed, null, kept, lease)) {
            return Optional.of(held(null, kept));
        }
        if (kept == null && transitions(present) > 0) {
            throw attempt.failed(
                    "its ConfigMap '" + attempt.name + "' is gone, with the list of the services that may hold locks."
                            + " Restore it, or, when every service has ended or has been without this memory node for"
                            + " as long as its lease, delete the Lease of the same name too: then all begins anew",
                    null);
        }
        if (kept == null) {
            kept = attempt.write(new ConfigMapBuilder()
                    .withMetadata(attempt.fresh())
                    .addToData(TERM, "0")
                    .build());
        }
        if (kept == null) {
            return Optional.empty();
        }
        int term = Math.max(transitions(present), lastTerm(kept)) + 1;
        Own mine = new Own();
        own.put(List.of(attempt.memoryNode, (long) term), mine);
        boolean elected = false;
        try {
            mine.lease = attempt.write(taken(attempt, present, candidate, lease, term));
            elected = mine.lease != null && begin(attempt, candidate, term, mine, kept);
            ConfigMap written = mine.kept;
            return elected && written != null ? Optional.of(new Elected(term, values(written))) : Optional.empty();
        } finally {
            if (!elected) {
                own.remove(List.of(attempt.memoryNode, (long) term), mine);
            }
        }
    }

    /**
     * Returns whether the term is one of this client whose election or resignation had an unknown outcome, so that nobody uses it. It would last as
     * long as its lease.
     */
    private boolean isStray(Attempt attempt, Lease present) {
        Map<String, String> annotations = present.getMetadata().getAnnotations();
        return id.equals(annotations.get(CLIENT))
                && !own.containsKey(List.of(attempt.memoryNode, (long) transitions(present)));
    }

    private Lease taken(Attempt attempt, @Nullable Lease present, String candidate, Duration lease, int term) {
        ZonedDateTime now = after(present);
        LeaseSpec spec = new LeaseSpecBuilder()
                .withHolderIdentity(candidate)
                .withLeaseDurationSeconds(secondsOf(lease))
                .withAcquireTime(now)
                .withRenewTime(now)
                .withLeaseTransitions(term)
                .build();
        return new LeaseBuilder()
                .withMetadata(new ObjectMetaBuilder(present == null ? attempt.fresh() : present.getMetadata())
                        .addToAnnotations(CLIENT, id)
                        .build())
                .withSpec(spec)
                .build();
    }

    /**
     * Writes the term's number to what is kept, which the term before cannot change from then on. Returns false if it took so long that the next
     * term has begun, or if somebody deleted the object.
     */
    private static boolean begin(Attempt attempt, String candidate, int term, Own mine, ConfigMap found)
            throws ElectionException, InterruptedException {
        ConfigMap kept = found;
        while (kept != null && lastTerm(kept) < term) {
            mine.kept = attempt.write(new ConfigMapBuilder(kept)
                    .addToData(TERM, Integer.toString(term))
                    .addToData(CANDIDATE, candidate)
                    .build());
            if (mine.kept != null) {
                return true;
            }
            kept = attempt.kept();
        }
        return false;
    }

    private static int secondsOf(Duration lease) {
        return Math.toIntExact(lease.plusNanos(999_999_999).toSeconds());
    }

    /**
     * Returns the present time, or one that is later than the last renewal: a write that changes nothing makes no new version, and those who watch would
     * think that nobody renews.
     */
    private static ZonedDateTime after(@Nullable Lease before) {
        Instant now = Instant.now().truncatedTo(ChronoUnit.MICROS);
        ZonedDateTime last = before == null || before.getSpec() == null
                ? null
                : before.getSpec().getRenewTime();
        if (last != null && !now.isAfter(last.toInstant())) {
            now = last.toInstant().plusNanos(NANOS_PER_MICRO);
        }
        return now.atZone(ZoneOffset.UTC);
    }

    private static Map<String, byte[]> values(ConfigMap kept) {
        Map<String, byte[]> values = new HashMap<>();
        if (kept.getBinaryData() != null) {
            kept.getBinaryData()
                    .forEach(
                            (name, text) -> values.put(name, Base64.getDecoder().decode(text)));
        }
        return values;
    }

    @Override
    public Optional<Held> look(String memoryNode) throws ElectionException, InterruptedException {
        Attempt attempt = new Attempt("Looking who serves", memoryNode);
        Lease present = attempt.lease();
        Observed observed = observe(memoryNode, present);
        ConfigMap kept = present == null ? attempt.kept() : null;
        return runs(observed, present, kept, timeout.multipliedBy(4))
                ? Optional.of(held(present, kept))
                : Optional.empty();
    }

    @Override
    public boolean renew(String memoryNode, long term, Duration lease) throws ElectionException, InterruptedException {
        return changeLease(
                new Attempt("The renewal of term " + term, memoryNode),
                term,
                present -> new LeaseSpecBuilder(present.getSpec())
                        .withLeaseDurationSeconds(secondsOf(lease))
                        .withRenewTime(after(present))
                        .build());
    }

    @Override
    public void resign(String memoryNode, long term) throws ElectionException, InterruptedException {
        Attempt attempt = new Attempt("The end of term " + term, memoryNode);
        try {
            changeLease(
                    attempt,
                    term,
                    present -> new LeaseSpecBuilder(present.getSpec())
                            .withHolderIdentity("")
                            .withRenewTime(after(present))
                            .build());
        } finally {
            own.remove(List.of(memoryNode, term));
        }
    }

    private interface Change {
        LeaseSpec of(Lease present);
    }

    /** Changes the Lease of a term of this client. Returns false if the term is over. */
    private boolean changeLease(Attempt attempt, long term, Change change)
            throws ElectionException, InterruptedException {
        Own mine = own.get(List.of(attempt.memoryNode, term));
        if (mine == null) {
            return false;
        }
        for (int i = 0; i < TRIES; i++) {
            Lease present = mine.lease == null ? attempt.lease() : mine.lease;
            if (present == null
                    || transitions(present) != term
                    || holder(present).isEmpty()) {
                own.remove(List.of(attempt.memoryNode, term));
                return false;
            }
            // Not known any more if this fails.
            mine.lease = null;
            mine.lease = attempt.write(
                    new LeaseBuilder(present).withSpec(change.of(present)).build());
            if (mine.lease != null) {
                return true;
            }
        }
        throw attempt.failed("something else changes the Lease '" + attempt.name + "' all the time", null);
    }

    @Override
    public boolean keep(String memoryNode, long term, Map<String, Optional<byte[]>> changes)
            throws ElectionException, InterruptedException {
        Own mine = own.get(List.of(memoryNode, term));
        if (mine == null) {
            return false;
        }
        Attempt attempt = new Attempt("Writing the members", memoryNode);
        for (int i = 0; i < TRIES; i++) {
            ConfigMap present = mine.kept == null ? attempt.kept() : mine.kept;
            if (present == null) {
                throw attempt.failed("its ConfigMap '" + attempt.name + "' is gone; restore it", null);
            }
            if (lastTerm(present) != term) {
                return false;
            }
            mine.kept = null;
            mine.kept = attempt.write(changed(present, changes));
            if (mine.kept != null) {
                return true;
            }
        }
        throw attempt.failed("something else changes the ConfigMap '" + attempt.name + "' all the time", null);
    }

    private static ConfigMap changed(ConfigMap present, Map<String, Optional<byte[]>> changes) {
        Map<String, String> values =
                new HashMap<>(present.getBinaryData() == null ? Map.of() : present.getBinaryData());
        changes.forEach((name, value) -> value.ifPresentOrElse(
                bytes -> values.put(name, Base64.getEncoder().encodeToString(bytes)), () -> values.remove(name)));
        return new ConfigMapBuilder(present).withBinaryData(values).build();
    }

    // ---------------------------------------------------------------- watching

    @Override
    public void watch(String memoryNode, Runnable mayHaveEnded) {
        SharedIndexInformer<Lease> informer = client.leases()
                .inNamespace(namespace)
                .withName(ObjectNames.of(prefix, memoryNode))
                .runnableInformer(0);
        informer.addEventHandler(new ResourceEventHandler<>() {
            @Override
            public void onAdd(Lease lease) {
                seen(lease);
            }

            @Override
            public void onUpdate(Lease before, Lease lease) {
                seen(lease);
            }

            @Override
            public void onDelete(Lease lease, boolean unknown) {
                mayHaveEnded.run();
            }

            // A renewal is noted when it happens, so that the lease is not counted from the next attempt on.
            private void seen(Lease lease) {
                observe(memoryNode, lease);
                if (holder(lease).isEmpty()) {
                    mayHaveEnded.run();
                }
            }
        });
        // It tries again for as long as this client is open.
        informer.exceptionHandler((started, failure) -> !closed);
        informers.add(informer);
        informer.start().whenComplete((done, failure) -> {
            if (failure != null) {
                log.debug("The Lease of {} is not watched yet", memoryNode, failure);
            }
        });
    }

    @Override
    public void close() {
        closed = true;
        informers.forEach(SharedIndexInformer::close);
        client.close();
    }
}
