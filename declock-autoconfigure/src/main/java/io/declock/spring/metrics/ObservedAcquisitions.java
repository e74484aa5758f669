// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.metrics;

import io.declock.LockHandle;
import io.declock.LockNotGrantedException;
import io.declock.LockRequest;
import io.declock.MemoryNodeUnavailableException;
import io.declock.spring.AcquisitionInterceptor;
import io.declock.spring.metrics.AcquisitionContext.Outcome;
import io.declock.spring.support.HandleFuture;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Makes an observation ({@link LockObservation#ACQUIRE}) of each acquisition, from the request to the grant, so that traces show the wait.
 * Thread-safe.
 */
public final class ObservedAcquisitions implements AcquisitionInterceptor {
    private static final AcquisitionConvention DEFAULT = new DefaultAcquisitionConvention();

    private final ObservationRegistry registry;
    private final @Nullable AcquisitionConvention convention;

    /**
     * Makes one.
     *
     * @param registry where observations begin
     * @param convention their name and key values, or null for those of {@link DefaultAcquisitionConvention}
     */
    public ObservedAcquisitions(ObservationRegistry registry, @Nullable AcquisitionConvention convention) {
        this.registry = registry;
        this.convention = convention;
    }

    @Override
    public boolean acquire(LockRequest request, Acquisition next) throws InterruptedException {
        AcquisitionContext context = new AcquisitionContext(request);
        Observation observation = start(context);
        Observation.Scope scope = observation.openScope();
        try {
            boolean granted = next.acquire(request);
            context.ended(granted ? Outcome.GRANTED : Outcome.NOT_GRANTED);
            return granted;
        } catch (RuntimeException | Error | InterruptedException e) {
            failed(observation, context, e);
            throw e;
        } finally {
            scope.close();
            observation.stop();
        }
    }

    @Override
    public CompletionStage<LockHandle> acquireAsync(LockRequest request, AsyncAcquisition next) {
        AcquisitionContext context = new AcquisitionContext(request);
        Observation observation = start(context);
        CompletionStage<LockHandle> acquisition;
        // Open while the acquisition begins, so that the hold finds what it belongs to.
        Observation.Scope scope = observation.openScope();
        try {
            acquisition = next.acquire(request);
        } finally {
            scope.close();
        }
        return acquisition.whenComplete((handle, failure) -> {
            if (failure == null) {
                context.ended(Outcome.GRANTED);
            } else {
                failed(observation, context, HandleFuture.unwrap(failure));
            }
            observation.stop();
        });
    }

    private Observation start(AcquisitionContext context) {
        return LockObservation.ACQUIRE
                .observation(convention, DEFAULT, () -> context, registry)
                .start();
    }

    private static void failed(Observation observation, AcquisitionContext context, Throwable failure) {
        if (failure instanceof LockNotGrantedException) {
            context.ended(Outcome.NOT_GRANTED);
            return;
        }
        context.ended(failure instanceof MemoryNodeUnavailableException ? Outcome.UNAVAILABLE : Outcome.FAILED);
        observation.error(failure);
    }
}
