// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

/** A data plane that reaches the region around the memory node's own code, such as a NIC's queue pair. */
@FunctionalInterface
public interface DataPlane {
    /**
     * Makes sure that nothing more of its session lands, then runs {@code done}, on any thread, once.
     */
    void cut(Runnable done);
}
