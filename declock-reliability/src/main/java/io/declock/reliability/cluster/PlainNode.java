// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

/**
 * A worker whose connections go to the memory nodes directly, or through what its platform put there for all workers.
 *
 * @param worker the worker
 */
record PlainNode(WorkerClient worker) implements Node {
    @Override
    public void isolate() {
        throw new UnsupportedOperationException("nothing is between this worker and the memory nodes");
    }

    @Override
    public void heal() {}

    @Override
    public void close() {
        worker.close();
    }
}
