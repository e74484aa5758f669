// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static java.util.Objects.requireNonNull;

import io.declock.LockMode;
import io.declock.Purpose;
import io.declock.internal.layout.RecordLayout;
import io.declock.internal.local.HeldLock;
import io.declock.internal.local.Hold;
import io.declock.internal.local.LocalWaiter;
import io.declock.simulation.LockSystem.DecLockSystem;
import io.declock.spi.Member;
import io.declock.spi.PeerMessage;
import io.declock.spi.VerbChain;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A run of an application on DecLock's own classes. The clients of a compute node share its session for their locks, as callers of the library do; for data each has a connection
 * of its own, through the same adapters.
 */
final class DecLockRun extends ApplicationRun {
    /** Compute nodes have joined by then. */
    private static final long JOINED = 20_000;
    /** Shorter than any acquisition: bounds how many names a run can use. */
    private static final long LEAST_NANOS_OF_A_NAME = 20;

    private static final int SPARE_RECORDS = 1_024;

    private final SimulatedCluster cluster;
    private final SimulatedMemory memory;
    private final Ways ways;
    private final List<Node> nodes = new ArrayList<>();
    private final Map<SimulatedComputeNode, Node> byPlace = new HashMap<>();

    DecLockRun(long seed, ModelRun.Setting setting, DecLockSystem system) {
        super(seed, setting);
        this.ways = Ways.of(setting.adapters());
        this.memory = new SimulatedMemory(application().words());
        this.cluster = new SimulatedCluster(
                world(),
                MeasuredOptions.of(
                        system,
                        MeasuredOptions.cluster(
                                setting.computeNodes(),
                                setting.clientsPerNode(),
                                application().locks(),
                                0,
                                system.variation().capacity(),
                                failures().lease()),
                        MeasuredOptions.network(setting.adapters()),
                        new SimulationOptions.Wiring(1, records(), 0, 0, 0, 0, 0, 0),
                        0),
                WatchedRegion.Observer.NONE);
        cluster.knowNames();
        cluster.handsOver(system.handOver());
        cluster.memoryNode().use(setting.adapters());
        cluster.memoryNode().queueReadsCarry(wordsOfQueueRead(system.variation()));
        cluster.observeSessions(new Observer());
        for (int i = 0; i < setting.computeNodes(); i++) {
            SimulatedComputeNode node = cluster.start("cn" + i, "address" + i);
            node.use(adapterOf(i));
            node.use(coresOf(i));
            nodes.add(new Node(node));
            byPlace.put(node, nodes.get(i));
        }
        planFailures();
    }

    private ModelRun.Failures failures() {
        return setting().failures();
    }

    /** Returns how many words a READ of a queue carries, or zero for as many as the record has. */
    private long wordsOfQueueRead(LockSystem.Variation variation) {
        int capacity = cluster.options().cluster().capacity();
        long longer = Math.max(0, variation.capacity() - capacity);
        RecordLayout layout = new RecordLayout(capacity);
        return (variation.epochs() ? layout.words() : capacity) + longer;
    }

    /** Returns how many records the memory node needs: a run uses a small part of ten million names. */
    private int records() {
        long most = (setting().warmUpNanos() + setting().windowNanos()) / LEAST_NANOS_OF_A_NAME;
        return SPARE_RECORDS + (int) Math.min(application().locks(), most);
    }

    // ---------------------------------------------------------------- compute nodes

    /** A compute node, and which of its chains are answered. */
    private final class Node {
        private record Awaited(long chain, Runnable then) {}

        private final SimulatedComputeNode place;
        private final ArrayDeque<Awaited> awaited = new ArrayDeque<>();
        private final List<Client> clients = new ArrayList<>();
        private @Nullable SimulatedSession session;
        private long posted;
        private long answered;
        /** Number of the last chain that gives a position back. */
        private long lastRelease;

        Node(SimulatedComputeNode place) {
            this.place = place;
        }

        void posts(SimulatedSession by, VerbChain chain) {
            if (session != by) {
                session = by;
                posted = 0;
                answered = 0;
                lastRelease = 0;
            }
            posted++;
            if (chain.purpose() == Purpose.RELEASE || chain.purpose() == Purpose.REQUEUE) {
                lastRelease = posted;
            }
        }

        /** A session has ended: the releases that it has not answered are over, because their locks are free or reset. */
        void ended(SimulatedSession which) {
            if (session == which) {
                awaited.forEach(release -> world().after(0, place, release.then));
                awaited.clear();
            }
        }

        void answered(SimulatedSession by) {
            if (session != by) {
                return;
            }
            answered++;
            while (!awaited.isEmpty() && awaited.element().chain <= answered) {
                awaited.remove().then.run();
            }
        }

        /** Releases a hold, and waits for the verb that this needs, if it needs one. */
        void release(Hold hold, LockMode mode, Runnable released) {
            SimulatedSession inSession = session;
            long before = lastRelease;
            HeldLock.release(hold, mode);
            if (session == inSession && lastRelease > before) {
                awaited.add(new Awaited(lastRelease, released));
            } else {
                released.run();
            }
        }
    }

