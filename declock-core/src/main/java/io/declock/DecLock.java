// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import io.declock.internal.Opening;
import io.declock.spi.Fabric;
import io.declock.spi.LockObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * An open connection of one process to its memory nodes: the entry point for programs without Spring. One per process is enough.
 * Thread-safe.
 *
 * <pre>{@code
 * try (DecLock locks = DecLock.connect("tcp://locks.internal:7420")) {
 *     try (LockHandle handle = locks.acquire(LockRequest.write("order:42"))) {
 *         orders.update(42, handle.fencingToken());
 *     }
 * }
 * }</pre>
 */
public interface DecLock extends DistributedReadWriteLock, AutoCloseable {
    /**
     * Opens the locks at these memory nodes with default settings, and waits until every memory node is joined.
     *
     * @param memoryNodes addresses such as {@code tcp://locks.internal:7420}; every process must be given the same
     * @return the locks, open
     * @throws IllegalArgumentException if an address is malformed, or there is none
     * @throws MemoryNodeRefusedException if a memory node refuses this process for good
     * @throws MemoryNodeUnavailableException if they were not joined within the default wait time of 30 s
     * @throws InterruptedException if interrupted while waiting; nothing is open then
     */
    static DecLock connect(String... memoryNodes) throws InterruptedException {
        DecLock opened = builder().memoryNodes(memoryNodes).open();
        boolean ready = false;
        try {
            Duration patience = opened.settings().defaultWaitTime();
            ready = opened.awaitReady(patience);
            if (!ready) {
                throw new MemoryNodeUnavailableException("not every memory node of " + Arrays.toString(memoryNodes)
                        + " could be joined within " + patience + ": "
                        + opened.monitor().memoryNodes().stream()
                                .map(node -> node.address() + " is " + node.state() + " " + node.problem())
                                .toList());
            }
            return opened;
        } finally {
            if (!ready) {
                opened.close();
            }
        }
    }

    /** {@return a builder with default settings} */
    static Builder builder() {
        return new Builder();
    }

    /**
     * Waits until every memory node is joined.
     *
     * @param timeout how long to wait at most
     * @return false if that took longer than {@code timeout}
     * @throws MemoryNodeRefusedException if one of them refuses for good
     * @throws InterruptedException if interrupted while waiting
     */
    boolean awaitReady(Duration timeout) throws InterruptedException;

    /** Stops accepting new acquisitions: from now on only an owner that already holds a lock may acquire it again. */
    void stopAccepting();

    /**
     * Waits until this process holds nothing.
     *
     * @param timeout how long to wait at most
     * @return false if that took longer than {@code timeout}
     * @throws InterruptedException if interrupted while waiting
     */
    boolean awaitIdle(Duration timeout) throws InterruptedException;

    /** {@return the values that belong to locks} */
    GuardedValues guardedValues();

    /** {@return the monitor, which shows the state of this process's locks} */
    ComputeNodeMonitor monitor();

    /** {@return the settings} */
    ComputeNodeSettings settings();

    /**
     * Stops accepting, completes every wait with {@link ShuttingDownException}, leaves every memory node, and ends the threads and
     * connections. Remaining holds are lost. Waits end at once. Leaving takes up to two seconds for each memory node that does not answer,
     * or at which this process still has a queue position that must be passed on. Idempotent.
     */
    @Override
    void close();

    /** Opens the locks of this process. Not thread-safe. */
    final class Builder {
        private final List<MemoryNodeAddress> addresses = new ArrayList<>();
        private final List<Fabric> fabrics = new ArrayList<>();
        private final Map<String, String> rdma = new LinkedHashMap<>();
        private ComputeNodeSettings settings = ComputeNodeSettings.DEFAULTS;
        private TcpFabricSettings tcp = TcpFabricSettings.DEFAULTS;
        private LockObserver observer = LockObserver.NONE;
        private @Nullable Executor completions;

        private Builder() {}

        /**
         * Adds memory nodes; every process must be given the same.
         *
         * @param memoryNodes addresses such as {@code tcp://locks.internal:7420} or {@code rdma://locks.internal:7420}
         * @return this builder
         * @throws IllegalArgumentException if one is malformed
         */
        public Builder memoryNodes(String... memoryNodes) {
            for (String each : memoryNodes) {
                addresses.add(MemoryNodeAddress.parse(each));
            }
            return this;
        }

        /**
         * Sets the options of all locks of this process: namespace, lease, waiting, fairness.
         *
         * @param settings the settings
         * @return this builder
         */
        public Builder settings(ComputeNodeSettings settings) {
            this.settings = settings;
            return this;
        }

        /**
         * Sets secret, TLS, time-outs and the port for peers.
         *
         * @param settings the settings
         * @return this builder
         */
        public Builder tcp(TcpFabricSettings settings) {
            this.tcp = settings;
            return this;
        }

        /**
         * Sets one option of the RDMA fabric, which serves addresses that begin with {@code rdma://} and is in the module {@code
         * declock-rdma}.
         *
         * @param name name of the property below {@code declock.rdma.}, such as {@code device}
         * @param value its value
         * @return this builder
         */
        public Builder rdma(String name, String value) {
            rdma.put(name, value);
            return this;
        }

        /**
         * Sets the observer of grants, releases and losses.
         *
         * @param observer the observer
         * @return this builder
         */
        public Builder observer(LockObserver observer) {
            this.observer = observer;
            return this;
        }

        /**
         * Sets what completes the stages of {@link #acquireAsync}, in place of the library's own threads, of which there are at most 64. Actions that
         * depend on a stage run there, unless the stage was complete before they were added to it.
         *
         * <p>With {@code Runnable::run}, the thread that learns of a grant completes its stage: one of the fabric's, which serves all locks of this process, the one that ends
         * waits whose time is over, or that of a caller who gives a lock back. So no thread has to be woken for a grant. An action must not
         * block there, not for a lock either; what may block belongs on an executor of its own ({@code thenAcceptAsync(action, executor)}).
         *
         * @param executor completes stages; of one that refuses, a new thread takes the task over
         * @return this builder
         */
        public Builder completions(Executor executor) {
            this.completions = executor;
            return this;
        }

        /**
         * Adds a custom fabric. It takes precedence over the library's fabrics for the addresses that it supports, and is closed with the
         * locks.
         *
         * @param fabric the fabric
         * @return this builder
         */
        public Builder fabric(Fabric fabric) {
            fabrics.add(fabric);
            return this;
        }

        /**
         * Opens the locks and begins to join the memory nodes, without waiting for them.
         *
         * @return the locks, open
         * @throws IllegalArgumentException if there is no memory node, or no fabric for one
         * @throws DecLockException if a fabric cannot be opened; its message says what to do
         */
        public DecLock open() {
            return Opening.open(addresses, fabrics, tcp, rdma, settings, observer, completions);
        }
    }
}
