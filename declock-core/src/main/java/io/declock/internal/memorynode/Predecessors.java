// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.internal.memorynode.PredecessorTable.Next;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.FormerMemoryNode;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory nodes with which joining compute nodes had their last sessions, and whether one of them still lives under this memory node's
 * id (rule C7). Two memory nodes with one id are two memories for the same names. So this memory node asks a predecessor, at its own
 * address, before the compute node that reports it may join. While a predecessor lives, this memory node has no sessions; when the
 * predecessor is gone, this one starts over.
 *
 * <p>Thread-safe. No question, notification or cut happens while a lock is held.
 */
public final class Predecessors {
    /** Time between two questions to the same predecessor. */
    static final long PAUSE_NANOS = 1_000_000_000L;
    /** Time for an answer, even if the question could not be sent. */
    static final long ANSWER_NANOS = 3_000_000_000L;

    private static final Logger log = LoggerFactory.getLogger(Predecessors.class);

    private final NodeBasics node;
    private final SessionTable sessions;
    private final Reclaimer reclaimer;
    private final OldLeases oldLeases;
    private final Listing listing;
    private final Set<Long> formerLives;
    private final PredecessorTable table;
    private final AtomicReference<@Nullable PredecessorProbe> probe = new AtomicReference<>();

    /** @param formerLives incarnations of former lives of this memory node, which are known to have ended */
    Predecessors(
            NodeBasics node,
            SessionTable sessions,
            Reclaimer reclaimer,
            OldLeases oldLeases,
            Listing listing,
            Set<Long> formerLives) {
        this.node = node;
        this.sessions = sessions;
        this.reclaimer = reclaimer;
        this.oldLeases = oldLeases;
        this.listing = listing;
        this.formerLives = formerLives;
        this.table = new PredecessorTable(node.id(), node.incarnation(), oldLeases);
    }

    /** Sets the probe that asks predecessors. Without one, as within one process, none is asked. */
    public void askThrough(PredecessorProbe way) {
        probe.set(way);
    }

    /** Stops using a probe. */
    public void askNoLongerThrough(PredecessorProbe way) {
        probe.compareAndSet(way, null);
    }

    /**
     * Has the list be complete once no lease of an earlier life is left, although no compute node joins: the next life need not wait again. The
     * first join ends the wait of this life all the same, because it may report a predecessor.
     */
    void awaitOldLeases() {
        // Asked first: the answer of a predecessor may lengthen the wait.
        boolean isAsking = table.isAsking();
        long left = oldLeases.leftAt(node.clock().nanoTime()).toNanos();
        if (left > 0) {
            node.timer().schedule(left, this::awaitOldLeases);
        } else if (!node.isClosed() && node.isInTerm() && !isAsking) {
            listing.complete(true);
        }
    }

    /** Returns how often another memory node of this id was found. */
    long found() {
        return table.found();
    }

    /** Returns a description of the problem while another memory node of this id lives, else an empty text. */
    String problem() {
        FormerMemoryNode twin = table.twin();
        return twin == null ? "" : problem(twin, "");
    }

    private String problem(FormerMemoryNode twin, String reachedAt) {
        return "two memory nodes call themselves '" + node.id() + "': this one"
                + (reachedAt.isEmpty() ? "" : " at " + reachedAt) + ", and another one that lives at "
                + twin.address()
                + ". Each has a memory of its own, so that a lock could have two owners. Stop one of them; after an"
                + " update, stop the former one. This one serves "
                + oldLeases.longest().toMillis()
                + " ms after the other is gone";
    }

    /** Returns why no compute node may join: because of another memory node, or because this one has just started over. */
    FabricException.Refused refusal(String reachedAt) {
        FormerMemoryNode twin = table.twin();
        return twin == null
                ? new FabricException.Refused(Reason.NOT_YET, "memory node " + node.id() + " has just started over")
                : new FabricException.Refused(Reason.TWO_MEMORY_NODES, problem(twin, reachedAt));
    }

