// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.worker;

import io.declock.evaluation.index.BTree;
import io.declock.evaluation.index.IndexWorkload;
import io.declock.evaluation.store.CacheWorkload;
import io.declock.evaluation.store.ObjectStore;
import io.declock.protocols.application.Application;

/** The applications that can be run over a lock. */
public enum ApplicationKind {
    /** An object store with the shares, sizes and skew of a published cache of small values, a third of whose operations write. */
    STORE {
        @Override
        Application make(int clients) {
            return new ObjectStore(
                    ObjectStore.Settings.forObjects(OBJECTS),
                    new CacheWorkload(CacheWorkload.Figures.CLUSTER_14, OBJECTS));
        }
    },
    /** A B+tree with nodes of a kilobyte, half of whose operations put. */
    INDEX {
        @Override
        Application make(int clients) {
            return new BTree(
                    new BTree.Settings(NODE_WORDS, NODES, NODES, CHUNK, clients, false),
                    new IndexWorkload(IndexWorkload.Shares.WRITE_INTENSIVE, IndexWorkload.Keys.of(KEYS)));
        }
    };

    private static final int OBJECTS = 2_000;
    private static final int KEYS = 10_000;
    private static final int NODE_WORDS = 128;
    /** Leaves that are half full, what is above them, and what clients have taken and not used. */
    private static final int NODES = 2_000;

    private static final int CHUNK = 4;

    /**
     * Makes it.
     *
     * @param clients number of clients of a process
     */
    abstract Application make(int clients);
}
