// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.internal.local.HeldLock;
import io.declock.internal.local.Hold;
import io.declock.internal.protocol.CqlLock;
import org.jspecify.annotations.Nullable;

/** One hold as the checkers see it, from the moment its owner knows of it until the owner begins to release it. */
final class HoldRecord implements CheckedHold {
    private final SimulatedComputeNode node;
    private final SimulatedClient client;
    private final Hold hold;
    private final long since;
    private final @Nullable SimulatedSession session;
    private boolean exclusive;

    HoldRecord(SimulatedComputeNode node, SimulatedClient client, Hold hold, boolean exclusive, long since) {
        this.node = node;
        this.client = client;
        this.hold = hold;
        this.exclusive = exclusive;
        this.since = since;
        CqlLock remote = HeldLock.remote(hold);
        this.session = remote == null ? null : SimulatedSession.of(remote);
    }

    @Override
    public String name() {
        return hold.lock().name();
    }

    @Override
    public long token() {
        return hold.token();
    }

    @Override
    public boolean isExclusive() {
        return exclusive;
    }

    Hold hold() {
        return hold;
    }

    void become(boolean nowExclusive) {
        exclusive = nowExclusive;
    }

    /**
     * A hold counts while its process lives and trusts its lease, and the hold was not lost. If the process's clock may be broken, its
     * trust no longer counts once the memory node has let the lease expire, or has waited for its expiry after a restart.
     */
    @Override
    public boolean counts() {
        return node.isAlive() && hold.lost() == null && HeldLock.mayTrustLease(hold) && !isUnknowinglyLapsed();
    }

    /** Returns whether the memory node may have let others acquire the lock without the owner knowing, because its clock is broken. */
    boolean isUnknowinglyLapsed() {
        return node.isClockBroken() && (session == null || session.isSucceeded());
    }

    @Override
    public String toString() {
        return (exclusive ? "write" : "read") + " hold of '" + name() + "' by " + client + " since " + since + " token "
                + Long.toHexString(token()) + " (" + hold.lock() + ")";
    }
}
