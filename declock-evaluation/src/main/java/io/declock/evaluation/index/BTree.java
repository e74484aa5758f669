// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.index;

import io.declock.LockMode;
import io.declock.protocols.application.Application;
import io.declock.protocols.application.ApplicationClient;
import io.declock.protocols.application.ApplicationWorld;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A B+tree in memory-node memory, in the manner of Sherman (Wang, Lu, Shu: <i>Sherman: A Write-Optimized Distributed B+Tree Index on Disaggregated Memory</i>, SIGMOD 2022). Immutable, apart from what its
 * clients have.
 */
public final class BTree implements Application {
    /**
     * How large the tree is, and how its clients use locks.
     *
     * @param nodeWords words of a node, a power of two
     * @param nodes number of nodes that there is room for
     * @param locks number of locks: each node has one, and several nodes may have the same
     * @param chunk how many nodes a client takes at a time
     * @param computeNodeClients number of clients of a compute node, which have their cache together: those whose numbers are the same when divided by this. They are made in ascending order
     * @param localLocks whether the clients of a compute node queue locally and hand a lock over among themselves, up to four times in a row
     */
    public record Settings(int nodeWords, int nodes, int locks, int chunk, int computeNodeClients, boolean localLocks) {
        /** Room that a leaf's slots take together when a leaf is half full, as after a split, with some more for inner nodes and chunks. */
        private static final int SPARE = 4_096;

        /**
         * Returns settings with nodes of 1,024 bytes, as Sherman has.
         *
         * @param keys how many keys there may be
         */
        public static Settings forKeys(int keys, int computeNodeClients, boolean localLocks) {
            int words = 128;
            int nodes = 3 * keys / new TreeLayout(words, 1).leafSlots() + SPARE;
            return new Settings(words, nodes, nodes, 4, computeNodeClients, localLocks);
        }
    }

    private final Settings settings;
    private final IndexLoad load;
    private final TreeObserver observer;
    private final TreeLayout layout;
    private final Map<Integer, ComputeNode> computeNodes = new ConcurrentHashMap<>();

    /** Makes a tree. */
    public BTree(Settings settings, IndexLoad load) {
        this(settings, load, TreeObserver.NONE);
    }

    /** Makes a tree that is observed. */
    public BTree(Settings settings, IndexLoad load, TreeObserver observer) {
        this.settings = settings;
        this.load = load;
        this.observer = observer;
        this.layout = new TreeLayout(settings.nodeWords(), settings.nodes());
    }

    @Override
    public String name() {
        return "index, " + load.name() + (settings.localLocks() ? ", with local locks" : "");
    }

    @Override
    public int locks() {
        return settings.locks();
    }

    @Override
    public long words() {
        return layout.words();
    }

    @Override
    public void load(Loader loader) {
        new BulkLoad(layout, loader).load(load.keys());
    }

    @Override
    public ApplicationClient client(int number, ApplicationWorld world) {
        ComputeNode computeNode = computeNode(number);
        TreeMemory memory = new TreeMemory(layout, settings.chunk(), world);
        Descent descent = new Descent(memory, computeNode);
        NodeLocks locks = settings.localLocks() ? computeNode.locks().of(world) : own(world);
        return new TreeClient(
                number,
                world,
                new TreeReader(memory, descent, observer),
                new TreeWriter(memory, descent, computeNode, locks, settings.locks(), observer),
                load.requests(number, world::below),
                load.scanned());
    }

    /** A run has compute nodes of its own, which begin with their first clients. */
    private ComputeNode computeNode(int client) {
        int index = client / settings.computeNodeClients();
        if (client % settings.computeNodeClients() == 0) {
            computeNodes.remove(index);
        }
        return computeNodes.computeIfAbsent(index, any -> new ComputeNode());
    }

    private static NodeLocks own(ApplicationWorld world) {
        return new NodeLocks() {
            @Override
            public void acquire(int lock, Runnable granted) {
                world.acquire(lock, LockMode.WRITE, granted);
            }

            @Override
            public void release(int lock, Runnable released) {
                world.release(lock, released);
            }
        };
    }
}
