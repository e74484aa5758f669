// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

/** A part of a compute node with a life of its own, so that a container can start, stop and show it. Thread-safe, idempotent. */
public interface ManagedComponent {
    /** Returns its name. */
    String name();

    /** Starts it. */
    void start();

    /** Stops it. */
    void stop();

    /** Returns whether it runs. */
    boolean isRunning();
}
