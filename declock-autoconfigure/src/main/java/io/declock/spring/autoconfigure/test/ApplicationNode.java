// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure.test;

import io.declock.DecLockException;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.node.ComputeNode;
import org.jspecify.annotations.Nullable;

/**
 * The application's compute node and its private memory node, for {@code declock-spring-boot-test}, which does to them what failures do. A
 * bean of the auto-configuration. It is not for applications, and changes without notice. Thread-safe.
 */
public interface ApplicationNode {
    /**
     * Returns the compute node, which is started if it was never started.
     *
     * @throws DecLockException if the application has stopped
     */
    ComputeNode running();

    /** Returns the memory node that runs inside this application and is for it alone, null if there is none. */
    @Nullable
    MemoryNode privateMemoryNode();
}
