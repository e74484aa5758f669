// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

/** A worker and its connections. */
public interface Node extends AutoCloseable {
    /** Returns the worker. */
    WorkerClient worker();

    /** Cuts all its connections to the memory node and to other workers, without notifying either side. */
    void isolate();

    /** Restores the connections. */
    void heal();

    /** Ends the worker. */
    @Override
    void close();
}
