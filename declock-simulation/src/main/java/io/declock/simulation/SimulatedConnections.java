// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.internal.memorynode.DataPlaneGate;
import io.declock.spi.Membership;
import io.declock.spi.NodeList;
import org.jspecify.annotations.Nullable;

/**
 * Both sides' view of a session's connections, of which it has several in turn (rules G1 to G3). Each side notices the end of one at an
 * instant of its own. Then the compute node tries to open the next one, and the memory node resumes the session as the server of the TCP
 * fabric does: it detaches the last connection, waits until that is quiet, and sends the results that it remembers.
 */
final class SimulatedConnections {
    /** An attempt that arrives is lost with this chance. */
    private static final double LOST_ATTEMPTS = 0.1;

    private final SimulatedSession session;
    private final SimulatedCluster cluster;
    private final SimulatedWorld world;
    private final SimulatedComputeNode node;
    private final SimulatedMemoryNode memoryNode;

    // At the compute node.
    private @Nullable SimulatedConnection here;
    private int attempts;
    private long pause;
    private long unreachableUntil;
    private @Nullable Runnable whenUsed;
    private @Nullable Runnable whenResumed;

    // At the memory node.
    private @Nullable SimulatedConnection there;
    private @Nullable SimulatedConnection executing;
    private int latest;
    private int abandoned;

    SimulatedConnections(SimulatedSession session, SimulatedCluster cluster, SimulatedMemoryNode memoryNode) {
        this.session = session;
        this.cluster = cluster;
        this.world = cluster.world();
        this.node = session.node();
        this.memoryNode = memoryNode;
    }

    /** The session has its first connection. */
    void opened(DataPlaneGate gate) {
        SimulatedConnection first = new SimulatedConnection(session, world, memoryNode, 0, gate);
        here = first;
        there = first;
    }

    /** Returns the connection that the compute node uses, or null. */
    @Nullable
    SimulatedConnection here() {
        return here;
    }

    /** Returns the connection that the memory node uses, or null. */
    @Nullable
    SimulatedConnection there() {
        return there;
    }

    /** Returns whether the compute node reads what was sent on a connection. */
    boolean isReadHere(SimulatedConnection sentOn) {
        return sentOn == here && !sentOn.losesAnswers();
    }

    /** Sets an action that runs when the compute node next sends a chain. */
    void whenUsed(Runnable action) {
        whenUsed = action;
    }

    /** Sets an action that runs when the compute node next goes on with another connection. */
    void whenResumed(Runnable action) {
        whenResumed = action;
    }

    /** The compute node sends a chain. */
    void used() {
        Runnable action = whenUsed;
        if (action != null) {
            whenUsed = null;
            action.run();
        }
    }

    // ---------------------------------------------------------------- the end of a connection

    /**
     * The connection breaks. What is under way on it may be lost in either direction, or arrive until its receiver notices.
     *
     * @param noticedHere when the compute node notices
     * @param noticedThere when the memory node notices
     * @param reachableAgain until when every attempt to open another connection fails
     */
    void breaks(long noticedHere, long noticedThere, long reachableAgain) {
        // A connection that is being opened can break, too.
        SimulatedConnection broken = here != null ? here : there;
        if (broken == null || session.isClosed()) {
            return;
        }
        world.note(() -> broken + " breaks; noticed at " + noticedHere + ", by the memory node at " + noticedThere);
        broken.breaks(world.chance(0.5), world.chance(0.5));
        unreachableUntil = Math.max(unreachableUntil, reachableAgain);
        world.at(noticedHere, node, () -> brokenHere(broken));
        endsThereAt(noticedThere, broken);
    }

    private void brokenHere(SimulatedConnection broken) {
        if (here == broken && !session.isClosed()) {
            world.note(() -> node + " notices the end of " + broken);
            here = null;
            pause = cluster.options().cluster().lease() / 64;
            attempt();
        }
    }

    /** At that instant the memory node notices the end of a connection. */
    void endsThereAt(long instant, SimulatedConnection ending) {
        world.at(instant, session.life().place(), () -> {
            ending.close();
            if (there == ending) {
                world.note(() -> memoryNode + " notices the end of " + ending);
                there = null;
                session.accepted().detach(() -> {});
            }
        });
    }

    // ---------------------------------------------------------------- attempts to open the next one

