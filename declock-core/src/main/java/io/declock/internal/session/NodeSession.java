// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import io.declock.ComputeNodeSettings;
import io.declock.Counters.Event;
import io.declock.CqlSettings;
import io.declock.LockLostException;
import io.declock.internal.layout.RecordLayout;
import io.declock.internal.layout.Timestamp;
import io.declock.internal.local.LocalLock;
import io.declock.internal.monitor.Isolated;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.protocol.CqlEnvironment;
import io.declock.internal.protocol.CqlLock;
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
import io.declock.spi.Resolution;
import io.declock.spi.RestoredHold;
import io.declock.spi.ValueReading;
import io.declock.spi.ValueWriting;
import io.declock.spi.VerbChain;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One session with one memory node, from the join to the loss: lease, membership, clock offset, and the locks whose records were resolved
 * in it. After its loss it posts no more verbs, and the next session gets a new incarnation. Thread-safe.
 *
 * <p>The session judges its own lease (rule C1): the lease, less a margin, runs from the moment at which the last answered renewal was
 * sent. When it has run out, this process treats its locks on the memory node as lost.
 */
public final class NodeSession implements CqlEnvironment {
    private final FabricSession fabric;
    private final JoinReply joined;
    private final RecordLayout layout;
    private final CqlSettings cql;
    private final GrantedLease lease;
    private final Surroundings surroundings;
    private final LongConsumer epochs;
    private final BiConsumer<NodeSession, FabricException> whenBroken;
    private final ResetCoordinator coordinator;
    private final PeerInbox inbox;
    private final Map<Long, LocalLock> byRecord = new ConcurrentHashMap<>();
    private final AtomicReference<@Nullable FabricException> over = new AtomicReference<>();
    /** Number of resolutions that are being sent, whose answers are not in {@code unregistered} yet, and of holds that are being restored. */
    private final AtomicInteger resolving = new AtomicInteger();

    private final Set<CompletableFuture<Resolution>> unregistered = ConcurrentHashMap.newKeySet();

    /** The locks whose holds were kept when the session broke off. */
    private volatile List<LocalLock> kept = List.of();

    /** The locks that leave for another memory node, by their records here. */
    private final Map<Long, LocalLock> departed = new ConcurrentHashMap<>();
    /** Number of the list of memory nodes that this process uses here. */
    private final AtomicLong declaredList;
    /** The set of memory nodes that the memory node has agreed to with this session. */
    private volatile NodeSet declaredSet = NodeSet.NONE;

