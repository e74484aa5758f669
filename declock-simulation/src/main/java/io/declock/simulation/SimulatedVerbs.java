// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.spi.RemoteMemory;
import io.declock.spi.VerbChain;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The data plane of a session, one ordered stream: chains are executed in the order in which they entered it, and answered in that order.
 */
final class SimulatedVerbs implements RemoteMemory {
    private final SimulatedSession session;
    private final SimulatedCluster cluster;
    private final SimulatedWorld world;
    private final SimulatedComputeNode node;
    private final SimulatedMemoryNode.Life life;
    private final SimulatedMemoryNode memoryNode;

    // At the compute node.
    private final Set<VerbChain> inFlight = new LinkedHashSet<>();
    private final ArrayDeque<VerbChain> waiting = new ArrayDeque<>();
    private long lastEntered;
    private long lastAnswered;

    // At the memory node.
    private final ArrayDeque<PostedChain> stream = new ArrayDeque<>();
    private boolean executing;

    SimulatedVerbs(SimulatedSession session, SimulatedCluster cluster, SimulatedMemoryNode memoryNode) {
        this.session = session;
        this.cluster = cluster;
        this.world = cluster.world();
        this.node = session.node();
        this.life = session.life();
        this.memoryNode = memoryNode;
    }

    @Override
    public void post(VerbChain chain) {
        cluster.observer().posts(session, chain);
        SimulationOptions.Network network = cluster.options().network();
        long stall = world.stall(node, network.stallChance(), network.stall());
        if (stall == 0) {
            enter(chain);
        } else {
            world.after(stall, node, () -> enter(chain));
        }
    }

    private void enter(VerbChain chain) {
        if (session.isClosed()) {
            world.after(0, node, () -> chain.failed(SimulatedSession.over()));
            return;
        }
        int window = cluster.options().outages().window();
        if (window > 0 && inFlight.size() >= window) {
            waiting.add(chain);
            return;
        }
        leaveFor(chain);
    }

    private void leaveFor(VerbChain chain) {
        for (int i = 0; i < chain.size(); i++) {
            node.counters().verb(chain.purpose(), chain.verb(i));
        }
        inFlight.add(chain);
        lastEntered = Math.max(lastEntered, node.toMemoryNode());
        PostedChain posted = new PostedChain(world, cluster.options().network(), chain);
        world.at(lastEntered, life.place(), () -> {
            stream.add(posted);
            if (!executing) {
                execute();
            }
        });
    }

    private void execute() {
        executing = true;
        while (!stream.isEmpty()
                && !session.isMemoryLost()
                && session.accepted().enter()) {
            PostedChain first = stream.element();
            long pause;
            try {
                pause = first.execute(session, life.memory(), memoryNode.nic());
            } finally {
                session.accepted().exit();
            }
            if (first.isExecuted()) {
                stream.remove();
                answer(first);
            } else if (pause > 0) {
                world.after(pause, life.place(), this::execute);
                return;
            }
        }
        executing = false;
    }

    private void answer(PostedChain executed) {
        lastAnswered = Math.max(lastAnswered, node.fromMemoryNode());
        world.at(lastAnswered, node, () -> {
            if (inFlight.remove(executed.chain())) {
                if (!waiting.isEmpty()) {
                    leaveFor(waiting.remove());
                }
                world.note(() -> node + " completed " + executed.chain() + Describe.results(executed, life.memory()));
                cluster.observer().answers(session, executed);
                executed.chain().completed(executed);
                cluster.observer().answered(session);
            }
        });
    }

    /** The session has ended. Returns the chains that will not be answered. */
    List<VerbChain> end() {
        List<VerbChain> unanswered = new ArrayList<>(inFlight);
        unanswered.addAll(waiting);
        inFlight.clear();
        waiting.clear();
        return unanswered;
    }
}
