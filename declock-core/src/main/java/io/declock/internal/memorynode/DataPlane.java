// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

/** A data plane that reaches the region without the memory node's own code, such as a queue pair of an RDMA adapter. */
@FunctionalInterface
public interface DataPlane {
    /** Makes sure that no further verb of its session is executed, then runs {@code done} once, on any thread. */
    void cut(Runnable done);
}
