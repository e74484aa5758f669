// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import io.declock.ComputeNodeSettings;
import io.declock.Counters.Event;
import io.declock.CqlSettings;
import io.declock.internal.layout.RecordLayout;
import io.declock.internal.local.LocalLock;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.protocol.CqlEnvironment;
import io.declock.internal.protocol.ResetReason;
import io.declock.internal.time.Clock;
import io.declock.internal.time.RandomSource;
import io.declock.internal.time.TimerService;
import io.declock.spi.FabricException;
import io.declock.spi.FabricSession;
import io.declock.spi.HeartbeatReply;
import io.declock.spi.JoinReply;
import io.declock.spi.Member;
import io.declock.spi.Membership;
import io.declock.spi.NodeSet;
import io.declock.spi.PeerMessage;
import io.declock.spi.RecordMembers;
import io.declock.spi.ValueReading;
import io.declock.spi.ValueWriting;
import io.declock.spi.VerbChain;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One session with one memory node, from the join to the loss: its {@link OwnLease}, its members, its {@link ClockOffset}, its
 * {@link SessionLocks} and the {@link UnregisteredRecords}. After its loss it posts no more verbs, and the next session gets a new
 * incarnation. Thread-safe.
 *
 * <p>The session judges its own lease (rule C1). When it has run out, this process treats its locks on the memory node as lost.
 */
public final class NodeSession implements CqlEnvironment {
    private final FabricSession fabric;
    private final JoinReply joined;
    private final RecordLayout layout;
    private final CqlSettings cql;
    private final OwnLease lease;
    private final ClockOffset clockOffset;
    private final Surroundings surroundings;
    private final LongConsumer epochs;
    private final BiConsumer<NodeSession, FabricException> whenBroken;
    private final ResetCoordinator coordinator;
    private final PeerInbox inbox;
    private final SessionLocks locks;
    private final UnregisteredRecords unregistered;
    private final AtomicReference<@Nullable FabricException> over = new AtomicReference<>();
    /** Number of the list of memory nodes that this process uses here. */
    private final AtomicLong declaredList;
    /** The set of memory nodes that the memory node has agreed to with this session. */
    private volatile NodeSet declaredSet = NodeSet.NONE;

    private volatile boolean suspended;
    private volatile Membership membership;
    private volatile @Nullable HeartbeatReply lastHeartbeat;

    NodeSession(
            FabricSession fabric,
            ComputeNodeSettings settings,
            Surroundings surroundings,
            long joinSentAt,
            LongConsumer epochs,
            BiConsumer<NodeSession, FabricException> whenBroken) {
        this.fabric = fabric;
        this.joined = fabric.joined();
        this.layout = new RecordLayout(joined.queueCapacity());
        this.cql = settings.cql();
        Clock clock = surroundings.clock();
        this.lease = new OwnLease(GrantedLease.of(settings, joined.leaseNanos()), clock, joinSentAt);
        this.clockOffset = new ClockOffset(joinSentAt, clock.nanoTime(), joined.memoryNodeTimeNanos());
        this.surroundings = surroundings;
        this.epochs = epochs;
        this.whenBroken = whenBroken;
        this.membership = joined.membership();
        this.coordinator = new ResetCoordinator(this, this::freshMembers);
        this.locks = new SessionLocks(this, joined.memoryNodeId(), coordinator);
        this.unregistered = new UnregisteredRecords(fabric);
        this.inbox = new PeerInbox(this, coordinator, locks);
        this.declaredList = new AtomicLong(joined.nodes().list().number());
    }

    // ---------------------------------------------------------------- lease, heartbeat and clock

    /** Sends one heartbeat; its answer renews the lease and gives the clock offset and the round trip. */
    void heartbeat() {
        long sentAt = surroundings.clock().nanoTime();
        fabric.control().heartbeat().whenComplete((reply, failure) -> {
            if (failure == null && !isOver()) {
                long now = surroundings.clock().nanoTime();
                lease.renewed(sentAt);
                clockOffset.measured(sentAt, now, reply.memoryNodeTimeNanos());
                lastHeartbeat = reply;
                if (reply.membershipVersion() > membership.version()) {
                    refreshMembers();
                }
            }
        });
    }

