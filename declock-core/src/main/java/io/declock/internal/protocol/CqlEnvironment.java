// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.CqlSettings;
import io.declock.internal.layout.RecordLayout;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.time.Clock;
import io.declock.internal.time.RandomSource;
import io.declock.internal.time.TimerService;
import io.declock.spi.FabricException;
import io.declock.spi.Member;
import io.declock.spi.Membership;
import io.declock.spi.PeerMessage;
import io.declock.spi.ValueReading;
import io.declock.spi.ValueWriting;
import io.declock.spi.VerbChain;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The services that the locks of one session with one memory node need. Thread-safe. */
public interface CqlEnvironment {
    /** Returns the memory node's incarnation, which scopes node ids and records. */
    long memoryNode();

    /** Returns this compute node's id at the memory node. */
    int nodeId();

    /** Returns this compute node's incarnation at the memory node. */
    int incarnation();

    /** Returns the layout of the memory node's lock records. */
    RecordLayout layout();

    /** Returns the intervals and bounds. */
    CqlSettings settings();

    /** Returns the counters. */
    NodeCounters counters();

    /** Returns the monotonic clock. */
    Clock clock();

    /** Returns the timer. */
    TimerService timer();

    /** Returns the source of jitter. */
    RandomSource random();

    /**
     * Returns whether this compute node may act under its lease, judged by its own clock (rule C1).
     *
     * @param now reading of the clock
     */
    boolean leaseValid(long now);

    /** Returns whether every member asks for locks that others keep (rule K2): else nothing may be kept. */
    default boolean allAskForKept() {
        return true;
    }

    /**
     * Returns whether this compute node expects that others keep locks, and looks for their marks at once: if it keeps locks itself. Another one
     * finds a mark by its self-checks.
     */
    default boolean looksForMarks() {
        return true;
    }

    /** Returns the members as this compute node knows them. */
    Membership membership();

    /**
     * Returns a timestamp: the reading of the memory node's clock at that time.
     *
     * @param now reading of this node's clock
     */
    int timestamp(long now);

    /** Returns whether a chain travels as one request, so that a further READ in it costs almost nothing. */
    default boolean isChainOneRequest() {
        return false;
    }

    /** Remembers an epoch that a lock has reached, so that a memory node that starts again with empty memory begins above it. */
    void sawEpoch(long epoch);

    /** Posts a chain; the caller must not hold a mutex. */
    void post(VerbChain chain);

    /**
     * A lock of this session failed while it handled an answer. It may never finish that step, so the session must end. The caller holds no
     * mutex.
     */
    default void broken(Throwable cause) {}

    /** Returns a message of this compute node to a member, without entries. */
    default PeerMessage message(PeerMessage.Kind kind, Member to, long record, long epoch, int index, long detail) {
        return new PeerMessage(
                kind,
                memoryNode(),
                nodeId(),
                incarnation(),
                to.nodeId(),
                to.incarnation(),
                record,
                epoch,
                index,
                detail);
    }

    /**
     * Has the memory node keep a position taken for a while even if this session ends, or no longer (rule R1); the caller must not hold a mutex.
     *
     * @param nanos how long, 0 to end the reservation
     */
    default CompletionStage<Void> reserve(long record, long nanos) {
        return CompletableFuture.failedStage(
                new FabricException.Refused(FabricException.Reason.BAD_VERSION, "this session knows no reservations"));
    }

    /** Reads the value of a record (rule V3); the caller must not hold a mutex. */
    default CompletionStage<ValueReading> readValue(long record) {
        return CompletableFuture.failedStage(noValues());
    }

    /** Stores the value of a record, or removes it (rule V1); the caller must not hold a mutex. */
    default CompletionStage<Void> writeValue(ValueWriting writing) {
        return CompletableFuture.failedStage(noValues());
    }

    private static FabricException.Refused noValues() {
        return new FabricException.Refused(FabricException.Reason.BAD_VERSION, "this session knows no guarded values");
    }

    /**
     * Sends a WANTED for {@linkplain PeerMessage#EVERY_READER every shared position} to every other user of a record; the caller must not hold a
     * mutex.
     *
     * @param question what identifies the question
     * @param ownEntry entry of the position that waits, or nothing to be answered by each
     * @return completes with their number
     */
    default CompletionStage<Integer> askUsers(long record, long epoch, long question, long[] ownEntry) {
        return CompletableFuture.completedFuture(0);
    }

    /** Sends a message; the caller must not hold a mutex. */
    void send(Member to, PeerMessage message);

    /**
     * Asks the reset coordinator to examine a lock and reset it if necessary; the caller must not hold a mutex.
     *
     * @param record the lock's record
     * @param epoch epoch in which the reason arose; no reset is started if the lock has left that epoch
     */
    void requestReset(long record, long epoch, ResetReason reason);
}
