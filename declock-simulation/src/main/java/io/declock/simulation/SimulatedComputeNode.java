// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.DecLockException;
import io.declock.LocalSettings;
import io.declock.LockMode;
import io.declock.MemoryNodeAddress;
import io.declock.internal.local.LocalHost;
import io.declock.internal.local.LocalLock;
import io.declock.internal.local.LocalWaiter;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.protocol.CqlEnvironment;
import io.declock.internal.protocol.CqlLock;
import io.declock.internal.session.MemoryNodeLink;
import io.declock.internal.session.NodeSession;
import io.declock.internal.session.SessionSettings;
import io.declock.internal.session.Surroundings;
import io.declock.internal.time.Clock;
import io.declock.spi.Fabric;
import io.declock.spi.FabricSession;
import io.declock.spi.JoinRequest;
import io.declock.spi.PeerMessage;
import io.declock.spi.SessionListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One process: the real local locks, protocol, session, coordinator and link over a simulated fabric, clock and timer. It replaces
 * {@code io.declock.internal.node}, which adds threads and the public API.
 */
final class SimulatedComputeNode extends SimulatedWorld.Place implements LocalHost, MemoryNodeLink.Listener {
    private static final MemoryNodeAddress ADDRESS = new MemoryNodeAddress("sim", "mn", 1);
    private static final long PPM = 1_000_000;

    private final SimulatedCluster cluster;
    private final SimulatedWorld world;
    private final String peerAddress;
    private final int driftPpm;
    private final int slowness;
    private final long clockOrigin;
    private final NodeCounters counters = new NodeCounters();
    private final Map<String, LocalLock> locks = new LinkedHashMap<>();
    private final Set<LocalLock> unbound = new LinkedHashSet<>();
    private final MemoryNodeLink link;
    private @Nullable SimulatedSession session;
    private long cutOffUntil;
    private long deafUntil;
    private long clockJump;
    private long clockStopsAt = Long.MAX_VALUE;
    private boolean clockBroken;
    private @Nullable Runnable whenAskingForTheTime;

    SimulatedComputeNode(SimulatedCluster cluster, String name, String peerAddress, int driftPpm, int slowness) {
        super(name);
        this.cluster = cluster;
        this.world = cluster.world();
        this.peerAddress = peerAddress;
        this.driftPpm = driftPpm;
        this.slowness = slowness;
        this.clockOrigin = world.below(1L << 40);
        SimulationOptions.Cluster options = cluster.options().cluster();
        this.link = new MemoryNodeLink(
                ADDRESS,
                new SimulatedFabric(),
                new SessionSettings(
                        name,
                        world.below(Long.MAX_VALUE),
                        Duration.ofNanos(options.lease()),
                        Duration.ofNanos(options.heartbeat()),
                        Duration.ofNanos(options.leaseMargin()),
                        Duration.ofSeconds(1),
                        cluster.options().cql()),
                new Surroundings(clock(), this::schedule, world.randomSource(), counters),
                this);
    }

    void start() {
        link.start();
    }

    SimulatedWorld world() {
        return world;
    }

    NodeCounters counters() {
        return counters;
    }

    Collection<LocalLock> locks() {
        return locks.values();
    }

    @Nullable
    SimulatedSession session() {
        return session;
    }

    String peerAddress() {
        return peerAddress;
    }

    // ---------------------------------------------------------------- time

    @Override
    public Clock clock() {
        return () -> clockOrigin + clockJump + drifted(Math.min(world.now(), clockStopsAt));
    }

    private long drifted(long time) {
        return time + time * driftPpm / PPM;
    }

    /** Stops its clock until an instant; the clock continues from its value then. */
    void stopClock(long until) {
        if (clockStopsAt != Long.MAX_VALUE) {
            return;
        }
        world.note(() -> this + "'s clock stands still until " + until);
        clockStopsAt = world.now();
        world.at(until, null, () -> {
            clockJump -= drifted(world.now()) - drifted(clockStopsAt);
            clockStopsAt = Long.MAX_VALUE;
        });
    }

    /** From now on, its clock cannot be trusted for its lease. */
    void doubtClock() {
        clockBroken = true;
    }

    /** Returns whether its clock was ever one that cannot be trusted for its lease. */
    boolean isClockBroken() {
        return clockBroken;
    }

    /** Moves its clock forward by that amount. */
    void jump(long by) {
        world.note(() -> this + "'s clock jumps by " + by);
        clockJump += by;
    }

    /** Sets an action that runs when it next asks the memory node for the time. */
    void whenAskingForTheTime(Runnable action) {
        whenAskingForTheTime = action;
    }

    void asksForTheTime() {
        Runnable action = whenAskingForTheTime;
        if (action != null) {
            whenAskingForTheTime = null;
            action.run();
        }
    }

    private void schedule(long delay, Runnable task) {
        long late = world.below(1 + cluster.options().network().jitter());
        world.after(delay * PPM / (PPM + driftPpm) + 1 + late, this, task);
    }

    // ---------------------------------------------------------------- distance to the memory node

