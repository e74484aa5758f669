// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.ComputeNodeMonitor;
import io.declock.ComputeNodeSettings;
import io.declock.Counters;
import io.declock.DecLock;
import io.declock.GuardedValues;
import io.declock.InvalidSettingException;
import io.declock.LocalSettings;
import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockMode;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.MemoryNodeAddress;
import io.declock.internal.local.Hold;
import io.declock.internal.local.KeptLocks;
import io.declock.internal.local.LocalLock;
import io.declock.internal.local.LocalWaiter;
import io.declock.internal.local.Precedence;
import io.declock.internal.monitor.IsolatedObserver;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.time.Clock;
import io.declock.internal.time.RandomSource;
import io.declock.internal.time.TimerService;
import io.declock.spi.Fabric;
import io.declock.spi.LockObserver;
import io.declock.spi.NodeSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * A compute node: one process's view of all its memory nodes, and the locks it takes there. Thread-safe.
 */
public final class ComputeNode implements DecLock {
    private static final Duration LEAVE_TIMEOUT = Duration.ofSeconds(2);

    private final ComputeNodeSettings settings;
    private final Precedence precedence;
    private final List<Fabric> fabrics;
    private final NodeCounters counters;
    private final LockObserver observer;
    private final NodeRuntime runtime;
    private final KeptLocks kept;
    private final LockTable table;
    private final MemoryNodes memoryNodes;
    private final Acquirer acquirer;
    private final RequestRunner requests;
    private final NodeMonitor monitor;
    private final GuardedStore store;
    private final GuardedLocks guarded;
    private final Callers callers = new Callers();
    private final AtomicBoolean closed = new AtomicBoolean();

    private ComputeNode(Builder builder) {
        this.settings = builder.settings;
        this.precedence = builder.precedence;
        this.fabrics = List.copyOf(builder.fabrics);
        this.counters = builder.counters;
        this.observer = IsolatedObserver.of(builder.observer);
        this.runtime = new NodeRuntime(
                settings.name(),
                builder.clock,
                builder.timer,
                builder.random,
                builder.completions,
                builder.executor,
                builder.waiting);
        this.kept = new KeptLocks(settings.keep(), runtime.clock(), runtime.timer());
        this.table = new LockTable(new Host(), settings.maxIdleLocks());
        this.memoryNodes = new MemoryNodes(builder.addresses, fabrics, settings, runtime, counters, table);
        this.acquirer = new Acquirer(
                settings,
                runtime.clock(),
                table,
                callers,
                name -> memoryNodes.unavailable(name) != null,
                observer,
                counters);
        AsyncAcquirer async = new AsyncAcquirer(acquirer, callers, runtime);
        this.requests = new RequestRunner(settings.defaultWaitTime(), runtime, memoryNodes, acquirer, async);
        this.store = new GuardedStore(runtime.timer(), settings.name());
        this.guarded = new GuardedLocks(requests, store);
        this.monitor = new NodeMonitor(runtime.clock(), memoryNodes, table, kept, callers, counters);
    }

    /** Returns a builder. */
    public static Builder builder() {
        return new Builder();
    }

    // ---------------------------------------------------------------- life cycle

    /** Starts every component; joining goes on in the background. Idempotent. */
    public void start() {
        components().forEach(component -> component.start().run());
    }

    /** Returns the parts that a container may start and stop: sessions, reset coordinator, clock synchronisation. */
    public List<ManagedComponent> components() {
        return memoryNodes.components();
    }

    @Override
    public boolean awaitReady(Duration timeout) throws InterruptedException {
        return memoryNodes.awaitReady(timeout);
    }

    @Override
    public void stopAccepting() {
        callers.acceptNoMore();
    }

    @Override
    public boolean awaitIdle(Duration timeout) throws InterruptedException {
        return memoryNodes.awaitCondition(() -> callers.heldNow() <= 0, timeout);
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        callers.acceptNoMore();
        // Each lock's mutex orders this against arriving callers: either this loop sees them, or they see that the node
        // is closed.
        table.all().forEach(LocalLock::shutDown);
        kept.giveBackAll();
        kept.stop();
        memoryNodes.leave(callers.heldNow() <= 0, LEAVE_TIMEOUT);
        for (Fabric fabric : fabrics) {
            fabric.close();
        }
        runtime.close();
    }

    // ---------------------------------------------------------------- the lock

    @Override
    public ReadWriteLock lock(String name) {
        LockTable.checkName(name);
        return new NamedLock(acquirer, name);
    }

    @Override
    public LockHandle acquire(LockRequest request) throws InterruptedException {
        return requests.acquire(request, Thread.currentThread());
    }

    @Override
    public LockHandle acquire(LockRequest request, LockOwner owner) throws InterruptedException {
        return requests.acquire(request, owner);
    }

    @Override
    public Optional<LockHandle> tryAcquire(LockRequest request) throws InterruptedException {
        return Optional.ofNullable(requests.tryAcquire(request, Thread.currentThread()));
    }

    @Override
    public CompletionStage<LockHandle> acquireAsync(LockRequest request, LockOwner owner) {
        return requests.acquireAsync(request, owner);
    }

    @Override
    public GuardedValues guardedValues() {
        return guarded;
    }

    @Override
    public ComputeNodeMonitor monitor() {
        return monitor;
    }

    @Override
    public ComputeNodeSettings settings() {
        return settings;
    }

