// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.metrics;

import io.declock.LockMode;
import io.declock.spring.metrics.AcquisitionContext.Outcome;
import io.declock.spring.metrics.LockObservation.Acquisition;
import io.micrometer.common.KeyValues;
import java.util.Locale;
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
                Acquisition.MODE.withValue(lower(write ? LockMode.WRITE : LockMode.READ)),
                Acquisition.OUTCOME.withValue(text(context.outcome())));
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(AcquisitionContext context) {
        return KeyValues.of(Acquisition.Traced.LOCKS.withValue(
                String.join(",", context.request().names().keySet())));
    }

    private static String text(@Nullable Outcome outcome) {
        return outcome == null ? "pending" : lower(outcome).replace('_', '.');
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
