// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;

/** A client's connection to the memory node: its chains are executed in the order of posting, and answered in that order. Its core, both adapters and the way between them take time. */
final class MemoryLink {
    private final SimulatedWorld world;
    private final SimulatedWorld.Place place;
    private final Ways ways;
    private final SimulatedCore core;
    private final SimulatedNic own;
    private final SimulatedNic memoryNode;
    private final MemoryAccess access;
    private long lastArrival;
    private long lastAnswer;

    /**
     * Makes one.
     *
     * @param place where the client is
     * @param core the client's core
     * @param own the client's adapter
     * @param memoryNode the memory node's adapter
     */
    MemoryLink(
            SimulatedWorld world,
            SimulatedWorld.Place place,
            Ways ways,
            SimulatedCore core,
            SimulatedNic own,
            SimulatedNic memoryNode,
            MemoryAccess access) {
        this.world = world;
        this.place = place;
        this.ways = ways;
        this.core = core;
        this.own = own;
        this.memoryNode = memoryNode;
        this.access = access;
    }

    void post(VerbChain chain) {
        world.when(core.posted(chain, world.now()), place, () -> leave(chain));
    }

    private void leave(VerbChain chain) {
        long left = own.posted(chain, world.now());
        lastArrival = Math.max(lastArrival, left + ways.verbTime(world));
        world.at(lastArrival, null, () -> access.arrive(chain, results -> executed(chain, results)));
    }

    private void executed(VerbChain chain, VerbResults results) {
        long bytes = SimulatedNic.resultBytes(chain);
        long left = memoryNode.sent(bytes, world.now()) + lateness(chain);
        lastAnswer = Math.max(lastAnswer, left + ways.verbTime(world));
        world.at(lastAnswer, place, () -> arrived(bytes, chain, results));
    }

    private long lateness(VerbChain chain) {
        return ways.atomicLatency() > 0 && SimulatedNic.hasAtomic(chain) ? ways.atomicLatency() : 0;
    }

    private void arrived(long bytes, VerbChain chain, VerbResults results) {
        long received = own.received(bytes, world.now());
        world.when(core.completed(received), place, () -> chain.completed(results));
    }
}