    // ---------------------------------------------------------------- for callers without threads

    /**
     * Lets a caller in, or queues it, as every acquisition does.
     *
     * @return the lock
     * @throws io.declock.ShuttingDownException if the process is shutting down
     */
    public LocalLock enter(String name, LocalWaiter waiter) {
        return acquirer.enter(name, waiter);
    }

    /**
     * Has an exclusive hold last a while at least, as {@link LockRequest#holdAtLeast} does.
     *
     * @return completes when the memory node has noted it, and exceptionally if the hold was lost or the memory node has not noted it
     */
    public CompletableFuture<Void> last(Hold hold, long nanos) {
        try {
            return MinimumHold.last(hold, nanos, runtime.clock(), runtime.timer())
                    .noted();
        } catch (LockLostException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Returns the values of guarded locks. */
    public GuardedStore guardedStore() {
        return store;
    }

    /** Returns the locks that this process knows. */
    public Iterable<LocalLock> locks() {
        return table.all();
    }

    /** Forgets a lock if it is idle; returns whether it was. */
    public boolean forget(LocalLock lock) {
        return table.forget(lock);
    }

    /** The services of this node for its locks. */
    private final class Host implements LocalLock.Host {
        // Every acquisition reads these two, so they are fields of the host.
        private final Clock clock = runtime.clock();
        private final Callers present = callers;

        @Override
        public LocalSettings localSettings() {
            return settings.local();
        }

        @Override
        public Precedence precedence() {
            return precedence;
        }

        @Override
        public KeptLocks kept() {
            return kept;
        }

        @Override
        public Clock clock() {
            return clock;
        }

        @Override
        public void bind(LocalLock lock) {
            memoryNodes.bind(lock);
        }

        @Override
        public void forgotten(LocalLock lock) {
            memoryNodes.forgotten(lock);
        }

        @Override
        public void holdLost(String name, LockMode mode) {
            counters.count(Counters.Event.HOLD_LOST);
            observer.lost(name, mode);
        }

        @Override
        public void tellOfLoss(Runnable listener) {
            runtime.losses().execute(listener);
        }

        @Override
        public boolean isClosed() {
            return closed.get();
        }

        @Override
        public void held(int change) {
            present.held(change);
            if (change < 0 && !present.areAccepted() && present.heldNow() <= 0) {
                memoryNodes.signal();
            }
        }
    }

    /** Builds a compute node. Not thread-safe. */
    public static final class Builder {
        private final List<MemoryNodeAddress> addresses = new ArrayList<>();
        private final List<Fabric> fabrics = new ArrayList<>();
        private ComputeNodeSettings settings = ComputeNodeSettings.DEFAULTS;
        private NodeCounters counters = new NodeCounters();
        private LockObserver observer = LockObserver.NONE;
        private @Nullable Clock clock;
        private @Nullable TimerService timer;
        private @Nullable RandomSource random;
        private @Nullable Executor completions;
        private @Nullable Executor executor;
        private @Nullable Waiting waiting;
        private Precedence precedence = Precedence.BY_TIMESTAMPS;

        private Builder() {}

        /** Adds the memory nodes to use; every process must be given the same. */
        public Builder memoryNodes(List<MemoryNodeAddress> memoryNodes) {
            addresses.addAll(memoryNodes);
            return this;
        }

        /** Adds a fabric; the first that supports an address serves it. The node closes it when it is closed. */
        public Builder fabric(Fabric fabric) {
            fabrics.add(fabric);
            return this;
        }

        /** Sets the settings. */
        public Builder settings(ComputeNodeSettings settings) {
            this.settings = settings;
            return this;
        }

        /** Sets the observer of grants and releases. */
        public Builder observer(LockObserver observer) {
            this.observer = observer;
            return this;
        }

        /** Sets the counters, usually those of its fabrics. */
        public Builder counters(NodeCounters counters) {
            this.counters = counters;
            return this;
        }

        /** Sets time and randomness, for tests and simulation. */
        public Builder time(Clock clock, TimerService timer, RandomSource random) {
            this.clock = clock;
            this.timer = timer;
            this.random = random;
            return this;
        }

        /** Sets the choice between callers of this node and remote waiters, for the evaluation. */
        public Builder precedence(Precedence other) {
            this.precedence = other;
            return this;
        }

        /** Sets what completes the stages of asynchronous acquisitions, in place of a pool of threads. */
        public Builder completions(@Nullable Executor executor) {
            this.completions = executor;
            return this;
        }

        /** Sets what replaces the threads that run callbacks and those that wait, for simulation. */
        public Builder withoutThreads(Executor executor, Waiting waiting) {
            this.executor = executor;
            this.waiting = waiting;
            return this;
        }

        /**
         * Builds a node; {@link ComputeNode#start} begins to join.
         *
         * @throws IllegalArgumentException if there is no memory node, more than {@link NodeSet#MAX_SIZE}, or no fabric for one
         */
        public ComputeNode build() {
            if (addresses.isEmpty()) {
                throw new IllegalArgumentException("a compute node needs at least one memory node");
            }
            if (addresses.size() > NodeSet.MAX_SIZE) {
                throw new InvalidSettingException(
                        "memoryNodes",
                        addresses.size() + " addresses",
                        "at most " + NodeSet.MAX_SIZE + " memory nodes can be used together",
                        "List fewer.");
            }
            return new ComputeNode(this);
        }
    }
}
