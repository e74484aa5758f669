// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.internal.chains.ExecutedChains;
import io.declock.internal.memorynode.DataPlaneGate;
import java.util.ArrayDeque;

/**
 * One connection of a session, with the chains that have arrived on it at the memory node: they are executed in the order in which they
 * entered it, and only inside the gate of this connection (rule G1).
 */
final class SimulatedConnection {
    private final SimulatedSession session;
    private final SimulatedWorld world;
    private final SimulatedMemoryNode memoryNode;
    private final SimulatedComputeNode node;
    private final int number;
    private final DataPlaneGate gate;
    private final boolean staysInside;
    private final ArrayDeque<PostedChain> stream = new ArrayDeque<>();
    // Where the pauses of a place overlap, its events change their order; what a connection carries does not.
    private final ArrayDeque<PostedChain> toMemoryNode = new ArrayDeque<>();
    private final ArrayDeque<Runnable> toComputeNode = new ArrayDeque<>();

    private long lastEntered;
    private long lastAnswered;
    private long lastTaken;
    private boolean executing;
    private boolean inside;
    private boolean enteredUncut;

    /** The memory node reads nothing more from it, and writes nothing more to it. */
    private boolean closed;

    private boolean losesRequests;
    private boolean losesAnswers;

    SimulatedConnection(
            SimulatedSession session,
            SimulatedWorld world,
            SimulatedMemoryNode memoryNode,
            int number,
            DataPlaneGate gate) {
        this.session = session;
        this.world = world;
        this.memoryNode = memoryNode;
        this.node = session.node();
        this.number = number;
        this.gate = gate;
        // Without resumptions a cut may come between the verbs of a chain, as where an adapter executes them.
        this.staysInside = session.isResumable();
    }

    int number() {
        return number;
    }

    /** What is under way on it is lost, in one direction or both; neither side has noticed yet. */
    void breaks(boolean toMemoryNode, boolean toComputeNode) {
        losesRequests |= toMemoryNode;
        losesAnswers |= toComputeNode;
    }

    /** The memory node's side ends. */
    void close() {
        closed = true;
    }

    boolean isClosed() {
        return closed;
    }

    /** Returns whether what was sent to the memory node is read there. */
    boolean isRead() {
        return !closed && !losesRequests;
    }

    boolean losesAnswers() {
        return losesAnswers;
    }

    /** A chain leaves the compute node. */
    void send(PostedChain chain) {
        lastEntered = Math.max(lastEntered, node.toMemoryNode(node.nic().posted(chain.chain(), world.now())));
        toMemoryNode.add(chain);
        world.at(lastEntered, session.life().place(), () -> arrives(toMemoryNode.remove()));
    }

    /** Something follows the answers that have left the memory node on this connection. */
    void answer(Runnable atComputeNode) {
        answer(world.now(), 0, SimulatedCore.infinitelyFast(), atComputeNode);
    }

    /** The results of an executed chain follow them. */
    void answer(PostedChain executed, Runnable atComputeNode) {
        long bytes = memoryNode.resultBytes(executed.chain());
        long late = SimulatedNic.hasAtomic(executed.chain()) ? memoryNode.atomicLatency() : 0;
        SimulatedCore core = session.verbs().coreOf(executed.sequence());
        answer(memoryNode.nic().sent(bytes, world.now()) + late, bytes, core, () -> {
            node.runsOn(core);
            atComputeNode.run();
        });
    }

    /** What follows each other on the connection is taken in that order, on whichever cores. */
    private void answer(long leaves, long bytes, SimulatedCore core, Runnable atComputeNode) {
        lastAnswered = Math.max(lastAnswered, node.fromMemoryNode(leaves));
        toComputeNode.add(atComputeNode);
        world.at(lastAnswered, node, () -> {
            session.hears();
            long received = node.nic().received(bytes, world.now());
            lastTaken = Math.max(lastTaken, core.completed(received));
            world.when(lastTaken, node, () -> toComputeNode.remove().run());
        });
    }

    private void arrives(PostedChain chain) {
        if (isRead()) {
            stream.add(chain);
            if (!executing) {
                execute();
            }
        }
    }

    private void execute() {
        executing = true;
        while (!stream.isEmpty() && !session.isMemoryLost() && enter()) {
            PostedChain first = stream.element();
            long pause;
            try {
                pause = execute(first);
            } finally {
                if (first.isExecuted() || !staysInside || isGivenUp()) {
                    inside = false;
                    gate.exit();
                }
            }
            if (first.isExecuted()) {
                stream.remove();
                if (!closed) {
                    session.verbs().answer(this, first);
                }
            } else if (pause > 0) {
                world.after(pause, session.life().place(), this::execute);
                return;
            }
        }
        executing = false;
        if (!stream.isEmpty()) {
            world.note(() -> "memory node: " + this + " has no data plane for " + stream.size() + " chains");
        }
    }

    /** Returns whether the connection's end stops an adapter between two verbs of a chain. */
    private boolean isGivenUp() {
        return session.isExecutedByAdapter() && session.connections().there() != this;
    }

    private boolean enter() {
        if (!inside) {
            inside = gate.enter();
            enteredUncut = inside && !session.isCut();
        }
        return inside;
    }

    private long execute(PostedChain chain) {
        session.connections().checkPresent(this);
        boolean remembers = !session.isExecutedByAdapter();
        ExecutedChains executed = session.accepted().executed();
        if (remembers) {
            chain.begin(executed);
        }
        session.connections().executes(this);
        long pause = chain.execute(session, session.life().memory(), memoryNode.nic());
        session.connections().executes(null);
        if (remembers && chain.isExecuted()) {
            chain.remember(executed);
        }
        return pause;
    }

    /** Returns whether it is inside its gate since before its session was cut. */
    boolean isFinishing() {
        return staysInside && inside && enteredUncut;
    }

    @Override
    public String toString() {
        return "connection " + number + " of " + session;
    }
}
