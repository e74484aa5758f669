// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.internal.memorynode.PredecessorAnswer;
import io.declock.internal.memorynode.PredecessorProbe;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Carries the questions of one life of a memory node to the addresses of others, which one answers there, and the answers back. */
final class SimulatedProbe implements PredecessorProbe {
    private final SimulatedCluster cluster;
    private final SimulatedWorld world;
    private final SimulatedWorld.Place asking;
    private final Function<String, @Nullable MemoryNodeLife> lives;

    /**
     * Makes one.
     *
     * @param asking where the life that asks is
     * @param lives finds the life that answers at an address
     */
    SimulatedProbe(
            SimulatedCluster cluster, SimulatedWorld.Place asking, Function<String, @Nullable MemoryNodeLife> lives) {
        this.cluster = cluster;
        this.world = cluster.world();
        this.asking = asking;
        this.lives = lives;
    }

    @Override
    public boolean isWrittenOut(String address) {
        return true;
    }

    @Override
    public void ask(String address, Consumer<PredecessorAnswer> told) {
        long oneWay = cluster.options().network().oneWay();
        world.after(oneWay, null, () -> {
            MemoryNodeLife asked = lives.apply(address);
            if (asked != null) {
                world.after(0, asked.place(), () -> answer(asked, told));
            } else if (world.chance(0.5)) {
                world.after(oneWay, asking, () -> told.accept(PredecessorAnswer.nobody("refused")));
            }
        });
    }

    private void answer(MemoryNodeLife asked, Consumer<PredecessorAnswer> told) {
        PredecessorAnswer answer =
                PredecessorAnswer.memoryNode(asked.node().id(), asked.node().incarnation());
        world.after(cluster.options().network().oneWay(), asking, () -> told.accept(answer));
    }
}
