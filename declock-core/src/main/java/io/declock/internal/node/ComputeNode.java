// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.ComputeNodeMonitor;
import io.declock.ComputeNodeSettings;
import io.declock.Counters;
import io.declock.DecLock;
import io.declock.DecLockException;
import io.declock.LocalSettings;
import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockMode;
import io.declock.LockNames;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.MemoryNodeAddress;
import io.declock.internal.local.Acquisition;
import io.declock.internal.local.Ceiling;
import io.declock.internal.local.HeldLock;
import io.declock.internal.local.Hold;
import io.declock.internal.local.LocalLock;
import io.declock.internal.local.LocalWaiter;
import io.declock.internal.monitor.IsolatedObserver;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.monitor.StripedSums;
import io.declock.internal.time.Clock;
import io.declock.internal.time.RandomSource;
import io.declock.internal.time.TimerService;
import io.declock.spi.Fabric;
import io.declock.spi.LockObserver;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * A compute node: one process's view of all its memory nodes, and the locks it takes there. Thread-safe.
 */
public final class ComputeNode implements DecLock {
    private static final Duration LEAVE_TIMEOUT = Duration.ofSeconds(2);
    private static final int HELD = 0;
    private static final int WAITING = 1;

    private final ComputeNodeSettings settings;
    private final List<Fabric> fabrics;
    private final NodeCounters counters;
    private final LockObserver observer;
    private final boolean observed;
    private final NodeRuntime runtime;
    private final LockTable table;
    private final MemoryNodes memoryNodes;
    private final Acquirer acquirer;
    private final RequestRunner requests;
    private final NodeMonitor monitor;
    private final StripedSums present = new StripedSums(2);
    private volatile boolean accepting = true;
    private final AtomicBoolean closed = new AtomicBoolean();

    private ComputeNode(Builder builder) {
        this.settings = builder.settings;
        this.fabrics = List.copyOf(builder.fabrics);
        this.counters = builder.counters;
        this.observer = IsolatedObserver.of(builder.observer);
        this.observed = !builder.observer.equals(LockObserver.NONE);
        this.runtime = new NodeRuntime(
                settings.name(), builder.clock, builder.timer, builder.random, builder.executor, builder.waiting);
        this.table = new LockTable(new Host(), settings.maxIdleLocks());
        this.memoryNodes = new MemoryNodes(builder.addresses, fabrics, settings, runtime, counters, table);
        this.acquirer =
                new Acquirer(this, table, observer, counters, settings.spin().toNanos());
        this.requests = new RequestRunner(this, acquirer);
        this.monitor = new NodeMonitor(this, memoryNodes, table);
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
        accepting = false;
    }

    @Override
    public boolean awaitIdle(Duration timeout) throws InterruptedException {
        return memoryNodes.awaitCondition(() -> present.sum(HELD) <= 0, timeout);
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        accepting = false;
        // Each lock's mutex orders this against arriving callers: either this loop sees them, or they see that the node
        // is closed.
        table.all().forEach(LocalLock::shutDown);
        memoryNodes.leave(present.sum(HELD) <= 0, LEAVE_TIMEOUT);
        for (Fabric fabric : fabrics) {
            fabric.close();
        }
        runtime.close();
    }

    // ---------------------------------------------------------------- the lock