    /** Returns when a message sent now arrives at the memory node. */
    long toMemoryNode() {
        return Math.max(world.now() + travel(), cutOffUntil + world.below(1000));
    }

    /** Returns when a message that the memory node sends now arrives here. */
    long fromMemoryNode() {
        return Math.max(world.now() + travel(), deafUntil + world.below(1000));
    }

    private long travel() {
        SimulationOptions.Network network = cluster.options().network();
        long time = slowness * (network.oneWay() + world.exponential(network.jitter()));
        return world.chance(network.spikeChance()) ? time + world.exponential(network.spike()) : time;
    }

    int slowness() {
        return slowness;
    }

    /** Holds up the messages that it sends, or those to it, until that instant. */
    void cutOff(boolean sending, boolean receiving, long until) {
        cutOffUntil = sending ? until : cutOffUntil;
        deafUntil = receiving ? until : deafUntil;
    }

    // ---------------------------------------------------------------- callers

    LocalLock acquire(String name, LocalWaiter waiter) {
        while (true) {
            LocalLock lock = locks.computeIfAbsent(name, fresh -> new LocalLock(this, fresh));
            if (lock.acquire(waiter)) {
                return lock;
            }
        }
    }

    /** Forgets a lock if it is idle. */
    void forget(LocalLock lock) {
        CqlLock remote = lock.remote();
        if (!lock.retire()) {
            return;
        }
        locks.remove(lock.name(), lock);
        forgotten(lock);
        if (remote != null && remote.environment() instanceof NodeSession of) {
            of.unregister(remote.record(), lock);
        }
    }

    // ---------------------------------------------------------------- binding

    @Override
    public void bind(LocalLock lock) {
        NodeSession current = link.session();
        if (current == null) {
            bindLater(lock);
            return;
        }
        current.fabric().control().resolve(lock.name()).whenComplete((resolution, failure) -> {
            if (failure != null) {
                bindLater(lock);
                return;
            }
            link.sawEpoch(resolution.epoch());
            current.register(resolution.record(), lock);
            if (current.isOver()) {
                current.unregister(resolution.record(), lock);
                bindLater(lock);
            } else {
                lock.bound(current, resolution);
            }
        });
    }

    @Override
    public void forgotten(LocalLock lock) {
        unbound.remove(lock);
    }

    private void bindLater(LocalLock lock) {
        unbound.add(lock);
        lock.bindFailed((DecLockException) null);
        if (link.session() != null) {
            retry(lock);
        }
    }

    private void retry(LocalLock lock) {
        if (unbound.remove(lock)) {
            lock.retryBinding();
        }
    }

    @Override
    public void joined(MemoryNodeLink of, NodeSession fresh) {
        session = (SimulatedSession) fresh.fabric();
        List.copyOf(unbound).forEach(this::retry);
    }

    @Override
    public void down(MemoryNodeLink of) {}

    @Override
    public void reclaimProposed(NodeSession of, long round, long[] records) {}

    // ---------------------------------------------------------------- what local locks need

    @Override
    public LocalSettings localSettings() {
        return cluster.options().local();
    }

    @Override
    public void holdLost(LockMode mode) {}

    @Override
    public void tellOfLoss(LocalLock lock, Runnable listener) {
        listener.run();
    }

    @Override
    public boolean isClosed() {
        return false;
    }

    @Override
    public void held(int change) {}

    /** Returns the locks that have a remote side at present, with it. */
    void eachRemote(RemoteVisitor visitor) {
        for (LocalLock lock : locks.values()) {
            CqlLock remote = lock.remote();
            if (remote != null) {
                visitor.visit(lock, remote);
            }
        }
    }

    /** Returns a session's remote side of a record, or null. */
    @Nullable
    CqlLock remoteAt(SimulatedSession of, long record) {
        for (LocalLock lock : locks.values()) {
            CqlLock remote = lock.remote();
            if (remote != null && remote.record() == record && SimulatedSession.of(remote) == of) {
                return remote;
            }
        }
        return null;
    }

    /** Visits a lock and its remote side. */
    interface RemoteVisitor {
        void visit(LocalLock lock, CqlLock remote);
    }

    /** A peer's message has reached this process. */
    void receive(PeerMessage message) {
        SimulatedSession current = session;
        if (current != null && !current.isClosed()) {
            current.receive(message);
        }
    }

    /** Asks for a reset without need. */
    void forceReset(CqlLock lock, io.declock.internal.protocol.ResetReason reason) {
        CqlEnvironment environment = lock.environment();
        environment.requestReset(lock, lock.epoch(), reason);
    }

    List<LocalLock> snapshot() {
        return new ArrayList<>(locks.values());
    }

    private final class SimulatedFabric implements Fabric {
        @Override
        public boolean supports(MemoryNodeAddress address) {
            return true;
        }

        @Override
        public CompletionStage<FabricSession> join(
                MemoryNodeAddress address, JoinRequest request, SessionListener listener) {
            return cluster.memoryNode().join(SimulatedComputeNode.this, request, listener);
        }

        @Override
        public String peerAddress() {
            return peerAddress;
        }

        @Override
        public void close() {}
    }
}
