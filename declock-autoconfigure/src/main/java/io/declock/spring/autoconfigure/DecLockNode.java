// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.ComputeNodeSettings;
import io.declock.DecLockException;
import io.declock.MemoryNodeAddress;
import io.declock.MemoryNodeView;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.node.ComputeNode;
import io.declock.spring.autoconfigure.test.ApplicationNode;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The compute node of this application. It is built when it is first needed, so that beans may use locks before the application has
 * started, and again when a stopped application is started again. Only this class builds it. Thread-safe.
 *
 * <p>The thread that begins a start or a stop does all of it; other threads wait for its end, or are refused while the node stops. No
 * mutex is held meanwhile.
 */
final class DecLockNode implements ApplicationNode {
    private final ComputeNodeSettings settings;
    private final Supplier<List<MemoryNodeAddress>> addresses;
    private final Supplier<List<FabricFactory>> fabrics;
    private final Consumer<ComputeNode.Builder> extensions;
    private final @Nullable EmbeddedMemoryNode embedded;
    private final ReentrantLock mutex = new ReentrantLock();

    @GuardedBy("mutex")
    private State state = State.NEW;

    /** The start or stop that is under way, or the last one. */
    @GuardedBy("mutex")
    private Change change = new Change();

    /** Set while the state is RUNNING; written with the mutex held. */
    private volatile @Nullable ComputeNode node;

    private enum State {
        NEW,
        STARTING,
        RUNNING,
        STOPPING,
        STOPPED
    }

    /** A start or a stop, and the thread that does it. */
    private static final class Change {
        private final Thread by = Thread.currentThread();
        private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

        void await() {
            if (by == Thread.currentThread() && !ended.isDone()) {
                throw new IllegalStateException("The compute node is needed while this thread starts or stops it");
            }
            ended.join();
        }
    }

    /**
     * Makes it; each start calls the suppliers.
     *
     * @param extensions adds what the application's beans contribute; each start calls it
     * @param embedded the memory node inside this application, null if others are configured
     */
    DecLockNode(
            ComputeNodeSettings settings,
            Supplier<List<MemoryNodeAddress>> addresses,
            Supplier<List<FabricFactory>> fabrics,
            Consumer<ComputeNode.Builder> extensions,
            @Nullable EmbeddedMemoryNode embedded) {
        this.settings = settings;
        this.addresses = addresses;
        this.fabrics = fabrics;
        this.extensions = extensions;
        this.embedded = embedded;
    }

    /**
     * Returns the running node.
     *
     * @throws DecLockException if the application has stopped
     */
    @Override
    public ComputeNode running() {
        ComputeNode running = node;
        return running != null ? running : start(false);
    }

    @Override
    public @Nullable MemoryNode privateMemoryNode() {
        return embedded == null ? null : embedded.privateNode();
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
        while (true) {
            Change current;
            State before;
            mutex.lock();
            try {
                before = state;
                if (before == State.RUNNING && node != null) {
                    return node;
                }
                if (!again && (before == State.STOPPING || before == State.STOPPED)) {
                    throw new DecLockException(
                            "The application is shutting down and has left its memory nodes, so no lock can be acquired.");
                }
                if (before == State.NEW || before == State.STOPPED) {
                    state = State.STARTING;
                    change = new Change();
                }
                current = change;
            } finally {
                mutex.unlock();
            }
            if (before == State.NEW || before == State.STOPPED) {
                return start(current, before);
            }
            current.await();
        }
    }

    private ComputeNode start(Change starting, State before) {
        ComputeNode built = null;
        try {
            if (embedded != null) {
                embedded.start();
            }
            ComputeNode fresh = build();
            fresh.start();
            built = fresh;
            if (embedded != null) {
                embedded.watch(() -> fresh.monitor().memoryNodes().stream()
                        .allMatch(view -> view.state() == MemoryNodeView.State.UP));
            }
            return fresh;
        } finally {
            end(starting, built == null ? before : State.RUNNING, built);
        }
    }

    private void end(Change ending, State now, @Nullable ComputeNode running) {
        mutex.lock();
        try {
            state = now;
            node = running;
        } finally {
            mutex.unlock();
        }
        ending.ended.complete(null);
    }

    private ComputeNode build() {
        NodeCounters counters = new NodeCounters();
        ComputeNode.Builder builder = ComputeNode.builder().settings(settings).counters(counters);
        extensions.accept(builder);
        builder.memoryNodes(embedded == null ? addresses.get() : List.of(embedded.address()));
        fabrics.get().forEach(factory -> builder.fabric(factory.open(counters)));
        if (embedded != null) {
            // The last one, so that a test can put a fabric in front of it.
            embedded.privateFabric(counters).ifPresent(builder::fabric);
        }
        return builder.build();
    }

    /** Leaves every memory node. */
    void stop() {
        while (true) {
            Change current;
            ComputeNode running;
            State before;
            mutex.lock();
            try {
                before = state;
                running = node;
                node = null;
                if (before == State.RUNNING) {
                    state = State.STOPPING;
                    change = new Change();
                } else if (before == State.NEW) {
                    state = State.STOPPED;
                }
                current = change;
            } finally {
                mutex.unlock();
            }
            if (running != null) {
                try {
                    running.close();
                } finally {
                    end(current, State.STOPPED, null);
                }
            }
            if (before != State.STARTING && before != State.STOPPING) {
                return;
            }
            current.await();
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
