// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.metrics;

import io.declock.LockLostException;
import io.declock.LockMode;
import io.declock.spi.LockObserver;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.ObservationView;
import org.jspecify.annotations.Nullable;

/**
 * Makes an observation ({@link LockObservation#HOLD}) of each hold, from the grant to the release or loss, so that traces show who had a lock while
 * others waited for it: the fencing tokens of the holds of a lock say which of them followed which, across services. Thread-safe.
 */
public final class ObservedHolds implements LockObserver {
    private static final HoldConvention DEFAULT = new DefaultHoldConvention();

    private final ObservationRegistry registry;
    private final @Nullable HoldConvention convention;

    /**
     * Makes one.
     *
     * @param registry where observations begin
     * @param convention their name and key values, or null for those of {@link DefaultHoldConvention}
     */
    public ObservedHolds(ObservationRegistry registry, @Nullable HoldConvention convention) {
        this.registry = registry;
        this.convention = convention;
    }

    @Override
    public @Nullable Asked asked(String name, LockMode mode) {
        if (registry.isNoop()) {
            return null;
        }
        ObservationView parent = parent(registry.getCurrentObservation());
        return token -> begin(new HoldContext(name, mode, token), parent);
    }

    /** A hold outlives its acquisition, and belongs to what the acquisition belongs to, if there is anything. */
    private static @Nullable ObservationView parent(@Nullable Observation current) {
        if (current == null || !(current.getContextView() instanceof AcquisitionContext acquisition)) {
            return current;
        }
        ObservationView beyond = acquisition.getParentObservation();
        return beyond == null ? current : beyond;
    }

    private Held begin(HoldContext context, @Nullable ObservationView parent) {
        context.setParentObservation(parent);
        Observation observation = LockObservation.HOLD
                .observation(convention, DEFAULT, () -> context, registry)
                .start();
        return new Held() {
            @Override
            public void released() {
                observation.stop();
            }

            @Override
            public void lost(LockLostException why) {
                observation.error(why);
                observation.stop();
            }
        };
    }
}
