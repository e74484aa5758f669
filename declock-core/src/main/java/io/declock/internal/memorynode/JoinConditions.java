// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.JoinRequest;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a memory node asks of a request to join before it looks at its sessions: a well-formed request, an epoch that can have been seen, and
 * its own right and readiness to serve. Thread-safe.
 */
final class JoinConditions {
    private static final int MAX_TEXT = 256;
    private static final Logger log = LoggerFactory.getLogger(JoinConditions.class);

    private final NodeBasics node;
    private final HighWaterMark mark;

    JoinConditions(NodeBasics node, HighWaterMark mark) {
        this.node = node;
        this.mark = mark;
    }

    /**
     * Raises the mark above the epochs that the compute node has seen, and lets it join or not.
     *
     * @throws FabricException.Refused if it may not join, or not yet
     */
    void check(JoinRequest request) throws FabricException.Refused {
        checkForm(request);
        // This applies also to a compute node that has to wait: an epoch that it has seen must not be granted again.
        mark.raiseAbove(request.highestEpoch());
        if (node.isClosed()) {
            throw new FabricException.Refused(Reason.NOT_YET, "memory node " + node.id() + " is shutting down");
        }
        if (!node.isInTerm()) {
            throw new FabricException.Refused(
                    Reason.STANDS_BY, "memory node " + node.id() + " is served by another candidate, or soon will be");
        }
    }

    private void checkForm(JoinRequest request) throws FabricException.Refused {
        if (request.name().length() > MAX_TEXT || request.peerAddress().length() > MAX_TEXT) {
            throw new FabricException.Refused(
                    Reason.BAD_REQUEST,
                    "name and peer address of a compute node must have at most " + MAX_TEXT + " characters");
        }
        if (request.highestEpoch() < 0 || !node.isPlausible(request.highestEpoch())) {
            throw new FabricException.Refused(
                    Reason.BAD_REQUEST,
                    "a full epoch of " + request.highestEpoch()
                            + " cannot have been seen: epochs follow the seconds since 2025, of which this machine's clock shows "
                            + node.settings().secondsSince2025().getAsLong() + "; check the clock of memory node "
                            + node.id());
        }
        if (mark.isUsedUp()) {
            throw new FabricException.Refused(
                    Reason.BAD_REQUEST,
                    "memory node " + node.id()
                            + " has no full epoch left: the clock of its machine is wrong, and fencing tokens"
                            + " would fall. Correct the clock and start it again");
        }
    }

    /** Warns of a session whose holds would end in a fail-over: the next life restores them only if its lease has not run out by then. */
    void warnIfShort(MemoryNodeSession session) {
        Duration granted = Duration.ofNanos(session.leaseNanos());
        Duration failOver = node.settings().failOver();
        if (granted.compareTo(failOver) < 0) {
            log.warn(
                    "Session {} with memory node {} has a lease of {} ms. A fail-over takes up to {} ms, and would end its"
                            + " holds: let that service have a longer lease (declock.lease)",
                    session.describe(),
                    node.id(),
                    granted.toMillis(),
                    failOver.toMillis());
        }
    }
}
