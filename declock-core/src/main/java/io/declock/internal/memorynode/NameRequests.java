// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;

/**
 * Requests of sessions that name a lock: decides whether a name is resolved here at once, after the grace, after its source has given it up,
 * or not at all, and which of those a restored hold waits for (rules H2, H5, M4 and M5 of docs/protocol.md). Thread-safe.
 */
final class NameRequests {
    private final String id;
    private final CurrentList current;
    private final Grace grace;
    private final NameTransfer transfer;
    private final Resolver resolver;

    /** @param id id of the memory node */
    NameRequests(String id, CurrentList current, Grace grace, NameTransfer transfer, Resolver resolver) {
        this.id = id;
        this.current = current;
        this.grace = grace;
        this.transfer = transfer;
        this.resolver = resolver;
    }

    /**
     * Finds the record of a name.
     *
     * @param create whether to allocate a record if the name has none, which counts against the session's quota
     * @param answer called once, perhaps later and on another thread
     */
    void resolve(MemoryNodeSession session, byte[] fullName, boolean create, ResolveAnswer answer) {
        if (!mayResolve(session, fullName)) {
            answer.refused(new FabricException.Refused(Reason.NOT_YET, belongsToAnother()));
            return;
        }
        Runnable resolution = () -> resolveNow(session, fullName, create, answer);
        if (!grace.isOver()) {
            grace.park(
                    () -> resolveAwaited(fullName, resolution, answer),
                    () -> answer.refused(tooManyWait("the members of its former life")));
        } else {
            resolveAwaited(fullName, resolution, answer);
        }
    }

    /** The session may have declared another list while its request waited. */
    private void resolveNow(MemoryNodeSession session, byte[] fullName, boolean create, ResolveAnswer answer) {
        if (mayResolve(session, fullName)) {
            resolver.resolve(fullName, create ? session.quota() : null, session.known(), answer);
        } else {
            answer.refused(new FabricException.Refused(Reason.NOT_YET, belongsToAnother()));
        }
    }

    /**
     * Returns whether a name belongs here by the list that the session uses: the present one, or the one before as long as it has not
     * declared this one. No session uses an older list, because names are given up only when all have declared (rule M4).
     */
    private boolean mayResolve(MemoryNodeSession session, byte[] fullName) {
        boolean usesThis = session.declaredList >= current.list().number();
        return current.isHome(fullName) || !usesThis && current.wasHome(fullName);
    }

    private void resolveAwaited(byte[] fullName, Runnable resolution, ResolveAnswer answer) {
        if (!transfer.park(fullName, resolution, () -> answer.refused(tooManyWait("names that it takes over")))) {
            resolution.run();
        }
    }

    private FabricException.Refused tooManyWait(String what) {
        return new FabricException.Refused(
                Reason.NOT_YET,
                "memory node " + id + " waits for " + what + ", and too many resolutions wait with it already");
    }

    /**
     * Restores a hold that the session's compute node had in the former life, or at the memory node from which the name moves.
     *
     * @param epoch full epoch that the lock had, as far as the compute node knows
     * @return the address of the record
     * @throws FabricException.Refused if it contradicts another compute node's, or comes too late
     */
    long restore(MemoryNodeSession session, byte[] fullName, boolean exclusive, long epoch)
            throws FabricException.Refused {
        if (!current.isHome(fullName)) {
            throw new FabricException.Refused(Reason.BAD_REQUEST, belongsToAnother());
        }
        if (current.awaitedFor(fullName) == null) {
            return grace.restore(session, fullName, exclusive, epoch);
        }
        if (grace.isMoving(session)) {
            throw new FabricException.Refused(
                    Reason.BAD_REQUEST, "memory node " + id + " has started again before it had taken the name over");
        }
        return transfer.restore(session, fullName, exclusive, epoch);
    }

    private String belongsToAnother() {
        return "the name does not belong to memory node " + id + " by "
                + current.list().describe();
    }
}