    /** Measures the clock offset, unless a heartbeat has done so in the time given: idle processes wake as seldom as they can. */
    void measureClock(long withinNanos) {
        if (!clockOffset.isFresh(surroundings.clock().nanoTime(), withinNanos)) {
            heartbeat();
        }
    }

    @Override
    public boolean leaseValid(long now) {
        return over.get() == null && lease.leftAt(now) > 0;
    }

    /** Returns the rest of the lease, zero when it has run out. */
    public long leaseLeftNanos() {
        return over.get() != null ? 0 : lease.leftAt(surroundings.clock().nanoTime());
    }

    /** Returns the lease as this process judges it while the session lasts. */
    OwnLease lease() {
        return lease;
    }

    @Override
    public int timestamp(long now) {
        return clockOffset.timestamp(now);
    }

    // ---------------------------------------------------------------- membership and peers

    private void refreshMembers() {
        fabric.control().members().whenComplete((fresh, failure) -> {
            if (failure == null) {
                membershipChanged(fresh);
            }
        });
    }

    private CompletionStage<RecordMembers> freshMembers(long record) {
        return fabric.control().members(record).whenComplete((fresh, failure) -> {
            if (failure == null) {
                membershipChanged(fresh.all());
            }
        });
    }

    @Override
    public boolean allAskForKept() {
        return membership.allAskForKept();
    }

    @Override
    public boolean looksForMarks() {
        return surroundings.keeps();
    }

    void membershipChanged(Membership current) {
        Membership before = membership;
        if (current.version() <= before.version() || isOver()) {
            return;
        }
        membership = current;
        coordinator.membershipChanged(current);
        if (before.allAskForKept() && !current.allAskForKept()) {
            locks.stopKeeping();
        }
        if (before.hasLost(current)) {
            locks.memberDied();
        }
    }

    void deliver(PeerMessage message) {
        if (!isOver()) {
            inbox.deliver(message);
        }
    }

    @Override
    public CompletionStage<Integer> askUsers(long record, long epoch, long question, long[] ownEntry) {
        return fabric.control().members(record).thenApply(fresh -> {
            int asked = 0;
            for (Member user : fresh.users().members()) {
                if (user.nodeId() != joined.nodeId()) {
                    asked++;
                    send(user, wanted(user, record, epoch, question, ownEntry));
                }
            }
            return asked;
        });
    }

    private PeerMessage wanted(Member user, long record, long epoch, long question, long[] ownEntry) {
        return new PeerMessage(
                PeerMessage.Kind.WANTED,
                joined.memoryNodeIncarnation(),
                joined.nodeId(),
                joined.incarnation(),
                user.nodeId(),
                user.incarnation(),
                record,
                epoch,
                PeerMessage.EVERY_READER,
                question,
                ownEntry);
    }

    @Override
    public void send(Member to, PeerMessage message) {
        if (to.nodeId() == joined.nodeId()) {
            inbox.deliver(message);
        } else {
            fabric.send(to, message);
        }
    }

    // ---------------------------------------------------------------- locks of this session

    /** Returns the locks of this session. */
    public SessionLocks locks() {
        return locks;
    }

    /** Returns the records that this process asks the memory node for. */
    public UnregisteredRecords unregistered() {
        return unregistered;
    }

    /** Returns whether this process leads a reset of the record, asks its users before one, or has a hold that left it for another memory node. */
    public boolean leadsReset(long record) {
        return coordinator.isActive(record) || locks.hasDeparted(record);
    }

    /** Ends the session on this side, once: every lock loses its holds. */
    void lose(FabricException cause) {
        if (!over.compareAndSet(null, cause)) {
            return;
        }
        surroundings.counters().count(Event.SESSION_LOST);
        coordinator.close();
        fabric.close();
        locks.lose(cause);
    }

    /**
     * The session broke off: no verb of it can be posted any more, and no lock of it is granted. Holds are kept while its lease lasts,
     * because the memory node's next life may restore them (rule H3).
     *
     * @return the locks with such holds
     */
    List<LocalLock> suspend(FabricException cause) {
        suspended = true;
        coordinator.close();
        fabric.close();
        return locks.suspend(cause);
    }