    private volatile boolean suspended;
    private volatile Membership membership;
    private volatile long leaseUntil;
    private volatile boolean lapsed;
    private volatile long clockOffset;
    private volatile long roundTripNanos = -1;
    /** When the clock offset was measured last. */
    private volatile long measuredAt;

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
        this.lease = GrantedLease.of(settings, joined.leaseNanos());
        this.surroundings = surroundings;
        this.epochs = epochs;
        this.whenBroken = whenBroken;
        this.membership = joined.membership();
        this.coordinator = new ResetCoordinator(this, this::freshMembers);
        this.inbox = new PeerInbox(this, coordinator, this::lockAt, this::hasDeparted);
        this.declaredList = new AtomicLong(joined.nodes().list().number());
        long now = surroundings.clock().nanoTime();
        this.leaseUntil = joinSentAt + lease.nanos() - lease.marginNanos();
        this.clockOffset = joined.memoryNodeTimeNanos() - (joinSentAt + (now - joinSentAt) / 2);
        this.measuredAt = now;
    }

    private CompletionStage<RecordMembers> freshMembers(long record) {
        return fabric.control().members(record).whenComplete((fresh, failure) -> {
            if (failure == null) {
                membershipChanged(fresh.all());
            }
        });
    }

    private void renewed(long sentAt) {
        if (leaseLeft(surroundings.clock().nanoTime()) <= 0) {
            return;
        }
        leaseUntil = sentAt + lease.nanos() - lease.marginNanos();
    }

    // ---------------------------------------------------------------- lease, heartbeat and clock

    /** Sends one heartbeat; its answer renews the lease and gives the clock offset and the round trip. */
    void heartbeat() {
        long sentAt = surroundings.clock().nanoTime();
        fabric.control().heartbeat().whenComplete((reply, failure) -> {
            if (failure == null && !isOver()) {
                long now = surroundings.clock().nanoTime();
                renewed(sentAt);
                measured(sentAt, now, reply.memoryNodeTimeNanos());
                lastHeartbeat = reply;
                if (reply.membershipVersion() > membership.version()) {
                    refreshMembers();
                }
            }
        });
    }

    /** Measures the offset to the memory node's clock at the midpoint of request and answer (rule E7). */
    private void measured(long sentAt, long now, long memoryNodeTime) {
        long trip = now - sentAt;
        roundTripNanos = trip;
        clockOffset = memoryNodeTime - (sentAt + trip / 2);
        measuredAt = now;
    }

    /** Measures the clock offset, unless a heartbeat has done so in the time given: idle processes wake as seldom as they can. */
    void measureClock(long withinNanos) {
        long ago = surroundings.clock().nanoTime() - measuredAt;
        if (ago < 0 || ago >= withinNanos) {
            heartbeat();
        }
    }

    private void refreshMembers() {
        fabric.control().members().whenComplete((fresh, failure) -> {
            if (failure == null) {
                membershipChanged(fresh);
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

    @Override
    public boolean leaseValid(long now) {
        return over.get() == null && leaseLeft(now) > 0;
    }

    /**
     * Returns the rest of the lease. A lease that was once seen to have run out stays so, despite late renewals and even if the clock goes
     * back: the code that saw it may have left a lock in an intermediate state, and relies on the session's end to start the lock anew.
     */
    private long leaseLeft(long now) {
        long left = lapsed ? 0 : leaseUntil - now;
        if (left > 0) {
            return left;
        }
        lapsed = true;
        return 0;
    }

    /**
     * Returns how long ago the lease was renewed. Whatever renews it counts, also the measurement of the clock, so that a session which does
     * nothing sends no more than it must.
     */
    long sinceRenewalNanos() {
        long renewedAt = leaseUntil - lease.nanos() + lease.marginNanos();
        return surroundings.clock().nanoTime() - renewedAt;
    }

    /** Returns the interval at which the lease is renewed. */
    long heartbeatNanos() {
        return lease.heartbeatNanos();
    }

    /** Returns the rest of the lease, zero when it has run out. */
    public long leaseLeftNanos() {
        return over.get() != null ? 0 : leaseLeft(surroundings.clock().nanoTime());
    }

    @Override
    public int timestamp(long now) {
        return Timestamp.of(now + clockOffset);
    }

    // ---------------------------------------------------------------- membership and peers

    void membershipChanged(Membership current) {
        Membership before = membership;
        if (current.version() <= before.version() || isOver()) {
            return;
        }
        membership = current;
        coordinator.membershipChanged(current);
        if (before.allAskForKept() && !current.allAskForKept()) {
            byRecord.values().forEach(lock -> Isolated.run("Giving " + lock.title() + " back", lock::stopKeeping));
        }
        if (before.hasLost(current)) {
            for (LocalLock lock : byRecord.values()) {
                CqlLock remote = lock.remote();
                if (remote != null) {
                    Isolated.run("Notifying " + lock.title() + " of a member's end", remote::memberDied);
                }
            }
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

    /**
     * Asks the memory node for a name's record. From the answer until {@link #resolved} the record counts as in use: it must not be
     * reclaimed meanwhile, because its lock is about to be registered.
     */
    public CompletableFuture<Resolution> resolve(String fullName) {
        resolving.incrementAndGet();
        try {
            CompletableFuture<Resolution> answer =
                    fabric.control().resolve(fullName).toCompletableFuture();
            unregistered.add(answer);
            return answer;
        } finally {
            resolving.decrementAndGet();
        }
    }

    /**
     * Asks the memory node to restore a hold in a name that it takes over. From the request until {@link #restoreEnded} no record is given
     * back to the memory node, because the lock of the restored one is not registered yet.
     */
    public CompletionStage<Long> restore(RestoredHold hold) {
        resolving.incrementAndGet();
        return fabric.control().restore(hold);
    }

    /** The record of a restored hold was registered, or the hold was not restored. */
    public void restoreEnded() {
        resolving.decrementAndGet();
    }

    /** A resolved record was registered, or the resolution failed. */
    @SuppressWarnings("CollectionUndefinedEquality") // Identity is meant.
    public void resolved(CompletableFuture<Resolution> answer) {
        unregistered.remove(answer);
    }

    /** Runs an action when the resolutions that were sent until now are answered, or have failed. */
    public void whenResolved(Runnable then) {
        CompletableFuture.allOf(unregistered.toArray(CompletableFuture[]::new))
                .whenComplete((ok, failure) -> then.run());
    }

    /**
     * Returns the records that this process has resolved and not registered yet, or null if they cannot be determined at this moment.
     * Called while a reclaim proposal is handled: answers that arrive later are not for the proposal's records.
     */
    public @Nullable Set<Long> unregisteredRecords() {
        if (resolving.get() > 0) {
            return null;
        }
        Set<Long> records = new HashSet<>();
        for (CompletableFuture<Resolution> answer : unregistered) {
            if (answer.isDone() && !answer.isCompletedExceptionally()) {
                records.add(answer.join().record());
            }
        }
        return records;
    }

    /** Registers the lock under its record, before its first verb is posted. */
    public void register(long record, LocalLock lock) {
        byRecord.put(record, lock);
    }

    /** Removes a retired lock. */
    public void unregister(long record, LocalLock lock) {
        byRecord.remove(record, lock);
    }

    /** Returns the lock registered under a record, or null. */
    public @Nullable LocalLock lockAt(long record) {
        return byRecord.get(record);
    }

    /** Returns whether this process leads a reset of the record, asks its users before one, or has a hold that left it for another memory node. */
    public boolean leadsReset(long record) {
        return coordinator.isActive(record) || hasDeparted(record);
    }

    /** Ends the session on this side, once: every lock loses its holds. */
    void lose(FabricException cause) {
        if (!over.compareAndSet(null, cause)) {
            return;
        }
        surroundings.counters().count(Event.SESSION_LOST);
        coordinator.close();
        fabric.close();
        for (LocalLock lock : byRecord.values()) {
            Isolated.run("Notifying " + lock.title() + " of the end of its session", () -> lose(lock, cause));
        }
        byRecord.clear();
        loseDeparted(cause);
        for (LocalLock lock : kept) {
            Isolated.run("Notifying " + lock.title() + " of the end of its lease", () -> lose(lock, cause));
        }
    }

    private void lose(LocalLock lock, FabricException cause) {
        lock.sessionLost(this, loss(lock, cause));
    }

    private LockLostException loss(LocalLock lock, FabricException cause) {
        return new LockLostException(
                lock.title() + " was lost with the session with memory node " + joined.memoryNodeId() + ": "
                        + cause.getMessage(),
                cause);
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
        List<LocalLock> holding = new ArrayList<>();
        for (LocalLock lock : byRecord.values()) {
            Isolated.run("Suspending " + lock.title(), () -> {
                if (lock.suspend(this, loss(lock, cause))) {
                    holding.add(lock);
                }
            });
        }
        byRecord.clear();
        // What has left rests on this session, too, and this memory node may have lost it.
        loseDeparted(cause);
        kept = holding;
        return kept;
    }

    private void loseDeparted(FabricException cause) {
        for (LocalLock lock : departed.values()) {
            Isolated.run("Notifying " + lock.title() + " of the end of its session", () -> lose(lock, cause));
        }
    }

    // ---------------------------------------------------------------- locks that leave for another memory node

    /**
     * Freezes a lock whose name belongs to another memory node from now on (rule M2). Nothing is answered about it here any more: its holds go on,
     * and rest on this session's lease, until they count there.
     *
     * @return whether there are holds, to be restored there
     */
    public boolean depart(LocalLock lock) {
        CqlLock remote = lock.remote();
        if (remote != null && remote.environment() == this) {
            departed.put(remote.record(), lock);
            coordinator.abandon(remote.record());
            byRecord.remove(remote.record(), lock);
        }
        return lock.leave(
                this,
                new LockLostException(lock.title() + " was lost when its name moved from memory node "
                        + joined.memoryNodeId() + " to another one: its lease had run out"));
    }

    private boolean hasDeparted(long record) {
        // Asked for every message between compute nodes.
        return !departed.isEmpty() && departed.containsKey(record);
    }

    /** The locks that left count at their new memory nodes. */
    public void departuresEnded() {
        departed.clear();
    }

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

    /** Returns the locks whose holds were kept when the session broke off. */
    List<LocalLock> kept() {
        return kept;
    }

    /** Notifies a lock that has just been bound to this session if the session has ended meanwhile. */
    public void loseIfOver(long record, LocalLock lock) {
        FabricException cause = over.get();
        if (cause == null && suspended) {
            cause = new FabricException("it broke off");
        }
        if (cause != null) {
            unregister(record, lock);
            lose(lock, cause);
        }
    }

    /** Returns whether the session has ended or broken off. */
    public boolean isOver() {
        return suspended || over.get() != null;
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
        return roundTripNanos;
    }

    /** Returns the memory node's clock less this process's, in nanoseconds. */
    public long clockOffsetNanos() {
        return clockOffset;
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
            // all locks start anew
            // in the next one.
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
