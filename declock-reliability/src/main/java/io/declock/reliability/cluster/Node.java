// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

/** A worker and its connections. */
public interface Node extends AutoCloseable {
    /** Returns the worker. */
    WorkerClient worker();

    /** Takes all its connections to the memory node and to other workers away, without telling anybody. */
    void isolate();

    /** Gives them back. */
    void heal();

    /** Ends it. */
    @Override
    void close();
}
