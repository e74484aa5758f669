// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.ComputeNodeSettings;
import io.declock.MemoryNodeAddress;
import io.declock.internal.local.Hold;
import io.declock.internal.local.LocalLock;
import io.declock.internal.local.LocalWaiter;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.node.ComputeNode;
import io.declock.internal.node.GuardedStore;
import io.declock.internal.node.Waiting;
import io.declock.internal.protocol.CqlEnvironment;
import io.declock.internal.protocol.CqlLock;
import io.declock.internal.protocol.ResetReason;
import io.declock.internal.time.Clock;
import io.declock.spi.Fabric;
import io.declock.spi.FabricSession;
import io.declock.spi.JoinRequest;
import io.declock.spi.PeerMessage;
import io.declock.spi.SessionListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One process: a real compute node over a simulated fabric, clock, timer and executor. Its callers come as {@link LocalWaiter}s; a thread
 * that would wait makes the other events happen meanwhile.
 */
final class SimulatedComputeNode extends SimulatedWorld.Place {
    private static final long PPM = 1_000_000;
    /** How far the port of a memory node's candidate is from that of the one before. */
    private static final int CANDIDATE = 100;

    private final SimulatedCluster cluster;
    private final SimulatedWorld world;
    private final String peerAddress;
    private final int driftPpm;
    private final int slowness;
    private final long clockOrigin;
    private final NodeCounters counters = new NodeCounters();
    private final ComputeNode node;
    /** The last session with each memory node. */
    private final @Nullable SimulatedSession[] sessions;

    private long cutOffUntil;
    private long deafUntil;
    private long clockJump;
    private long clockStopsAt = Long.MAX_VALUE;
    private boolean clockBroken;
    private boolean shuttingDown;
    private boolean closing;
    private @Nullable Runnable whenAskingForTheTime;
    private SimulatedNic nic = SimulatedNic.infinitelyFast();
    private List<SimulatedCore> cores = List.of(SimulatedCore.infinitelyFast());
    /** The core on which its present event happens. */
    private SimulatedCore running = cores.get(0);
    /** How many messages it has received. */
    private int received;

    SimulatedComputeNode(SimulatedCluster cluster, String name, String peerAddress, int driftPpm, int slowness) {
        super(name);
        this.cluster = cluster;
        this.world = cluster.world();
        this.peerAddress = peerAddress;
        this.driftPpm = driftPpm;
        this.slowness = slowness;
        this.clockOrigin = world.below(1L << 40);
        this.sessions = new SimulatedSession[cluster.memoryNodes().size()];
        List<MemoryNodeAddress> addresses = new ArrayList<>();
        for (int i = 0; i < cluster.options().wiring().configured(); i++) {
            addresses.add(address(i));
        }
        this.node = ComputeNode.builder()
                .memoryNodes(addresses)
                .fabric(new SimulatedFabric())
                .settings(settings(name))
                .counters(counters)
                .precedence(HandOverPrecedence.of(cluster.handOver()))
                .time(clock(), this::schedule, world.randomSource())
                .withoutThreads(task -> world.after(0, this, task), new OtherEvents())
                .build();
    }

    /** Returns the address of a memory node, which leads to each of its candidates. */
    private MemoryNodeAddress address(int number) {
        List<String> candidates = new ArrayList<>();
        int most = Math.max(1, cluster.options().elections().candidates());
        for (int i = 0; i < most; i++) {
            candidates.add("sim://mn:" + (1 + number + i * CANDIDATE));
        }
        return MemoryNodeAddress.parse(String.join("|", candidates));
    }

    private ComputeNodeSettings settings(String name) {
        SimulationOptions.Cluster options = cluster.options().cluster();
        return ComputeNodeSettings.builder()
                .namespace("sim")
                .name(name)
                .lease(Duration.ofNanos(options.lease()))
                .heartbeatInterval(Duration.ofNanos(options.heartbeat()))
                .leaseMargin(Duration.ofNanos(options.leaseMargin()))
                // Stated, so that a seed stays the same run if the default changes.
                .clockSyncInterval(Duration.ofSeconds(1))
                .spin(Duration.ZERO)
                .local(cluster.options().local())
                .keep(cluster.options().keep())
                .cql(cluster.options().cql())
                .build();
    }

    void start() {
        node.start();
    }

    SimulatedWorld world() {
        return world;
    }

    NodeCounters counters() {
        return counters;
    }

    /** Returns its last session with the first memory node, or null. */
    @Nullable
    SimulatedSession session() {
        return sessions[0];
    }

    /** Returns its last session with each memory node. */
    List<SimulatedSession> sessions() {
        List<SimulatedSession> known = new ArrayList<>();
        for (SimulatedSession session : sessions) {
            if (session != null) {
                known.add(session);
            }
        }
        return known;
    }

