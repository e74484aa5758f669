// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.spi.Fabric;
import io.declock.spi.FabricCounters;

/**
 * Opens a fabric when the compute node starts. Each bean of this type adds one fabric; a memory node is reached through the first
 * fabric, in the order of the beans, that supports its address.
 */
@FunctionalInterface
public interface FabricFactory {
    /**
     * Opens a fabric that counts its verbs in {@code counters}; the compute node closes it.
     *
     * @param counters where the fabric counts what it does
     * @return the fabric
     */
    Fabric open(FabricCounters counters);
}
