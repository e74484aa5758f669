// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.CqlSettings;
import io.declock.internal.layout.RecordLayout;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.time.Clock;
import io.declock.internal.time.RandomSource;
import io.declock.internal.time.TimerService;
import io.declock.spi.Member;
import io.declock.spi.Membership;
import io.declock.spi.PeerMessage;
import io.declock.spi.VerbChain;

/** What the locks of one session with one memory node need from their surroundings. Thread-safe. */
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
     * @param now what the clock shows
     */
    boolean leaseValid(long now);

    /** Returns the members as far as they are known here. */
    Membership membership();

    /**
     * Returns a timestamp: what the memory node's clock shows then.
     *
     * @param now what the own clock shows
     */
    int timestamp(long now);

    /** Returns whether a chain travels as one request, so that a further READ in it costs next to nothing. */
    default boolean isChainOneRequest() {
        return false;
    }

    /** Remembers an epoch that a lock has reached, so that a memory node that starts again with empty memory begins above it. */
    void sawEpoch(long epoch);

    /** Posts a chain; no mutex may be held. */
    void post(VerbChain chain);

    /**
     * What one of this session's locks did after an answer failed, so that it may be half way for ever: the session must end. No mutex is
     * held.
     */
    default void broken(Throwable cause) {}

    /** Sends a message; no mutex may be held. */
    void send(Member to, PeerMessage message);

    /**
     * Asks the reset coordinator to look after a lock; no mutex may be held.
     *
     * @param epoch epoch in which the reason was found; a reset of an older epoch is not started
     */
    void requestReset(CqlLock lock, long epoch, ResetReason reason);
}
