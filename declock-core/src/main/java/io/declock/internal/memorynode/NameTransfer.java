// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.internal.memorynode.ListAgreement.Present;
import io.declock.internal.monitor.Isolated;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.GivenUp;
import io.declock.spi.NodeList;
import io.declock.spi.NodeListState;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces the list of memory nodes while compute nodes work (rules M1, M3 and M5 of docs/protocol.md): agrees to the next list, keeps the one
 * that a compute node declares, tells the others, and has names given up ({@link GivingUp}) and taken over ({@link TakingOver}) by it.
 *
 * <p>Thread-safe. Answers are given after the lock was released.
 */
final class NameTransfer implements NodeLists {
    private static final Logger log = LoggerFactory.getLogger(NameTransfer.class);

    private final NodeBasics node;
    private final CurrentList current;
    private final MemberList store;
    private final SessionTable sessions;
    private final GivingUp source;
    private final TakingOver target;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final ListAgreement agreement;

    /**
     * @param isGraceOver returns whether no member of a former life is awaited any more
     * @param whenGivenUp runs when records may be left that no compute node uses any more
     */
    NameTransfer(
            NodeBasics node,
            CurrentList current,
            MemberList store,
            SessionTable sessions,
            Directory directory,
            RecordAllocator allocator,
            HighWaterMark mark,
            BooleanSupplier isGraceOver,
            Runnable whenGivenUp) {
        this.node = node;
        this.current = current;
        this.store = store;
        this.sessions = sessions;
        this.source = new GivingUp(
                node,
                current,
                directory,
                allocator,
                mark,
                number -> isGraceOver.getAsBoolean() && sessions.undeclared(number) == 0,
                whenGivenUp);
        this.target = new TakingOver(node, current, store, mark, () -> new Claims(node, directory, allocator, mark));
        this.agreement = new ListAgreement(node.id());
    }

    // ---------------------------------------------------------------- the list

    @Override
    public NodeList list() {
        return current.list();
    }

    /** Returns how far this memory node is with its list. */
    @Override
    public NodeListState state() {
        NodeList list = current.list();
        return new NodeListState(list, current.awaited(), sessions.undeclared(list.number()), obstacle());
    }

    /** Returns why the list cannot be changed now, or an empty text. */
    private String obstacle() {
        NodeList list = current.list();
        if (store == MemberList.NONE) {
            return "memory node " + node.id() + " has no place that survives it: give it a state directory"
                    + " (declock.memory-node.state-directory) or an engine (declock.memory-node.election)";
        }
        String old = sessions.oneThatKnowsNoLists();
        if (!old.isEmpty()) {
            return "compute node " + old + " at memory node " + node.id()
                    + " is of a release that knows no lists of memory" + " nodes: update it first";
        }
        if (!current.awaited().isEmpty()) {
            return "memory node " + node.id() + " has not taken over yet the names of "
                    + String.join(", ", current.awaited()) + " by list " + list.number();
        }
        if (!source.isDone(list.number())) {
            return "memory node " + node.id() + " has not given up yet the names that belong to others by list "
                    + list.number();
        }
        return "";
    }

    /**
     * Agrees to take a list as the next one, for as long as the session lasts (rule M1).
     *
     * @throws FabricException.Refused if it does not
     */
    @Override
    public void propose(MemoryNodeSession session, NodeList list) throws FabricException.Refused {
        ListAgreement.checkForm(node.id(), list);
        String obstacle = obstacle();
        lock.lock();
        try {
            Present present = new Present(
                    current.list(),
                    obstacle,
                    sessions.nodeSet(session),
                    sessions.snapshot().size() > 1);
            agreement.propose(session, list, present);
        } finally {
            lock.unlock();
        }
    }

    /** A compute node declares that it uses a list, and the memory node takes it if it does not have it yet (rules M1 and M3). */
    @Override
    public void declare(MemoryNodeSession session, NodeList list, Answer<NodeList> answer) {
        NodeList present = current.list();
        if (present.equals(list)) {
            isDeclared(session, list, answer);
            return;
        }
        if (hasDeclaredBefore(session, list, present)) {
            answer.done().accept(list);
            return;
        }
        try {
            ListAgreement.checkForm(node.id(), list);
            give(session, list, present);
        } catch (FabricException.Refused e) {
            answer.refused().accept(e);
            return;
        }
        KeptNodes kept = new KeptNodes(list, awaitedBy(list));
        store.keepNodes(kept, new MemberList.Outcome() {
            @Override
            public void written() {
                take(kept);
                isDeclared(session, list, answer);
            }

            @Override
            public void failed(String why) {
                answer.refused()
                        .accept(new FabricException.Refused(
                                Reason.NOT_YET,
                                "memory node " + node.id() + " cannot keep the list of memory nodes: " + why));
            }
        });
    }

    /**
     * Returns whether the session has declared a list that another one has followed (rule M7): it asks again because the answer was lost with its
     * connection.
     */
    private static boolean hasDeclaredBefore(MemoryNodeSession session, NodeList list, NodeList present) {
        return list.number() < present.number() && session.declaredList >= list.number();
    }

    private void isDeclared(MemoryNodeSession session, NodeList list, Answer<NodeList> answer) {
        sessions.declare(session, list.number());
        answer.done().accept(list);
        look();
    }

    private void give(MemoryNodeSession session, NodeList list, NodeList present) throws FabricException.Refused {
        lock.lock();
        try {
            agreement.give(session, list, present);
        } finally {
            lock.unlock();
        }
    }

    private List<String> awaitedBy(NodeList list) {
        boolean takes = list.targets().stream().anyMatch(one -> one.id().equals(node.id()));
        return takes ? list.sources().stream().map(NodeList.Node::id).toList() : List.of();
    }

    private void take(KeptNodes kept) {
        NodeList list = kept.list();
        if (!target.begin(kept)) {
            return;
        }
        lock.lock();
        try {
            agreement.taken(list);
        } finally {
            lock.unlock();
        }
        log.info("Memory node {} has {}", node.id(), list.describe());
        for (MemoryNodeSession session : sessions.snapshot()) {
            if (session.knowsLists() && !session.isCut()) {
                Isolated.run(
                        "Telling session " + session.describe() + " of the list of memory nodes",
                        () -> session.listener().nodesChanged(list));
            }
        }
    }

    // ---------------------------------------------------------------- the source

    @Override
    public void awaitGivenUp(MemoryNodeSession session, long number, Answer<Long> answer) {
        source.await(session, number, answer);
    }

    /** A session has ended or declared a list, or the grace is over: looks whether the names are given up now. */
    void look() {
        source.look();
    }

    // ---------------------------------------------------------------- the target

    /**
     * Restores a hold in a name whose source has not given it up yet.
     *
     * @return the address of the record
     * @throws FabricException.Refused if it contradicts another one, or the name is not awaited
     */
    long restore(MemoryNodeSession session, byte[] name, boolean exclusive, long heldEpoch)
            throws FabricException.Refused {
        return target.restore(session, name, exclusive, heldEpoch);
    }

    /** Has a resolution wait until the source of its name has given it up; returns whether it waits, or was refused. */
    boolean park(byte[] name, Runnable resolution, Runnable tooMany) {
        return target.park(name, resolution, tooMany);
    }

    /** A compute node brings the word that a source has given its names up (rule M4). */
    @Override
    public void takeOver(GivenUp word, Answer<Long> answer) {
        target.heard(word, answer);
    }
}
