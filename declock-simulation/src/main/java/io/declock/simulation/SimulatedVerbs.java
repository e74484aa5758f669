// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.internal.chains.ChainWindow;
import io.declock.spi.FabricException;
import io.declock.spi.RemoteMemory;
import io.declock.spi.VerbChain;
import java.util.ArrayList;
import java.util.List;

/**
 * The compute node's side of a session's data plane, one ordered stream: chains are numbered, executed in that order, and answered in that
 * order. A connection that breaks does not end the stream (rule G2).
 */
final class SimulatedVerbs implements RemoteMemory, ChainWindow.Sender {
    /** More chains than a session ever has in flight. */
    private static final int NO_BOUND = 1024;

    private final SimulatedSession session;
    private final SimulatedCluster cluster;
    private final SimulatedWorld world;
    private final SimulatedComputeNode node;
    private final ChainWindow window;
    /** By number modulo the most in flight: the core that has posted a chain, and will take its completion. */
    private final SimulatedCore[] cores = new SimulatedCore[NO_BOUND];

    private SimulatedCore posting;
    private long lastPosted;

    SimulatedVerbs(SimulatedSession session, SimulatedCluster cluster) {
        this.session = session;
        this.cluster = cluster;
        this.world = cluster.world();
        this.node = session.node();
        this.posting = node.running();
        int most = cluster.options().outages().window();
        this.window = new ChainWindow(most > 0 ? Integer.highestOneBit(2 * most - 1) : NO_BOUND);
    }

    @Override
    public void post(VerbChain chain) {
        cluster.observer().posts(session, chain);
        SimulationOptions.Network network = cluster.options().network();
        long stall = world.stall(node, network.stallChance(), network.stall());
        SimulatedCore core = node.running();
        // The chains of a session are numbered in the order of posting, on whichever cores.
        lastPosted = Math.max(lastPosted, core.posted(chain, world.now()));
        world.when(lastPosted + stall, node, () -> enter(core, chain));
    }

    private void enter(SimulatedCore core, VerbChain chain) {
        posting = core;
        if (session.isClosed()) {
            world.after(0, node, () -> chain.failed(SimulatedSession.over()));
            return;
        }
        for (int i = 0; i < chain.size(); i++) {
            node.counters().verb(chain.purpose(), chain.verb(i));
        }
        window.add(chain);
        send();
    }

    private void send() {
        // Between two connections chains wait for the next one.
        if (session.connections().here() != null) {
            window.send(this, world.now());
        }
    }

    @Override
    public void send(int sequence, int oldest, VerbChain chain) {
        SimulatedConnection present = session.connections().here();
        if (present != null) {
            cores[sequence & NO_BOUND - 1] = posting;
            session.connections().used();
            present.send(posted(sequence, oldest, chain));
        }
    }

    private PostedChain posted(int sequence, int oldest, VerbChain chain) {
        return new PostedChain(world, cluster.options().network(), sequence, oldest, chain);
    }

    /** Returns the core that takes the completion of a chain in flight. */
    SimulatedCore coreOf(int sequence) {
        return cores[sequence & NO_BOUND - 1];
    }

    /** Returns the number of the oldest chain whose answer has not arrived. */
    int oldest() {
        return window.oldest();
    }

    /** An executed chain is answered on the connection on which it came. */
    void answer(SimulatedConnection on, PostedChain executed) {
        on.answer(executed, () -> {
            if (session.connections().isReadHere(on) && !session.isClosed()) {
                answered(executed);
            }
        });
    }

    /** The remembered results of a chain arrive. */
    void replayed(int sequence, long[] words) {
        VerbChain chain = window.inFlight(sequence);
        if (chain != null && !session.isClosed()) {
            world.note(() -> node + " gets the results of chain " + sequence + " again");
            answered(posted(sequence, sequence, chain).recall(words));
        }
    }

    private void answered(PostedChain executed) {
        VerbChain chain = window.inFlight(executed.sequence());
        if (chain == null) {
            throw new Violation("chains", "an answer to chain " + executed.sequence() + ", which is not in flight");
        }
        window.answered(executed.sequence(), world.now());
        send();
        world.note(() -> node + " completed " + executed.chain()
                + Describe.results(executed, session.life().memory()));
        cluster.observer().answers(session, executed);
        chain.completed(executed);
        cluster.observer().answered(session);
    }

    /** The session has another connection: the memory node has executed all chains before a number, and gets the others again. */
    void resumed(int executed) {
        if (session.isExecutedByAdapter()) {
            replaced();
            return;
        }
        if (!window.resume(executed, world.now())) {
            throw new Violation("chains", "a resumption at chain " + executed + ", which is not in flight");
        }
        send();
    }

    /** Nobody knows which of the chains in flight were executed. */
    private void replaced() {
        List<VerbChain> inDoubt = new ArrayList<>();
        for (int i = window.oldest(); window.inFlight(i) != null; i++) {
            inDoubt.add(window.inFlight(i));
        }
        inDoubt.forEach(chain -> window.answered(window.oldest(), world.now()));
        for (VerbChain chain : inDoubt) {
            world.note(() -> node + " never learns what became of " + chain);
            chain.outcomeUnknown(new FabricException("the connection broke"));
        }
        cluster.observer().answered(session);
        send();
    }

    /** The session has ended: fails the chains that will not be answered. */
    void end() {
        window.failAll(SimulatedSession.over());
        cluster.observer().ended(session);
    }
}
