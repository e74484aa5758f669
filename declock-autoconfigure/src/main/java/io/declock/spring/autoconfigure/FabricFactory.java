// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.spi.Fabric;
import io.declock.spi.FabricCounters;

/**
 * Opens a fabric when the compute node starts. Each bean of this type adds one; the first that supports a memory node's address
 * serves it, in the order of the beans.
 */
@FunctionalInterface
public interface FabricFactory {
    /** Opens a fabric, to be closed with the compute node, that counts its verbs there. */
    Fabric open(FabricCounters counters);
}
