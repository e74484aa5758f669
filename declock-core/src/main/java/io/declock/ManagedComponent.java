// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

/** A part of a compute node with its own life cycle, which a container can start, stop and show. Thread-safe, idempotent. */
public interface ManagedComponent {
    /** {@return its name} */
    String name();

    /** Starts it. */
    void start();

    /** Stops it. */
    void stop();

    /** {@return whether it runs} */
    boolean isRunning();
}
