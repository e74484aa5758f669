// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.metrics;

import io.declock.LockHandle;
import io.declock.LockMode;
import io.declock.LockNotGrantedException;
import io.declock.LockRequest;
import io.declock.MemoryNodeUnavailableException;
import io.declock.spring.AcquisitionInterceptor;
import io.declock.spring.support.HandleFuture;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Locale;
import java.util.concurrent.CompletionStage;

/**
 * Makes an observation {@code declock.acquire} of each acquisition, from the request to the grant, so that traces show the wait.
 * Thread-safe.
 */
public final class ObservedAcquisitions implements AcquisitionInterceptor {
    private final ObservationRegistry registry;

    /** Makes one for {@code registry}. */
    public ObservedAcquisitions(ObservationRegistry registry) {
        this.registry = registry;
    }

    @Override
    public boolean acquire(LockRequest request, Acquisition next) throws InterruptedException {
        Observation observation = start(request);
        Observation.Scope scope = observation.openScope();
        try {
            boolean granted = next.acquire(request);
            ended(observation, granted);
            return granted;
        } catch (RuntimeException | Error | InterruptedException e) {
            failed(observation, e);
            throw e;
        } finally {
            scope.close();
            observation.stop();
        }
    }

    @Override
    public CompletionStage<LockHandle> acquireAsync(LockRequest request, AsyncAcquisition next) {
        Observation observation = start(request);
        return next.acquire(request).whenComplete((handle, failure) -> {
            if (failure == null) {
                ended(observation, true);
            } else {
                failed(observation, HandleFuture.unwrap(failure));
            }
            observation.stop();
        });
    }

    private Observation start(LockRequest request) {
        boolean write = request.names().containsValue(LockMode.WRITE);
        return Observation.createNotStarted("declock.acquire", registry)
                .contextualName("declock acquire")
                .lowCardinalityKeyValue(
                        "mode", (write ? LockMode.WRITE : LockMode.READ).name().toLowerCase(Locale.ROOT))
                .highCardinalityKeyValue(
                        "locks", String.join(",", request.names().keySet()))
                .start();
    }

    private static void ended(Observation observation, boolean granted) {
        observation.lowCardinalityKeyValue("outcome", granted ? "granted" : "not.granted");
    }

    private static void failed(Observation observation, Throwable failure) {
        if (failure instanceof LockNotGrantedException) {
            ended(observation, false);
            return;
        }
        observation.lowCardinalityKeyValue(
                "outcome", failure instanceof MemoryNodeUnavailableException ? "unavailable" : "failed");
        observation.error(failure);
    }
}