    private void attempt() {
        if (session.isClosed() || here != null) {
            return;
        }
        int number = ++attempts;
        if (world.now() < unreachableUntil) {
            world.note(() -> node + " cannot reach the memory node to resume " + session);
            again();
            return;
        }
        int oldest = session.verbs().oldest();
        if (!world.chance(LOST_ATTEMPTS)) {
            world.at(node.toMemoryNode(), null, () -> arrives(number, oldest));
        }
        world.after(cluster.options().cluster().lease() / 8, node, () -> giveUp(number));
    }

    private void giveUp(int number) {
        if (!session.isClosed() && here == null && number == attempts) {
            world.at(node.toMemoryNode(), session.life().place(), () -> abandon(number));
            again();
        }
    }

    private void again() {
        long next = pause + world.below(pause / 8);
        pause = Math.min(2 * pause, cluster.options().cluster().lease() / 4);
        world.after(next, node, this::attempt);
    }

    private void arrives(int number, int oldest) {
        SimulatedWorld.Place place = session.life().place();
        if (place.isAlive()) {
            world.after(0, place, () -> read(number, oldest));
        } else if (memoryNode.isUp()) {
            refuse(number, "the memory node has started anew");
        }
    }

    private void refuse(int number, String why) {
        world.at(node.fromMemoryNode(), node, () -> {
            if (here == null && number == attempts) {
                world.note(() -> session + " cannot be resumed: " + why);
                session.isOver(why);
            }
        });
    }

    // ---------------------------------------------------------------- the memory node's side of an attempt

    /** An attempt that a later one has overtaken changes nothing (rule G4). */
    private void read(int number, int oldest) {
        if (number <= latest) {
            return;
        }
        latest = number;
        SimulatedConnection last = there;
        there = null;
        if (last != null) {
            // Its frames are read until its event loop has closed it.
            world.after(
                    world.below(4 * cluster.options().network().oneWay()),
                    session.life().place(),
                    last::close);
        }
        session.accepted().detach(() -> world.after(0, session.life().place(), () -> reattach(number, oldest)));
    }

    private void abandon(int number) {
        abandoned = Math.max(abandoned, number);
        SimulatedConnection present = there;
        if (present != null && present.number() == number) {
            endsThereAt(world.now(), present);
        }
    }

    private void reattach(int number, int oldest) {
        if (number != latest || number <= abandoned) {
            return;
        }
        boolean known =
                session.isExecutedByAdapter() || session.accepted().executed().remembers(oldest);
        DataPlaneGate open = known ? session.accepted().reattach() : null;
        if (open == null) {
            refuse(number, "the session is over");
            return;
        }
        SimulatedConnection next = new SimulatedConnection(session, world, memoryNode, number, open);
        there = next;
        tellResumed(next, oldest);
    }

    private void tellResumed(SimulatedConnection next, int oldest) {
        int executed = session.accepted().executed().next();
        world.note(() -> memoryNode + " resumes " + session + " at chain " + executed + " on " + next);
        next.answer(() -> resumed(next, executed));
        session.accepted()
                .executed()
                .replay(
                        oldest,
                        (sequence, words) -> next.answer(() -> {
                            if (isReadHere(next)) {
                                session.verbs().replayed(sequence, words);
                            }
                        }));
        Membership members = session.accepted().members();
        NodeList list = session.life().node().nodeLists().list();
        next.answer(() -> {
            if (isReadHere(next)) {
                session.membersAre(members);
                session.listIs(list);
            }
        });
    }

    private void resumed(SimulatedConnection next, int executed) {
        if (session.isClosed() || here != null || next.number() != attempts || next.losesAnswers()) {
            return;
        }
        world.note(() -> node + " resumes " + session);
        here = next;
        session.resumed(executed);
        Runnable action = whenResumed;
        if (action != null) {
            whenResumed = null;
            action.run();
        }
    }

    // ---------------------------------------------------------------- checks

    /** The memory node executes verbs of a connection from now on, or of none. */
    void executes(@Nullable SimulatedConnection connection) {
        executing = connection;
    }

    /** Returns whether the verbs that are executed were admitted before the session was cut. */
    boolean isFinishing() {
        SimulatedConnection present = executing;
        return present != null && present.isFinishing();
    }

    /** Checks that no later connection has a data plane while verbs of one are executed. */
    void checkPresent(SimulatedConnection connection) {
        SimulatedConnection present = there;
        if (present != null && present.number() > connection.number()) {
            throw new Violation("data plane", "a verb of " + connection + " is executed, but there is " + present);
        }
    }
}
