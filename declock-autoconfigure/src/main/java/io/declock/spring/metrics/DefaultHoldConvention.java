// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.metrics;

import io.declock.LockLostException;
import io.declock.spring.metrics.LockObservation.ObservationKey;
import io.micrometer.common.KeyValues;

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
                ObservationKey.MODE.withValue(Texts.of(context.mode())),
                ObservationKey.LOST.withValue(String.valueOf(context.getError() instanceof LockLostException)));
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(HoldContext context) {
        return KeyValues.of(
                ObservationKey.LOCK.withValue(context.lock()),
                ObservationKey.FENCING_TOKEN.withValue(Long.toString(context.fencingToken())));
    }
}
