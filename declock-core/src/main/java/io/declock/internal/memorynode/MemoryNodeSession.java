// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.LockNames;
import io.declock.internal.chains.ExecutedChains;
import io.declock.internal.monitor.Isolated;
import io.declock.spi.FabricException;
import io.declock.spi.HeartbeatReply;
import io.declock.spi.JoinReply;
import io.declock.spi.LockAnswer;
import io.declock.spi.Member;
import io.declock.spi.Membership;
import io.declock.spi.NodeSet;
import io.declock.spi.PeerMessage;
import io.declock.spi.RecordMembers;
import io.declock.spi.SessionListener;
import io.declock.spi.ValueReading;
import io.declock.spi.ValueWriting;
import java.time.Duration;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The memory node's side of one compute node's session; the server side of a fabric calls it. Thread-safe.
 *
 * <p>A session is live, then cut (no verb that it posted can be executed any more, but it is still a member because its compute node may
 * still trust its lease), then gone. While it is live its connection may break: it is detached then, and a new connection may resume it
 * (rules G1 to G3). Each connection has a gate of its own, so that no verb of a former connection can be executed after that.
 */
public final class MemoryNodeSession {
    /** The table of the sessions, which guards whether each of them is a member and what it has declared. */
    interface Table {
        void detach(MemoryNodeSession session, Runnable then);

        void wasCut();

        void leave(MemoryNodeSession session, Runnable done);

        void declareNodeSet(MemoryNodeSession session, NodeSet set) throws FabricException.Refused;

        Membership membership();

        RecordMembers recordMembers(int record);

        @Nullable
        MemoryNodeSession byNodeId(int nodeId);
    }

    /** What the memory node does for a session beyond the table. */
    interface Services {
        HeartbeatReply heartbeatReply();

        void resolve(MemoryNodeSession session, byte[] fullName, boolean create, ResolveAnswer answer);

        void answeredReclaim(MemoryNodeSession session, long round, long[] vetoed);

        long restore(MemoryNodeSession session, byte[] fullName, boolean exclusive, long epoch)
                throws FabricException.Refused;

        void moved(MemoryNodeSession session) throws FabricException.Refused;

        void awaitGrace(LongConsumer told);

        void deposed();

        void reserve(MemoryNodeSession session, int record, long nanos) throws FabricException.Refused;

        void answeredInquiry(MemoryNodeSession session, LockAnswer answer);
    }

    private final NodeBasics node;
    private final Table table;
    private final Services services;
    private final Member member;
    private final long processId;
    private final long attempt;
    private final long leaseNanos;
    private volatile NodeSet nodeSet;
    private final boolean knowsLists;
    /** Number of the list of memory nodes that its compute node uses; guarded by the table's lock. */
    volatile long declaredList;

    private final SessionListener listener;
    private final ExecutedChains executed = new ExecutedChains();
    private final RecordQuota quota;
    private final KnownRecords known;
    private final KnownRecords left;
    private final MemberEntry entry = new MemberEntry();
    private volatile long lastHeartbeat;
    private volatile @Nullable JoinReply joined;
    private final SessionDataPlane plane;

    /** It is not a member any more; guarded by the table's lock. */
    volatile boolean gone;

    MemoryNodeSession(
            NodeBasics node,
            Table table,
            Services services,
            Member member,
            SessionRequest request,
            SessionListener listener,
            long now) {
        this.node = node;
        this.table = table;
        this.services = services;
        this.member = member;
        this.processId = request.processId();
        this.attempt = request.attempt();
        this.leaseNanos = request.leaseNanos();
        this.nodeSet = request.nodeSet();
        this.knowsLists = request.knowsLists();
        this.listener = listener;
        this.quota = new RecordQuota(node.settings().mostRecordsPerSession());
        this.known = new KnownRecords(node.settings().records());
        this.left = new KnownRecords(node.settings().records());
        this.plane = new SessionDataPlane(describe(member), table::wasCut);
        this.lastHeartbeat = now;
    }

    /**
     * The parts of a join request that last as long as the session.
     *
     * @param knowsLists whether the compute node knows lists of memory nodes that replace one another
     */
    record SessionRequest(long processId, long attempt, long leaseNanos, NodeSet nodeSet, boolean knowsLists) {}

    void granted(JoinReply reply) {
        joined = reply;
    }

    /** Returns the answer to the join request. */
    public JoinReply joined() {
        JoinReply reply = joined;
        if (reply == null) {
            throw new IllegalStateException("the session is not joined yet");
        }
        return reply;
    }

    /** Returns the compute node. */
    public Member member() {
        return member;
    }

    /** Returns the id of its process. */
    public long processId() {
        return processId;
    }

    /** Returns the number of the attempt to join that made the session. */
    long attempt() {
        return attempt;
    }

