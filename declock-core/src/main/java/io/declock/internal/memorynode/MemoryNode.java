// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.Verb;
import io.declock.internal.layout.RecordLayout;
import io.declock.internal.monitor.Isolated;
import io.declock.internal.time.Clock;
import io.declock.internal.time.RandomSource;
import io.declock.internal.time.TimerService;
import io.declock.spi.FabricException;
import io.declock.spi.HeartbeatReply;
import io.declock.spi.JoinRequest;
import io.declock.spi.LockAnswer;
import io.declock.spi.RemoteMemory;
import io.declock.spi.SessionListener;
import java.time.Duration;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A memory node without a network: the region, the directory from names to lock records, the sessions with their leases, and the reclaiming
 * of records. It executes no lock operation; fabrics execute verbs on {@link #region} within {@link MemoryNodeSession#enter}, or have the
 * adapter execute them.
 *
 * <p>Thread-safe. Listeners are called on the thread that caused the event, never while a lock of this package is held.
 */
public final class MemoryNode implements AutoCloseable {
    private final NodeBasics basics;
    private final MemoryNodeSettings settings;
    private final Clock clock;
    private final TimerService timer;
    private final RecordLayout layout;
    private final Region region;
    private final HighWaterMark highWaterMark;
    private final RecordAllocator allocator;
    private final SessionTable sessions;
    private final LeaseWatch leaseWatch;
    private final Reclaimer reclaimer;
    private final OldLeases oldLeases;
    private final Predecessors predecessors;
    private final MemberList list;
    private final Listing listing;
    private final Grace grace;
    private final NameTransfer transfer;
    private final Reservations reservations;
    private final Operator operator;
    private final NameRequests names;
    private final JoinConditions conditions;
    private final StalledLoops stalled;

    private MemoryNode(
            MemoryNodeSettings settings,
            Clock clock,
            TimerService timer,
            RandomSource random,
            @Nullable RegionMemory memory,
            MemberList list,
            Term term) {
        this.settings = settings;
        this.clock = clock;
        this.timer = timer;
        this.layout = new RecordLayout(settings.queueCapacity());
        this.region = memory == null
                ? Region.direct(settings.records(), layout.strideBytes())
                : Region.in(memory, settings.records(), layout.strideBytes());
        long seconds = settings.secondsSince2025().getAsLong();
        MemberList.Former former = list.former();
        this.highWaterMark = new HighWaterMark(Math.max(seconds, former.mark()));
        this.allocator = new RecordAllocator(region, layout, highWaterMark, settings.records());
        Directory directory = new Directory(allocator, random.nextLong());
        this.basics = new NodeBasics(settings, clock, timer, region, layout, random.nextLong() | 1, term);
        this.oldLeases = new OldLeases(settings, highWaterMark, clock, former.complete());
        this.listing = new Listing(basics, highWaterMark, list);
        this.grace = new Grace(basics, directory, allocator, highWaterMark, list, this::served);
        NodeIds ids = new NodeIds(settings.maxComputeNodes(), seconds, former.highestIncarnation());
        former.members().forEach(member -> ids.keep(member.nodeId(), grace.deadline(member)));
        CurrentList current = new CurrentList(settings.id());
        current.begin(former.nodes());
        this.sessions = new SessionTable(basics, new AboveSessions(), settings, ids, current);
        this.reservations = new Reservations(basics, directory, sessions);
        sessions.leaveTo(reservations);
        this.operator = new Operator(basics, directory, allocator, sessions, reservations);
        this.leaseWatch = new LeaseWatch(basics, sessions, settings);
        Resolutions resolutions = new Resolutions();
        this.reclaimer = new Reclaimer(basics, sessions, directory, allocator, highWaterMark, resolutions);
        Resolver resolver =
                new Resolver(settings, region, layout, directory, reclaimer, sessions, resolutions, basics.counts());
        this.predecessors = new Predecessors(basics, sessions, reclaimer, oldLeases, listing, former.lives());
        this.list = list;
        this.transfer = new NameTransfer(
                basics,
                current,
                list,
                sessions,
                directory,
                allocator,
                highWaterMark,
                grace::isOver,
                reclaimer::mayHaveOrphans);
        this.names = new NameRequests(settings.id(), current, grace, transfer, resolver);
        this.conditions = new JoinConditions(basics, highWaterMark);
        this.stalled = new StalledLoops(List.of(leaseWatch, reclaimer.pace().loop()), leaseWatch::serverLagNanos);
    }

    /**
     * Makes a memory node with empty memory.
     *
     * @throws IllegalArgumentException if the settings are invalid
     * @throws OutOfMemoryError if the memory is to be allocated at once and there is not enough
     */
    public static MemoryNode create(MemoryNodeSettings settings, Clock clock, TimerService timer, RandomSource random) {
        return create(settings, clock, timer, random, null);
    }

    /**
     * Makes a memory node with empty memory that an adapter can access, and without a list of its members.
     *
     * @param memory memory for the region, null for memory of this process that only its processor accesses
     * @throws IllegalArgumentException if the settings are invalid
     * @throws OutOfMemoryError if the memory is to be allocated at once and there is not enough
     */
    public static MemoryNode create(
            MemoryNodeSettings settings,
            Clock clock,
            TimerService timer,
            RandomSource random,
            @Nullable RegionMemory memory) {
        return create(settings, clock, timer, random, memory, MemberList.NONE, Term.UNLIMITED);
    }

    /**
     * Makes a memory node with empty memory that serves for one term.
     *
     * @param memory memory for the region, null for memory of this process that only its processor accesses
     * @param list where the members are written down, which this memory node closes when it is closed
     * @param term its right to serve; whoever gives it calls {@link #depose} when it ends
     * @throws IllegalArgumentException if the settings are invalid
     * @throws OutOfMemoryError if the memory is to be allocated at once and there is not enough
     */
    public static MemoryNode create(
            MemoryNodeSettings settings,
            Clock clock,
            TimerService timer,
            RandomSource random,
            @Nullable RegionMemory memory,
            MemberList list,
            Term term) {
        MemoryNode node = new MemoryNode(settings, clock, timer, random, memory, list, term);
        if (settings.preallocate()) {
            node.allocator.preallocate();
        }
        node.listing.begin();
        if (settings.waitOutOldSessions()) {
            node.predecessors.awaitOldLeases();
        } else {
            node.listing.complete(true);
        }
        node.grace.begin();
        return node;
    }

    /** Names are resolved from now on. */
    private void served() {
        reclaimer.pace().start();
        transfer.look();
    }

    /** Returns the stable id. */
    public String id() {
        return settings.id();
    }

    /** Returns the incarnation, a value that differs after every start. */
    public long incarnation() {
        return basics.incarnation();
    }

    /** Returns the region. */
    public Region region() {
        return region;
    }

    /** Returns the layout of the records. */
    public RecordLayout layout() {
        return layout;
    }

    /** Returns the settings. */
    public MemoryNodeSettings settings() {
        return settings;
    }

    /** Returns the counters; fabrics count verbs in them. */
    public NodeCounts counts() {
        return basics.counts();
    }

    /**
     * Makes a compute node a member that reached this memory node without an address.
     *
     * @return as of {@link #join(JoinRequest, String, SessionListener)}
     */
    public MemoryNodeSession join(JoinRequest request, SessionListener listener) throws FabricException.Refused {
        return join(request, "", listener);
    }

    /**
     * Makes a compute node a member.
     *
     * @param reachedAt this memory node's own address and port as the compute node reached it, empty for none
     * @param listener receives membership changes, relayed messages, reclaim proposals and the end of the session
     * @throws FabricException.Refused if it may not join, or not yet
     */
    public MemoryNodeSession join(JoinRequest request, String reachedAt, SessionListener listener)
            throws FabricException.Refused {
        return join(request, reachedAt, Abilities.ALL, listener);
    }

    /**
     * Makes a compute node a member.
     *
     * @param reachedAt this memory node's own address and port as the compute node reached it, empty for none
     * @param abilities what the compute node can do
     * @param listener receives membership changes, relayed messages, reclaim proposals and the end of the session
     * @throws FabricException.Refused if it may not join, or not yet
     */
    public MemoryNodeSession join(JoinRequest request, String reachedAt, Abilities abilities, SessionListener listener)
            throws FabricException.Refused {
        conditions.check(request);
        long found = predecessors.found();
        predecessors.check(request.former(), reachedAt);
        long now = clock.nanoTime();
        if (oldLeases.check(now)) {
            listing.complete(true);
        }
        grace.checkAttempt(request);
        if (request.moves()) {
            grace.checkMayMove(request);
        }
        MemoryNodeSession session =
                sessions.join(request, reachedAt, grace.idOf(request.processId()), abilities, listener, now);
        if (predecessors.found() != found) {
            // Every session was ended because of another memory node, but perhaps not this new one.
            session.leave(() -> {});
            throw predecessors.refusal(reachedAt);
        }
        listing.add(session);
        if (!request.moves()) {
            grace.joinsWithoutHolds(request.processId());
        }
        leaseWatch.wake();
        conditions.warnIfShort(session);
        return session;
    }

    /** Returns the status. */
    public MemoryNodeStatus status() {
        long now = clock.nanoTime();
        Duration servesIn = oldLeases.leftAt(now);
        String twin = predecessors.problem();
        return new MemoryNodeStatus(
                id(),
                basics.incarnation(),
                !basics.isClosed() && servesIn.isZero() && twin.isEmpty(),
                servesIn,
                twin,
                allocator.inUse(),
                allocator.total(),
                settings.mostRecordsPerSession(),
                basics.values().count(),
                layout.capacity(),
                region.sizeBytes(),
                region.committedBytes(),
                highWaterMark.current(),
                sessions.snapshot().stream().map(session -> session.status(now)).toList(),
                basics.counts().get(Verb.FETCH_AND_ADD) + basics.counts().get(Verb.MASKED_FETCH_AND_ADD),
                basics.counts().get(Verb.COMPARE_AND_SWAP) + basics.counts().get(Verb.MASKED_COMPARE_AND_SWAP),
                basics.counts().get(Verb.READ),
                basics.counts().get(Verb.WRITE),
                basics.counts().get(NodeCounts.Kind.RELAYED),
                basics.counts().get(NodeCounts.Kind.BAD_FRAME),
                basics.counts().get(NodeCounts.Kind.REFUSED_CONNECTION),
                basics.counts().get(NodeCounts.Kind.SLOW_READER),
                basics.counts().get(NodeCounts.Kind.RECLAIMED),
                basics.counts().get(NodeCounts.Kind.REFUSED_NAME),
                basics.counts().get(NodeCounts.Kind.QUARANTINED),
                basics.counts().get(NodeCounts.Kind.TWIN),
                basics.counts().get(NodeCounts.Kind.RESUMED),
                basics.counts().get(NodeCounts.Kind.RESTORED_HOLD),
                basics.counts().get(NodeCounts.Kind.REFUSED_HOLD),
                basics.counts().get(NodeCounts.Kind.VALUE_READ),
                basics.counts().get(NodeCounts.Kind.VALUE_STORED),
                Duration.ofNanos(grace.lastedNanos()),
                grace.isOver() ? Duration.ZERO : grace.left(now),
                listing.problem(),
                Duration.ofNanos(leaseWatch.serverLagNanos()),
                stalled.describe());
    }

    /** Returns what compute nodes ask about lists of memory nodes. */
    public NodeLists nodeLists() {
        return transfer;
    }

    /**
     * Ends the data plane of every session. With a {@link MemberList} the sessions stay on the list, and the next life can restore their
     * holds; otherwise they end, and their listeners are notified. The region's memory is freed with the last reference to it.
     */
    @Override
    public void close() {
        breakOff("memory node " + id() + " shuts down");
        list.close();
    }

    /**
     * Stops to serve, because its {@link Term} is over: answers and decides nothing more, and ends the data plane of every session, so that
     * its compute nodes move to the next life. Does not block; {@link #close} must follow.
     */
    public void depose() {
        breakOff("memory node " + id() + " has lost its term, and another candidate may serve");
    }

    private void breakOff(String why) {
        basics.close();
        for (MemoryNodeSession session : sessions.snapshot()) {
            if (list == MemberList.NONE) {
                sessions.expel(session, why);
            } else {
                // It stays a member: its compute node moves to the next life.
                Isolated.run(
                        "Breaking off session " + session.describe(),
                        () -> session.listener().brokenOff(new FabricException(why)));
                session.cut(() -> {});
            }
        }
    }

    /**
     * Makes the lease watch take the server's lateness into account: heartbeats that the server has not read yet must not be missed.
     *
     * @param lagNanos returns how late the server was since the last call, in nanoseconds
     */
    public void watchServer(LongSupplier lagNanos) {
        leaseWatch.watchServer(lagNanos);
    }

    /** Gives the positions of compute nodes back that have left before the time of their reservations. For tests of applications. */
    public void endTrust() {
        reservations.endTrust();
    }

    /** Has an adapter execute the verbs of the memory node itself: nothing else is atomic with those of the compute nodes then. */
    public void use(RemoteMemory adapter) {
        reservations.trustee().use(new HeaderAccess.Adapter(adapter));
    }

    /** Returns what operators use. */
    public Operator operator() {
        return operator;
    }

    /** Returns the clock. */
    public Clock clock() {
        return clock;
    }

    /** Returns the timer. */
    public TimerService timer() {
        return timer;
    }

    /** Returns the former memory nodes of this id, which a server can ask. */
    public Predecessors predecessors() {
        return predecessors;
    }

    /** What sessions and their table need of the parts above them, which are made after the table. */
    private final class AboveSessions implements SessionTable.Above {
        @Override
        public HeartbeatReply heartbeatReply() {
            return new HeartbeatReply(
                    clock.nanoTime(),
                    allocator.inUse(),
                    allocator.total(),
                    sessions.membership().version());
        }

        @Override
        public void resolve(MemoryNodeSession session, byte[] fullName, boolean create, ResolveAnswer answer) {
            names.resolve(session, fullName, create, answer);
        }

        @Override
        public long restore(MemoryNodeSession session, byte[] fullName, boolean exclusive, long epoch)
                throws FabricException.Refused {
            return names.restore(session, fullName, exclusive, epoch);
        }

        @Override
        public void moved(MemoryNodeSession session) throws FabricException.Refused {
            grace.moved(session);
        }

        @Override
        public void awaitGrace(LongConsumer told) {
            grace.await(told);
        }

        @Override
        public void deposed() {
            depose();
        }

        @Override
        public void reserve(MemoryNodeSession session, int record, long nanos) throws FabricException.Refused {
            reservations.reserve(session, record, nanos);
        }

        @Override
        public void answeredInquiry(MemoryNodeSession session, LockAnswer answer) {
            operator.answered(session, answer);
        }

        @Override
        public void ended(MemoryNodeSession session) {
            listing.remove(session);
        }

        @Override
        public void answeredReclaim(MemoryNodeSession session, long round, long[] vetoed) {
            reclaimer.answered(session, round, vetoed);
        }

        @Override
        public void mayHaveOrphans() {
            reclaimer.mayHaveOrphans();
        }

        @Override
        public void membersChanged() {
            reclaimer.membersChanged();
            transfer.look();
        }

        @Override
        public void detached(MemoryNodeSession session) {
            reclaimer.detached(session);
        }
    }
}