    /**
     * Checks that no other living memory node of this id is known, and begins to ask the one that a compute node reports.
     *
     * @param reachedAt this memory node's own address as the compute node reached it, empty for none
     * @throws FabricException.Refused if one lives, or while it is unknown whether one lives
     */
    void check(FormerMemoryNode former, String reachedAt) throws FabricException.Refused {
        PredecessorProbe way = probe.get();
        boolean gone = former.isNone()
                || former.incarnation() == node.incarnation()
                || formerLives.contains(former.incarnation())
                || way == null
                || isGone(former, way);
        // Checked after the question was sent: a predecessor may have been found alive meanwhile.
        if (table.twin() != null) {
            throw refusal(reachedAt);
        }
        if (!gone) {
            throw new FabricException.Refused(
                    Reason.NOT_YET,
                    "memory node " + node.id() + " asks whether its predecessor at " + former.address()
                            + " still lives");
        }
    }

    private boolean isGone(FormerMemoryNode former, PredecessorProbe way) throws FabricException.Refused {
        if (!way.isWrittenOut(former.address())) {
            throw new FabricException.Refused(
                    Reason.BAD_REQUEST, "the address of a former memory node must be written out, with a port");
        }
        return switch (table.reported(former, node.clock().nanoTime())) {
            case GONE -> true;
            case ASKED -> false;
            case NEW -> {
                ask(former);
                yield false;
            }
            case TOO_MANY ->
                throw new FabricException.Refused(
                        Reason.NOT_YET,
                        "memory node " + node.id() + " asks whether " + PredecessorTable.MOST_ASKED
                                + " other predecessors still live, and asks no more at a time");
        };
    }

    private void ask(FormerMemoryNode former) {
        if (node.isClosed()) {
            return;
        }
        AtomicBoolean open = new AtomicBoolean(true);
        PredecessorProbe asked = probe.get();
        if (asked != null) {
            asked.ask(former.address(), answer -> answered(former, answer, open));
        }
        node.timer()
                .schedule(ANSWER_NANOS, () -> answered(former, PredecessorAnswer.noAnswer("nothing came back"), open));
    }

    private void answered(FormerMemoryNode former, PredecessorAnswer answer, AtomicBoolean open) {
        if (!open.compareAndSet(true, false) || node.isClosed()) {
            return;
        }
        Next next = table.answered(former, answer, node.clock().nanoTime());
        if (next == Next.END_SESSIONS) {
            endSessions(former);
        } else if (next == Next.START_OVER) {
            boolean isHere = answer.incarnation() == node.incarnation();
            log.info(
                    "Memory node {}: its predecessor at {} is gone: {}",
                    node.id(),
                    former.address(),
                    isHere ? "this memory node answers there" : answer.detail());
            if (!oldLeases.leftAt(node.clock().nanoTime()).isZero()) {
                // It may have granted leases until now, and the list may count as complete already.
                listing.complete(false);
            }
            startOver();
        }
        if (next == Next.ASK_AGAIN || next == Next.END_SESSIONS) {
            node.timer().schedule(PAUSE_NANOS, () -> ask(former));
        }
    }

    private void endSessions(FormerMemoryNode twin) {
        node.counts().count(NodeCounts.Kind.TWIN);
        listing.complete(false);
        log.error(
                "Another memory node calls itself '{}', too, and lives at {}: a lock could have two owners. This one has ended its"
                        + " sessions and lets no compute node join until the other is gone. Stop one of them; after an"
                        + " update, stop the former one.",
                node.id(),
                twin.address());
        for (MemoryNodeSession session : sessions.snapshot()) {
            sessions.expel(session, "another memory node of the same id lives at " + twin.address());
        }
    }

    /** Goes on with empty memory once no other memory node of this id lives and no verb of a former session can be executed any more. */
    private void startOver() {
        if (node.isClosed() || !table.beginsToStartOver()) {
            return;
        }
        boolean empty = sessions.snapshot().isEmpty();
        if (empty) {
            reclaimer.forgetAll();
        }
        if (table.startedOver(empty)) {
            log.info(
                    "Memory node {}: no other memory node of this id is left. This one starts over, and serves in {} ms.",
                    node.id(),
                    oldLeases.leftAt(node.clock().nanoTime()).toMillis());
        } else {
            node.timer().schedule(PAUSE_NANOS, this::startOver);
        }
    }
}
