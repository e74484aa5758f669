// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.ComputeNodeSettings;
import io.declock.DecLockException;
import io.declock.MemoryNodeAddress;
import io.declock.MemoryNodeView;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.node.ComputeNode;
import io.declock.spi.LockObserver;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The compute node of this application. It is built when it is first needed, so that beans may use locks before the application has
 * started, and again when a stopped application is started again. Only this class builds it. Thread-safe.
 */
final class DecLockNode {
    private final ComputeNodeSettings settings;
    private final Supplier<List<MemoryNodeAddress>> addresses;
    private final Supplier<List<FabricFactory>> fabrics;
    private final Supplier<LockObserver> observer;
    private final @Nullable EmbeddedMemoryNode embedded;
    private final ReentrantLock mutex = new ReentrantLock();
    private volatile @Nullable ComputeNode node;
    private boolean stopped;

    /**
     * Makes it; each start calls the suppliers.
     *
     * @param embedded the memory node inside this application, null if others are configured
     */
    DecLockNode(
            ComputeNodeSettings settings,
            Supplier<List<MemoryNodeAddress>> addresses,
            Supplier<List<FabricFactory>> fabrics,
            Supplier<LockObserver> observer,
            @Nullable EmbeddedMemoryNode embedded) {
        this.settings = settings;
        this.addresses = addresses;
        this.fabrics = fabrics;
        this.observer = observer;
        this.embedded = embedded;
    }

    /**
     * Returns the running node.
     *
     * @throws DecLockException if the application has stopped
     */
    ComputeNode running() {
        ComputeNode running = node;
        return running != null ? running : start(false);
    }

    /** Returns the running node, or null if none runs. */
    @Nullable
    ComputeNode current() {
        return node;
    }

    /** Starts the node, also after a stop. */
    ComputeNode start() {
        return start(true);
    }

    private ComputeNode start(boolean again) {
        mutex.lock();
        try {
            ComputeNode running = node;
            if (running != null) {
                return running;
            }
            if (stopped && !again) {
                throw new DecLockException(
                        "The application is shutting down and has left its memory nodes, so no lock can be acquired.");
            }
            if (embedded != null) {
                embedded.start();
            }
            ComputeNode built = build();
            built.start();
            node = built;
            if (embedded != null) {
                embedded.watch(() -> built.monitor().memoryNodes().stream()
                        .allMatch(view -> view.state() == MemoryNodeView.State.UP));
            }
            stopped = false;
            return built;
        } finally {
            mutex.unlock();
        }
    }

    private ComputeNode build() {
        NodeCounters counters = new NodeCounters();
        ComputeNode.Builder builder =
                ComputeNode.builder().settings(settings).counters(counters).observer(observer.get());
        if (embedded != null) {
            builder.memoryNodes(List.of(embedded.address()));
            embedded.privateFabric(counters).ifPresent(builder::fabric);
        } else {
            builder.memoryNodes(addresses.get());
        }
        fabrics.get().forEach(factory -> builder.fabric(factory.open(counters)));
        return builder.build();
    }

    /** Leaves every memory node. */
    void stop() {
        mutex.lock();
        try {
            ComputeNode running = node;
            stopped = true;
            node = null;
            if (running != null) {
                running.close();
            }
        } finally {
            mutex.unlock();
        }
    }

    /** Leaves every memory node and stops the embedded one. For a start that fails before the lifecycle beans run. */
    void close() {
        stop();
        if (embedded != null) {
            embedded.stop();
        }
    }
}
