// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.metrics;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * The name and the key values of observed acquisitions. A bean of this type replaces {@link DefaultAcquisitionConvention}, which it may extend. Asked
 * for the key values when the acquisition begins and when it has ended. Implementations must be thread-safe.
 */
public interface AcquisitionConvention extends ObservationConvention<AcquisitionContext> {
    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof AcquisitionContext;
    }
}
