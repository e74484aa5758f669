// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.metrics;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * The name and the key values of observed holds. A bean of this type replaces {@link DefaultHoldConvention}, which it may extend. Asked for the key
 * values when the hold begins and when it has ended. Implementations must be thread-safe.
 */
public interface HoldConvention extends ObservationConvention<HoldContext> {
    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof HoldContext;
    }
}
