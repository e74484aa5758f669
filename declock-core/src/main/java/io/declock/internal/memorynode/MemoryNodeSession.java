// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.internal.monitor.Isolated;
import io.declock.spi.FabricException;
import io.declock.spi.HeartbeatReply;
import io.declock.spi.JoinReply;
import io.declock.spi.Member;
import io.declock.spi.Membership;
import io.declock.spi.PeerMessage;
import io.declock.spi.RecordMembers;
import io.declock.spi.SessionListener;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One compute node's session as the memory node keeps it; what a fabric's server side calls. Thread-safe.
 *
 * <p>A session is live, then cut (nothing it posted can land any more, but it is still a member because its compute node may
 * count its lease as running), then gone.
 */
public final class MemoryNodeSession {
    private final MemoryNode node;
    private final SessionTable table;
    private final Member member;
    private final long processId;
    private final long attempt;
    private final long leaseNanos;
    private volatile long nodeSetDigest;
    private final SessionListener listener;
    private final DataPlaneGate gate = new DataPlaneGate();
    private final RecordQuota quota;
    private final KnownRecords known;
    private volatile long lastHeartbeat;
    private volatile @Nullable JoinReply joined;
    private volatile @Nullable DataPlane dataPlane;

    /** What follows the cut; guarded by the table's lock, like the flags below, which may be read without it. */
    final List<Runnable> afterCut = new ArrayList<>();

    /** Cutting has begun. */
    volatile boolean cutting;
    /** Nothing it posted can land any more. */
    volatile boolean cut;
    /** When it was cut; guarded by the table's lock. */
    long cutAt;
    /** It is no member any more; guarded by the table's lock. */
    boolean gone;

    MemoryNodeSession(
            MemoryNode node,
            SessionTable table,
            Member member,
            SessionRequest request,
            SessionListener listener,
            long now) {
        this.node = node;
        this.table = table;
        this.member = member;
        this.processId = request.processId();
        this.attempt = request.attempt();
        this.leaseNanos = request.leaseNanos();
        this.nodeSetDigest = request.nodeSetDigest();
        this.listener = listener;
        this.quota = new RecordQuota(node.settings().mostRecordsPerSession());
        this.known = new KnownRecords(node.settings().records());
        this.lastHeartbeat = now;
    }

    /** The parts of a join request that last as long as the session. */
    record SessionRequest(long processId, long attempt, long leaseNanos, long nodeSetDigest) {}

    void granted(JoinReply reply) {
        joined = reply;
    }

    /** Returns what was granted at joining. */
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

    /** Returns which of its process's attempts to join made it. */
    long attempt() {
        return attempt;
    }

    /** Sets a data plane that must be cut besides {@link #enter} when the session is. */
    public void attach(DataPlane plane) {
        dataPlane = plane;
    }

    /**
     * Asks whether verbs of this session may be executed. Must be asked before every batch of verbs, on the thread that executes
     * them; if it says yes, {@link #exit} must follow right after the batch.
     */
    public boolean enter() {
        return gate.enter();
    }

    /** Ends what {@link #enter} began. */
    public void exit() {
        gate.exit();
    }

    /**
     * Renews the lease.
     *
     * @throws FabricException if the session is cut: it cannot be renewed any more
     */
    public HeartbeatReply heartbeat() throws FabricException {
        if (gate.isClosed()) {
            throw new FabricException("session " + describe() + " with memory node " + node.id() + " is over");
        }
        lastHeartbeat = node.clock().nanoTime();
        return node.heartbeatReply();
    }

    /**
     * Finds the record of a name.
     *
     * @param fullName the name with its namespace in UTF-8
     * @param create whether to give it a record if it has none, which counts against what this session may create
     * @param answer called once, perhaps later and on another thread
     */
    public void resolve(byte[] fullName, boolean create, ResolveAnswer answer) {
        node.resolver().resolve(fullName, create ? quota : null, known, answer);
    }

    /** Returns the live members; reflects every session that was cut before. */
    public Membership members() {
        return table.membership();
    }

    /** Returns whether a record starts at an address. */
    public boolean isRecord(long address) {
        return recordAt(address) >= 0;
    }

    /**
     * Returns the live members and which of them know a record; reflects every session that was cut, and every answer to a resolution
     * that was sent, before.
     *
     * @param address where the record starts
     * @throws IllegalArgumentException if none does
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

    /** Returns the records that it knows. */
    KnownRecords known() {
        return known;
    }

    /** Passes a message on to its receiver, if that is live. */
    public void relay(PeerMessage message) {
        MemoryNodeSession to = table.byNodeId(message.toNode());
        if (to != null && to.member.incarnation() == message.toIncarnation() && !gate.isClosed()) {
            node.counts().count(NodeCounts.Kind.RELAYED);
            Isolated.run("Relaying a message to session " + to.describe(), () -> to.listener.peerMessage(message));
        }
    }

    /** Takes the answer to a reclaim proposal. */
    public void answerReclaim(long round, long[] vetoed) {
        node.reclaimer().answered(this, round, vetoed);
    }

    /** Ends the session in good order. {@code done} runs when the membership no longer has it. */
    public void leave(Runnable done) {
        table.leave(this, done);
    }

    /** Cuts the session because its connection is gone; it stays a member until its lease and the margin have run out. */
    public void disconnected() {
        table.cut(this);
    }

    /** Returns whether nothing of it is executed any more. */
    public boolean isCut() {
        return gate.isClosed();
    }

    DataPlaneGate gate() {
        return gate;
    }

    RecordQuota quota() {
        return quota;
    }

    @Nullable
    DataPlane dataPlane() {
        return dataPlane;
    }

    SessionListener listener() {
        return listener;
    }

    long leaseNanos() {
        return leaseNanos;
    }

    /**
     * Says which memory nodes the compute node uses.
     *
     * @throws FabricException.Refused if others use another set
     */
    public void declareNodeSet(long digest) throws FabricException.Refused {
        table.declareNodeSet(this, digest);
    }

    /** Keeps a digest that was checked; guarded by the table's lock. */
    void nodeSetDigest(long digest) {
        nodeSetDigest = digest;
    }

    long nodeSetDigest() {
        return nodeSetDigest;
    }

    long lastHeartbeat() {
        return lastHeartbeat;
    }

    void grantFullLease(long now) {
        lastHeartbeat = now;
    }

    String describe() {
        return member.nodeId() + "." + member.incarnation() + " (" + member.name() + ")";
    }
}
