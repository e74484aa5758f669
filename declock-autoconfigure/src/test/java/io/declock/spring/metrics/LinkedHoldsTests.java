// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.metrics;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.ComputeNodeMonitor;
import io.declock.Counters.Event;
import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.spring.Contexts;
import io.declock.spring.autoconfigure.DecLockMetricsAutoConfiguration;
import io.declock.testkit.Ports;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.ObservationView;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/**
 * What one finds who has the traces of several services and knows what docs/spring.md says of them: who had the lock for which a trace waited.
 * Only names and key values of observations are looked at, as they are all that leaves a service.
 */
class LinkedHoldsTests {
    private static final String HOLD = "declock.holding";
    private static final String LOCK = "order:42";
    private static final LockOwner OWNER = LockOwner.named("somebody");

    /** What a service that collects traces has of one observation that is over. */
    private record Span(@Nullable String parent, Observation.Context context) {
        String value(String key) {
            for (KeyValue each : context.getAllKeyValues()) {
                if (each.getKey().equals(key)) {
                    return each.getValue();
                }
            }
            throw new AssertionError(context + " has no " + key);
        }

        boolean is(String name) {
            return name.equals(context.getName());
        }

        long token() {
            return Long.parseLong(value("fencing.token"));
        }
    }

    private final List<Span> collected = new CopyOnWriteArrayList<>();
    private int port;

    @BeforeEach
    void choosePort() throws IOException {
        port = Ports.free();
    }

    private ApplicationContextRunner service(String... settings) {
        return Contexts.locks()
                .withConfiguration(AutoConfigurations.of(DecLockMetricsAutoConfiguration.class))
                .withBean(ObservationRegistry.class, this::collecting)
                .withPropertyValues("declock.observation.enabled=true", "declock.secret=a secret of two services")
                .withPropertyValues(settings);
    }

    private ObservationRegistry collecting() {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new ObservationHandler<Observation.Context>() {
            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }

            @Override
            public void onStop(Observation.Context context) {
                ObservationView parent = context.getParentObservation();
                collected.add(
                        new Span(parent == null ? null : parent.getContextView().getName(), context));
            }
        });
        return registry;
    }

    private interface TwoServices {
        void use(ApplicationContext shop, ApplicationContext billing) throws Exception;
    }

    /** Two services, with registries of their own, at the memory node of one of them. */
    private void twoServices(TwoServices test) {
        service("declock.embedded.port=" + port)
                .run(shop -> service("declock.memory-nodes=tcp://127.0.0.1:" + port)
                        .run(billing -> test.use(shop, billing)));
    }

    /** Has a service do something with the lock in a trace of its own. */
    private static void work(ApplicationContext service, String trace, LockRequest request) throws Exception {
        Observation.createNotStarted(trace, service.getBean(ObservationRegistry.class))
                .observeChecked(() -> locks(service).acquire(request, OWNER).close());
    }

    /** Has one service hold the lock in a trace until another one waits for it in a trace, and gets it by the other's release. */
    private static void waitFor(
            ApplicationContext holder, String trace, LockRequest first, ApplicationContext waiter, String waiting)
            throws Exception {
        ObservationRegistry registry = holder.getBean(ObservationRegistry.class);
        ComputeNodeMonitor monitor = waiter.getBean(ComputeNodeMonitor.class);
        Observation.createNotStarted(trace, registry).observeChecked(() -> {
            CompletableFuture<Void> later;
            try (LockHandle handle = locks(holder).acquire(first, OWNER)) {
                later = CompletableFuture.runAsync(() -> {
                    try {
                        work(waiter, waiting, LockRequest.write(LOCK));
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                });
                // It has a place in the queue at the memory node, so that nothing but this release lets it in.
                await().until(() -> monitor.waitingNow() == 1
                        && monitor.inspect(LOCK)
                                        .toCompletableFuture()
                                        .get(10, SECONDS)
                                        .orElseThrow()
                                        .size()
                                == 2);
                assertThat(handle.isValid()).isTrue();
            }
            later.get(10, SECONDS);
        });
        assertThat(monitor.counters().get(Event.GRANT_UNCONTENDED)).isZero();
    }

    private static DistributedReadWriteLock locks(ApplicationContext service) {
        return service.getBean(DistributedReadWriteLock.class);
    }

    /** Returns the hold that a trace's acquisition began: what is part of the same, and has the lock's name. */
    private Span holdOf(String trace) {
        Span acquisition = collected.stream()
                .filter(span -> span.is("declock.acquire") && trace.equals(span.parent()))
                .findFirst()
                .orElseThrow();
        return collected.stream()
                .filter(span -> span.is(HOLD) && trace.equals(span.parent()))
                .filter(span -> span.value("lock").equals(acquisition.value("locks")))
                .findFirst()
                .orElseThrow();
    }

    /** Returns the hold for writing with the next smaller token, of whichever service. */
    private Span writerBefore(Span hold) {
        return collected.stream()
                .filter(span -> span.is(HOLD)
                        && span.value("lock").equals(hold.value("lock"))
                        && span.value("mode").equals("write"))
                .filter(span -> span.token() < hold.token())
                .max(Comparator.comparingLong(Span::token))
                .orElseThrow();
    }

    /** Returns the traces of the holds between a hold for writing and the one that is before it. */
    private List<String> readersBefore(Span hold) {
        long writer = writerBefore(hold).token();
        return collected.stream()
                .filter(span -> span.is(HOLD)
                        && span.value("lock").equals(hold.value("lock"))
                        && span.value("mode").equals("read"))
                .filter(span -> span.token() > writer && span.token() < hold.token())
                .map(Span::parent)
                .toList();
    }

    @Test
    void aTraceThatWaitedFindsTheTraceOfTheOtherServiceThatHadTheLock() {
        twoServices((shop, billing) -> {
            work(shop, "earlier order", LockRequest.write(LOCK));
            work(shop, "order of something else", LockRequest.write("order:43"));
            waitFor(shop, "order", LockRequest.write(LOCK), billing, "invoice");
            work(shop, "later order", LockRequest.write(LOCK));

            Span waited = holdOf("invoice");
            assertThat(writerBefore(waited)).isEqualTo(holdOf("order"));
            assertThat(readersBefore(waited)).isEmpty();
            assertThat(writerBefore(holdOf("order"))).isEqualTo(holdOf("earlier order"));
            assertThat(writerBefore(holdOf("later order"))).isEqualTo(waited);
        });
    }

    @Test
    void aTraceThatWaitedForReadersFindsTheirTracesBetweenTheWritersTokenAndItsOwn() {
        twoServices((shop, billing) -> {
            work(shop, "earlier report", LockRequest.read(LOCK));
            work(shop, "order", LockRequest.write(LOCK));
            waitFor(shop, "report", LockRequest.read(LOCK), billing, "invoice");
            work(shop, "later report", LockRequest.read(LOCK));

            Span waited = holdOf("invoice");
            assertThat(readersBefore(waited)).containsExactly("report");
            assertThat(writerBefore(waited)).isEqualTo(holdOf("order"));
        });
    }
}