    /** Sets a data plane that must be cut together with the session, in addition to {@link #enter}. */
    public void attach(DataPlane plane) {
        this.plane.attach(plane);
    }

    /**
     * Returns whether verbs of this session may be executed. Must be called before every batch of verbs, on the thread that executes them;
     * after a positive result {@link #exit} must follow directly after the batch.
     */
    public boolean enter() {
        return plane.gate().enter();
    }

    /** Ends the batch that {@link #enter} began. */
    public void exit() {
        plane.gate().exit();
    }

    /**
     * Returns the gate of the session's connection, for fabrics whose sessions can have several connections in turn: each of them uses
     * only the gate that it was given, in place of {@link #enter}.
     */
    public DataPlaneGate gate() {
        return plane.gate();
    }

    /** Returns the chains that were executed, for fabrics whose sessions can be resumed. */
    public ExecutedChains executed() {
        return executed;
    }

    /**
     * Ends the data plane of the session's connection, which has broken; the session stays a member, and can be resumed, until its lease
     * and the margin have run out.
     *
     * @param then runs when no verb of that connection can be executed any more; also if the session is cut
     */
    public void detach(Runnable then) {
        table.detach(this, then);
    }

    /**
     * Opens a data plane for the session's next connection. The last one must be {@linkplain #detach detached}.
     *
     * @return the gate for that connection, or null if the session is over
     */
    public @Nullable DataPlaneGate reattach() {
        DataPlaneGate fresh = plane.reattach();
        if (fresh != null) {
            node.counts().count(NodeCounts.Kind.RESUMED);
        }
        return fresh;
    }

    /**
     * Renews the lease.
     *
     * @throws FabricException if the session is cut and cannot be renewed any more
     */
    public HeartbeatReply heartbeat() throws FabricException {
        if (!node.isInTerm()) {
            services.deposed();
        }
        if (isCut()) {
            throw new FabricException("session " + describe() + " with memory node " + node.id() + " is over");
        }
        lastHeartbeat = node.clock().nanoTime();
        return services.heartbeatReply();
    }

    /**
     * Finds the record of a name.
     *
     * @param fullName the name with its namespace in UTF-8
     * @param create whether to allocate a record if the name has none, which counts against this session's quota
     * @param answer called once, perhaps later and on another thread
     */
    public void resolve(byte[] fullName, boolean create, ResolveAnswer answer) {
        services.resolve(this, fullName, create, answer);
    }

    /** Returns the live members; reflects every session that was cut before this call. */
    public Membership members() {
        return table.membership();
    }

    /** Returns whether a record starts at an address that the compute node was told. */
    public boolean knowsRecord(long address) {
        int record = recordAt(address);
        return record >= 0 && known.contains(record);
    }

    /** Returns whether a record starts at an address. */
    public boolean isRecord(long address) {
        return recordAt(address) >= 0;
    }

    /**
     * Returns the live members and which of them know a record; reflects every session that was cut, and every answer to a resolution that
     * was sent, before this call.
     *
     * @param address address at which the record starts
     * @throws IllegalArgumentException if no record starts there
     */
    public RecordMembers members(long address) {
        int record = recordAt(address);
        if (record < 0) {
            throw new IllegalArgumentException("no record starts at address " + address);
        }
        return table.recordMembers(record);
    }

    private int recordAt(long address) {
        int index = node.region().recordIndex(address);
        return index < node.settings().records() ? index : -1;
    }

    /** Returns the records whose positions the trustee has in place of this session, which has ended (rule R2). */
    KnownRecords left() {
        return left;
    }

    /** Returns the records that the session knows. */
    KnownRecords known() {
        return known;
    }

    /** Relays a message to its receiver if the receiver is live. */
    public void relay(PeerMessage message) {
        MemoryNodeSession to = table.byNodeId(message.toNode());
        if (to != null && to.member.incarnation() == message.toIncarnation() && !isCut()) {
            node.counts().count(NodeCounts.Kind.RELAYED);
            Isolated.run("Relaying a message to session " + to.describe(), () -> to.listener.peerMessage(message));
        }
    }

    /**
     * Restores a hold that the compute node had in the former life (rule H5).
     *
     * @param fullName the name with its namespace in UTF-8
     * @param exclusive whether it is held for writing
     * @param epoch full epoch that the lock had, as far as the compute node knows
     * @return the address of the record
     * @throws FabricException.Refused if it contradicts another compute node's, or comes too late
     */
    public long restore(byte[] fullName, boolean exclusive, long epoch) throws FabricException.Refused {
        return services.restore(this, fullName, exclusive, epoch);
    }