    @Override
    public ReadWriteLock lock(String name) {
        checkName(name);
        return new NamedLock(this, name);
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

    /** Returns the locks that this process knows. */
    public Iterable<LocalLock> locks() {
        return table.all();
    }

    /** Forgets a lock if it is idle; returns whether it was. */
    public boolean forget(LocalLock lock) {
        return table.forget(lock);
    }

    // ---------------------------------------------------------------- for the parts of the node

    static void checkName(String name) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("a lock name must not be empty");
        }
        LockNames.checkEncodable("a lock name", name);
        if (name.length() * 3L > MAX_NAME_BYTES && name.getBytes(StandardCharsets.UTF_8).length > MAX_NAME_BYTES) {
            throw new IllegalArgumentException("a lock name may have " + MAX_NAME_BYTES
                    + " bytes of UTF-8, this one has " + name.getBytes(StandardCharsets.UTF_8).length + ": "
                    + LockNames.quoted(name.substring(0, 64)) + "…");
        }
    }

    /** Gives back an acquisition that was made through a view or has no handle yet. */
    @Nullable
    LockLostException release(Hold hold, LockMode mode, boolean byView) {
        LockLostException lost = HeldLock.release(hold, mode, byView);
        released(hold, mode);
        return lost;
    }

    /** Gives back one acquisition of a handle. */
    @Nullable
    LockLostException release(Acquisition acquisition) {
        Ceiling own = acquisition.ceiling();
        if (own != null) {
            own.cancel();
        }
        LockMode mode = acquisition.heldMode();
        LockLostException lost = HeldLock.release(acquisition);
        released(acquisition.hold(), mode);
        return lost;
    }

    private void released(Hold hold, LockMode mode) {
        Ceiling ceiling = hold.ceiling();
        if (ceiling != null && hold.isOver()) {
            ceiling.cancel();
        }
        if (observed) {
            observer.released(mode, runtime.clock().nanoTime() - hold.grantedAt());
        }
    }

    @Nullable
    Hold findHold(String name, Object owner) {
        LocalLock lock = findLock(name);
        return lock == null ? null : lock.findHold(owner);
    }

    @Nullable
    LocalLock findLock(String name) {
        return table.find(name);
    }

    boolean accepts() {
        return accepting;
    }

    Acquirer acquirer() {
        return acquirer;
    }

    NodeCounters counters() {
        return counters;
    }

    TimerService timer() {
        return runtime.timer();
    }

    Clock clock() {
        return runtime.clock();
    }

    Executor callbacks() {
        return runtime.callbacks();
    }

    /** Counts a caller that began (+1) or ended (-1) to wait. */
    void waiting(int change) {
        present.add(WAITING, change);
    }

    long heldNow() {
        return present.sum(HELD);
    }

    long waitingNow() {
        return present.sum(WAITING);
    }

    MemoryNodes memoryNodes() {
        return memoryNodes;
    }

    /** The services of this node for its locks. */
    private final class Host implements LocalLock.Host {
        @Override
        public LocalSettings localSettings() {
            return settings.local();
        }

        @Override
        public Clock clock() {
            return runtime.clock();
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
        public void holdLost(LockMode mode) {
            counters.count(Counters.Event.HOLD_LOST);
            observer.lost(mode);
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
            present.add(HELD, change);
            if (change < 0 && !accepting && present.sum(HELD) <= 0) {
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
        private @Nullable Executor executor;
        private @Nullable Waiting waiting;

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

        /** Sets what replaces the threads that run callbacks and those that wait, for simulation. */
        public Builder withoutThreads(Executor executor, Waiting waiting) {
            this.executor = executor;
            this.waiting = waiting;
            return this;
        }

        /**
         * Builds a node; {@link ComputeNode#start} begins to join.
         *
         * @throws IllegalArgumentException if there is no memory node, or no fabric for one
         */
        public ComputeNode build() {
            if (addresses.isEmpty()) {
                throw new IllegalArgumentException("a compute node needs at least one memory node");
            }
            return new ComputeNode(this);
        }
    }

    /** Converts to nanoseconds; a duration whose nanoseconds do not fit into a {@code long} becomes 36,500 days. */
    static long nanos(Duration duration) {
        try {
            return duration.toNanos();
        } catch (ArithmeticException e) {
            return TimeUnit.DAYS.toNanos(36_500);
        }
    }

    static DecLockException unchecked(Throwable failure) {
        return failure instanceof DecLockException known
                ? known
                : new DecLockException(String.valueOf(failure.getMessage()), failure);
    }
}
