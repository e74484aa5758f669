// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.metrics;

import io.declock.LockMode;
import io.declock.spring.metrics.AcquisitionContext.Outcome;
import io.declock.spring.metrics.LockObservation.ObservationKey;
import io.micrometer.common.KeyValues;
import org.jspecify.annotations.Nullable;

/** The name and the key values of observed acquisitions unless a bean of type {@link AcquisitionConvention} says otherwise. Stateless. */
public class DefaultAcquisitionConvention implements AcquisitionConvention {
    /** Makes one. */
    public DefaultAcquisitionConvention() {}

    @Override
    public String getName() {
        return "declock.acquire";
    }

    @Override
    public String getContextualName(AcquisitionContext context) {
        return "declock acquire";
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(AcquisitionContext context) {
        boolean write = context.request().names().containsValue(LockMode.WRITE);
        return KeyValues.of(
                ObservationKey.MODE.withValue(Texts.of(write ? LockMode.WRITE : LockMode.READ)),
                ObservationKey.OUTCOME.withValue(text(context.outcome())));
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(AcquisitionContext context) {
        return KeyValues.of(ObservationKey.LOCKS.withValue(
                String.join(",", context.request().names().keySet())));
    }

    private static String text(@Nullable Outcome outcome) {
        return outcome == null ? "pending" : Texts.of(outcome);
    }
}