    String peerAddress() {
        return peerAddress;
    }

    // ---------------------------------------------------------------- time

    private Clock clock() {
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
        return toMemoryNode(world.now());
    }

    /** Returns when what leaves at an instant arrives at the memory node. */
    long toMemoryNode(long leaves) {
        return Math.max(leaves + travel(), cutOffUntil + world.below(1000));
    }

    /** Returns when a message that the memory node sends now arrives here. */
    long fromMemoryNode() {
        return fromMemoryNode(world.now());
    }

    /** Returns when what leaves the memory node at an instant arrives here. */
    long fromMemoryNode(long leaves) {
        return Math.max(leaves + travel(), deafUntil + world.below(1000));
    }

    /** Returns its adapter, through which verbs and messages between compute nodes go. */
    SimulatedNic nic() {
        return nic;
    }

    void use(SimulatedNic other) {
        nic = other;
    }

    void use(List<SimulatedCore> others) {
        cores = List.copyOf(others);
        running = cores.get(0);
    }

    /** Returns the core on which its present event happens, which posts its chains and sends its messages. */
    SimulatedCore running() {
        return running;
    }

    /** Its present event happens on a core. */
    void runsOn(SimulatedCore core) {
        running = core;
    }

    /** Returns the core that receives the next message: they take turns. */
    SimulatedCore receiving() {
        return cores.get(received++ % cores.size());
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
        return node.enter(name, waiter);
    }

    /** Has a hold last that long at least. */
    CompletableFuture<Void> last(Hold hold, long nanos) {
        return node.last(hold, nanos);
    }

    /** Returns the values of its locks. */
    GuardedStore values() {
        return node.guardedStore();
    }

    /** Forgets a lock if it is idle. */
    void forget(LocalLock lock) {
        node.forget(lock);
    }

    /**
     * A thread of this process that waits: other events happen until its condition is true or its time is up. As in a real process, the
     * thread looks at the condition only when it is woken.
     */
    private final class OtherEvents implements Waiting {
        private long changes;

        @Override
        public void signal() {
            changes++;
        }

        @Override
        public boolean await(BooleanSupplier condition, long nanos) {
            if (closing) {
                cluster.isClosing(SimulatedComputeNode.this);
            }
            long end = world.now() + nanos;
            long seen = changes - 1;
            while (isAlive()) {
                if (seen != changes) {
                    seen = changes;
                    if (condition.getAsBoolean()) {
                        return true;
                    }
                }
                if (!world.step(end)) {
                    return condition.getAsBoolean();
                }
            }
            return true;
        }
    }

    /** Returns whether it lives and does not shut down already. */
    boolean mayShutDown() {
        return isAlive() && !shuttingDown;
    }

    /** The process shuts down as an application does: it lets holders finish for some time, and closes. */
    void shutDown(long patience) {
        shuttingDown = true;
        try {
            node.stopAccepting();
            node.awaitIdle(Duration.ofNanos(patience));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        closing = true;
        node.close();
    }

    /** Returns the locks that have a remote side at present, with it. */
    void eachRemote(RemoteVisitor visitor) {
        for (LocalLock lock : node.locks()) {
            CqlLock remote = lock.remote();
            if (remote != null) {
                visitor.visit(lock, remote);
            }
        }
    }

    /** Returns a session's remote side of a record, or null. */
    @Nullable
    CqlLock remoteAt(SimulatedSession of, long record) {
        for (LocalLock lock : node.locks()) {
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
        for (SimulatedSession session : sessions) {
            if (session != null
                    && !session.isClosed()
                    && (sessions.length == 1 || session.joined().memoryNodeIncarnation() == message.memoryNode())) {
                session.receive(message);
            }
        }
    }

    /** Asks for a reset without need. */
    void forceReset(CqlLock lock, ResetReason reason) {
        CqlEnvironment environment = lock.environment();
        environment.requestReset(lock.record(), lock.epoch(), reason);
    }

    List<LocalLock> snapshot() {
        List<LocalLock> all = new ArrayList<>();
        node.locks().forEach(all::add);
        return all;
    }

    private final class SimulatedFabric implements Fabric {
        @Override
        public boolean supports(MemoryNodeAddress address) {
            return true;
        }

        @Override
        public CompletionStage<FabricSession> join(
                MemoryNodeAddress address, JoinRequest request, SessionListener listener) {
            int number = (address.port() - 1) % CANDIDATE;
            return SimulatedJoin.send(
                            cluster,
                            cluster.memoryNodes().get(number),
                            (address.port() - 1) / CANDIDATE,
                            SimulatedComputeNode.this,
                            request,
                            listener)
                    .thenApply(session -> {
                        sessions[number] = session;
                        return session;
                    });
        }

        @Override
        public String peerAddress() {
            return peerAddress;
        }

        @Override
        public void close() {}
    }
}
