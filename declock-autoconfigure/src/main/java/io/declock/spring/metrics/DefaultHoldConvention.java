// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.metrics;

import io.declock.LockLostException;
import io.declock.spring.metrics.LockObservation.Hold;
import io.micrometer.common.KeyValues;
import java.util.Locale;

/** The name and the key values of observed holds unless a bean of type {@link HoldConvention} says otherwise. Stateless. */
public class DefaultHoldConvention implements HoldConvention {
    /** Makes one. */
    public DefaultHoldConvention() {}

    @Override
    public String getName() {
        return "declock.holding";
    }

    @Override
    public String getContextualName(HoldContext context) {
        return "declock hold";
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(HoldContext context) {
        return KeyValues.of(
                Hold.MODE.withValue(context.mode().name().toLowerCase(Locale.ROOT)),
                Hold.LOST.withValue(String.valueOf(context.getError() instanceof LockLostException)));
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(HoldContext context) {
        return KeyValues.of(
                Hold.Traced.LOCK.withValue(context.lock()),
                Hold.Traced.FENCING_TOKEN.withValue(Long.toString(context.fencingToken())));
    }
}