    /** Notifies a lock that has just been bound to this session if the session has ended meanwhile. */
    public void loseIfOver(long record, LocalLock lock) {
        FabricException cause = over.get();
        if (cause == null && suspended) {
            cause = new FabricException("it broke off");
        }
        if (cause != null) {
            locks.lose(record, lock, cause);
        }
    }

    /** Returns whether the session has ended or broken off. */
    public boolean isOver() {
        return suspended || over.get() != null;
    }

    // ---------------------------------------------------------------- the memory nodes that are used together

    /** Returns the number of the list of memory nodes that this process uses here, 0 for none. */
    public long declaredList() {
        return declaredList.get();
    }

    /** This process uses a list of memory nodes here. The answer to a declaration may come after that to a later one (rule M7). */
    public void declaredList(long number) {
        declaredList.accumulateAndGet(number, Math::max);
    }

    /** Returns the set of memory nodes that this process has declared here, or none. */
    public NodeSet declaredSet() {
        return declaredSet;
    }

    /** This process has declared a set of memory nodes here. */
    public void declaredSet(NodeSet set) {
        declaredSet = set;
    }

    // ---------------------------------------------------------------- accessors

    /** Returns the fabric's side of the session. */
    public FabricSession fabric() {
        return fabric;
    }

    /** Returns the memory node's answer to the join request. */
    public JoinReply joined() {
        return joined;
    }

    /** Returns the last measured round trip in nanoseconds, -1 before the first. */
    public long roundTripNanos() {
        return clockOffset.roundTripNanos();
    }

    /** Returns the memory node's clock less this process's, in nanoseconds. */
    public long clockOffsetNanos() {
        return clockOffset.nanos();
    }

    /** Returns the last heartbeat's answer, or null before the first. */
    public @Nullable HeartbeatReply lastHeartbeat() {
        return lastHeartbeat;
    }

    /** Returns the coordinator of this session's resets. */
    public ResetCoordinator coordinator() {
        return coordinator;
    }

    @Override
    public long memoryNode() {
        return joined.memoryNodeIncarnation();
    }

    @Override
    public int nodeId() {
        return joined.nodeId();
    }

    @Override
    public int incarnation() {
        return joined.incarnation();
    }

    @Override
    public RecordLayout layout() {
        return layout;
    }

    @Override
    public CqlSettings settings() {
        return cql;
    }

    @Override
    public NodeCounters counters() {
        return surroundings.counters();
    }

    @Override
    public Clock clock() {
        return surroundings.clock();
    }

    @Override
    public TimerService timer() {
        return surroundings.timer();
    }

    @Override
    public RandomSource random() {
        return surroundings.random();
    }

    @Override
    public Membership membership() {
        return membership;
    }

    @Override
    public boolean isChainOneRequest() {
        return fabric.memory().isChainOneRequest();
    }

    @Override
    public void post(VerbChain chain) {
        try {
            fabric.memory().post(chain);
        } catch (RuntimeException | Error e) {
            // It is unknown whether the chain will complete, and its lock would wait for that: the session ends, and
            // all locks start anew in the next one.
            broken(e);
            throw e;
        }
    }

    @Override
    public void broken(Throwable cause) {
        whenBroken.accept(this, new FabricException("an operation of a lock failed in this process: " + cause, cause));
    }

    @Override
    public CompletionStage<Void> reserve(long record, long nanos) {
        return fabric.control().reserve(record, nanos);
    }

    @Override
    public CompletionStage<ValueReading> readValue(long record) {
        return fabric.control().readValue(record);
    }

    @Override
    public CompletionStage<Void> writeValue(ValueWriting writing) {
        return fabric.control().writeValue(writing);
    }

    @Override
    public void sawEpoch(long epoch) {
        epochs.accept(epoch);
    }

    @Override
    public void requestReset(long record, long epoch, ResetReason reason) {
        coordinator.request(record, epoch, reason);
    }
}