    /**
     * Reserves a position that the compute node holds exclusively, so that it stays taken if this session ends, or ends its reservation (rule R1).
     *
     * @param address address at which the record starts
     * @param nanos how long from now, 0 to end the reservation
     * @throws FabricException.Refused if the session is over, or another one's position is reserved
     * @throws IllegalArgumentException if no record starts there
     */
    public void reserve(long address, long nanos) throws FabricException.Refused {
        int record = recordAt(address);
        if (record < 0) {
            throw new IllegalArgumentException("no record starts at address " + address);
        }
        services.reserve(this, record, nanos);
    }

    /**
     * Reads the value of a record (rule V3).
     *
     * @param address address at which the record starts
     * @throws IllegalArgumentException if no record starts there
     */
    public ValueReading readValue(long address) {
        node.counts().count(NodeCounts.Kind.VALUE_READ);
        return node.values().read(knownRecord(address));
    }

    /**
     * Stores the value of a record, or removes it (rule V1). Must be called within {@link #enter}, so that nothing is stored by a session that was cut.
     *
     * @throws FabricException.Refused if the position is not in the queue any more, in a reset, or if there is no room
     * @throws IllegalArgumentException if no record starts there
     */
    public void writeValue(ValueWriting writing) throws FabricException.Refused {
        node.values().write(knownRecord(writing.record()), member.name(), writing);
        node.counts().count(NodeCounts.Kind.VALUE_STORED);
    }

    private int knownRecord(long address) {
        int record = recordAt(address);
        if (record < 0 || !known.contains(record)) {
            throw new IllegalArgumentException("no record that " + describe() + " knows starts at address " + address);
        }
        return record;
    }

    /**
     * Counts the holds that the compute node has restored; it has restored all.
     *
     * @throws FabricException.Refused if that comes too late
     */
    public void moved() throws FabricException.Refused {
        services.moved(this);
    }

    /**
     * Waits until names are resolved again (rule H2).
     *
     * @param told called once with the epoch of the records of restored holds, perhaps later and on another thread
     */
    public void awaitGrace(LongConsumer told) {
        services.awaitGrace(told);
    }

    /** Returns its entry on the list of members; only when that is written may the compute node learn that it has joined. */
    public MemberEntry entry() {
        return entry;
    }

    /** Handles the answer to a reclaim proposal. */
    public void answerReclaim(long round, long[] vetoed) {
        services.answeredReclaim(this, round, vetoed);
    }

    /** Handles the answer to an operator's inquiry. */
    public void answerInquiry(LockAnswer answer) {
        services.answeredInquiry(this, answer);
    }

    /** Ends the session at the compute node's request. {@code done} runs when the session is no longer in the membership. */
    public void leave(Runnable done) {
        table.leave(this, done);
    }

    /** Cuts the session because its connection has ended and cannot be resumed; it stays a member until its lease and the margin have run out. */
    public void disconnected() {
        plane.cut(() -> {});
    }

    /** Returns whether no verb of the session is executed any more, and it can only end. */
    public boolean isCut() {
        return plane.isCutting();
    }

    /** Returns whether no verb that it posted can be executed any more, and none will be. */
    boolean isCutDone() {
        return plane.isCut();
    }

    /** Cuts its data plane; it stays a member. {@code then} runs when no verb of it can be executed any more, perhaps at once. */
    void cut(Runnable then) {
        plane.cut(then);
    }

    SessionDataPlane plane() {
        return plane;
    }

    /** Returns whether the session has a connection. */
    boolean isConnected() {
        return plane.isConnected();
    }

    RecordQuota quota() {
        return quota;
    }

    SessionListener listener() {
        return listener;
    }

    long leaseNanos() {
        return leaseNanos;
    }

    /**
     * Declares the set of memory nodes that the compute node uses.
     *
     * @throws FabricException.Refused if other compute nodes use another set
     */
    public void declareNodeSet(NodeSet set) throws FabricException.Refused {
        table.declareNodeSet(this, set);
    }

    /** Returns whether the compute node knows lists of memory nodes. */
    boolean knowsLists() {
        return knowsLists;
    }

    /** Keeps a digest that was checked; guarded by the table's lock. */
    void nodeSet(NodeSet set) {
        nodeSet = set;
    }

    NodeSet nodeSet() {
        return nodeSet;
    }

    MemoryNodeStatus.Session status(long now) {
        Duration left = Duration.ofNanos(Math.max(0, lastHeartbeat + leaseNanos - now));
        return new MemoryNodeStatus.Session(member, isConnected(), left, quota.created(), executed.bytes());
    }

    long lastHeartbeat() {
        return lastHeartbeat;
    }

    void grantFullLease(long now) {
        lastHeartbeat = now;
    }

    String describe() {
        return describe(member);
    }

    private static String describe(Member member) {
        return member.nodeId() + "." + member.incarnation() + " (" + LockNames.quoted(member.name()) + ")";
    }
}