    private final class Observer implements SessionObserver {
        @Override
        public void posts(SimulatedSession session, VerbChain chain) {
            tally().posted(chain, cluster.memoryNode().resultBytes(chain));
            nodeOf(session).posts(session, chain);
        }

        @Override
        public void answered(SimulatedSession session) {
            nodeOf(session).answered(session);
        }

        @Override
        public void ended(SimulatedSession session) {
            nodeOf(session).ended(session);
        }

        @Override
        public void sends(SimulatedSession session, Member to, PeerMessage message) {
            tally().sent();
        }

        private Node nodeOf(SimulatedSession session) {
            return requireNonNull(byPlace.get(session.node()));
        }
    }

    // ---------------------------------------------------------------- the run

    @Override
    SimulatedNic memoryNode() {
        return cluster.memoryNode().nic();
    }

    @Override
    SimulatedMemory memory() {
        return memory;
    }

    @Override
    long firstDataWord() {
        return 0;
    }

    @Override
    long begins() {
        return JOINED;
    }

    @Override
    ModelClient client(int number, int computeNode) {
        Client client = new Client(number, nodes.get(computeNode), adapterOf(computeNode));
        client.node.clients.add(client);
        return client;
    }

    // ---------------------------------------------------------------- failures

    private void planFailures() {
        if (failures().computeNodeDies() > 0) {
            world().at(failures().computeNodeDies(), null, this::computeNodeDies);
        }
        if (failures().memoryNodeDies() > 0) {
            world().at(
                            failures().memoryNodeDies(),
                            null,
                            () -> cluster.memoryNode().restart(failures().memoryNodeIsBack()));
        }
    }

    private void computeNodeDies() {
        Node last = nodes.get(nodes.size() - 1);
        cluster.killAndCut(last.place);
        last.clients.forEach(ModelClient::dies);
        last.awaited.clear();
    }

    private final class Client extends ModelClient {
        private final Node node;
        private final SimulatedCore core;
        private final MemoryLink data;
        private final Map<Integer, Acquisition> acquired = new HashMap<>();

        Client(int number, Node node, SimulatedNic adapter) {
            super(DecLockRun.this, number);
            this.node = node;
            this.core = coreOf(number);
            this.data = new MemoryLink(
                    world(),
                    node.place,
                    ways,
                    core,
                    adapter,
                    memoryNode(),
                    new MemoryAccess(world(), memoryNode(), memory, 0, 0, (word, before, after) -> {}));
        }

        @Override
        SimulatedWorld.Place place() {
            return node.place;
        }

        @Override
        LockMode modeFor(LockMode asked) {
            return asked;
        }

        @Override
        void acquireLock(int lock, LockMode mode, int leases, Runnable granted) {
            Acquisition acquisition = new Acquisition(this, mode, granted);
            acquired.put(lock, acquisition);
            callLibrary(() -> {
                node.place.acquire(NameChooser.name(lock), acquisition);
                acquisition.run();
            });
        }

        /** The client's core enters the local lock, and goes on with what follows from that. */
        private void callLibrary(Runnable call) {
            world().when(core.localLock(world().now()), place(), () -> {
                node.place.runsOn(core);
                call.run();
            });
        }

        /** A lease is the compute node's, which renews it all the while. */
        @Override
        long leaseEnds(int lock) {
            return Long.MAX_VALUE;
        }

        @Override
        int lostTurns(int lock) {
            return 0;
        }

        /** Callers of a compute node that lives leave no lock behind: nobody would get it ever again. */
        @Override
        void abandonLock(int lock) {
            throw new UnsupportedOperationException("a compute node fails with all its locks, or with none");
        }

        @Override
        void releaseLock(int lock, Runnable released) {
            Acquisition acquisition = requireNonNull(acquired.remove(lock));
            callLibrary(() -> node.release(acquisition.hold(), acquisition.mode(), released));
        }

        @Override
        void postData(VerbChain chain) {
            tally().posted(chain, SimulatedNic.resultBytes(chain));
            if (cluster.memoryNode().isUp()) {
                data.post(chain);
            } else {
                world().at(failures().memoryNodeIsBack(), place(), () -> data.post(chain));
            }
        }
    }

    private final class Acquisition extends LocalWaiter {
        private final Client client;
        private final Runnable granted;
        private boolean told;

        Acquisition(Client client, LockMode mode, Runnable granted) {
            super(client, mode, false);
            this.client = client;
            this.granted = granted;
        }

        /** A caller goes on after the event that grants it the lock, as a thread that is woken does. */
        @Override
        public void run() {
            if (state() == State.FAILED) {
                throw new IllegalStateException("a caller failed", failure());
            }
            if (!told && state() == State.GRANTED) {
                told = true;
                world().after(0, client.place(), granted);
            }
        }
    }
}
