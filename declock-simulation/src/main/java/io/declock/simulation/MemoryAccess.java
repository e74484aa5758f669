// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/** How one client's chains are executed in a memory node: by its adapter, or by its processor. Chains are executed one after the other, in order. */
final class MemoryAccess {
    /** How long the processor takes for an operation on memory, at most twice. */
    private static final long LOCAL_NANOS = 100;

    /** A chain that is being executed, and what its verbs have returned. */
    private static final class Posted implements VerbResults {
        private final VerbChain chain;
        private final Consumer<VerbResults> executed;
        private final long[][] words;

        Posted(VerbChain chain, Consumer<VerbResults> executed) {
            this.chain = chain;
            this.executed = executed;
            this.words = new long[chain.size()][];
        }

        @Override
        public long word(int verb, int word) {
            return words[verb][word];
        }
    }

    private final SimulatedWorld world;
    private final SimulatedNic nic;
    private final SimulatedMemory memory;
    private final long untilWritten;
    private final long between;
    private final SimulatedMemory.Changes changes;
    private final ArrayDeque<Posted> atAdapter = new ArrayDeque<>();
    private long lastLocal;

    /**
     * Makes the access of a client.
     *
     * @param untilWritten how long after its execution an atomic of the adapter is written, and half of what passes at most between two verbs of a chain; zero if no client uses
     *     the processor
     * @param between mean of what passes between two verbs of a chain otherwise, in which verbs of others may be executed
     * @param changes learns what the client changes
     */
    MemoryAccess(
            SimulatedWorld world,
            SimulatedNic nic,
            SimulatedMemory memory,
            long untilWritten,
            long between,
            SimulatedMemory.Changes changes) {
        this.world = world;
        this.nic = nic;
        this.memory = memory;
        this.untilWritten = untilWritten;
        this.between = between;
        this.changes = changes;
    }

    /** Returns how long an operation of the processor takes. */
    static long localTime(SimulatedWorld world) {
        return LOCAL_NANOS + world.below(LOCAL_NANOS);
    }

    // ---------------------------------------------------------------- the adapter

    /** A chain arrives at the adapter. */
    void arrive(VerbChain chain, Consumer<VerbResults> executed) {
        atAdapter.add(new Posted(chain, executed));
        if (atAdapter.size() == 1) {
            execute(atAdapter.element(), 0);
        }
    }

    private void execute(Posted posted, int verb) {
        VerbChain chain = posted.chain;
        long execution = nic.execution(chain, verb, world.now());
        world.at(execution, null, () -> {
            SimulatedMemory.Executed executed = memory.execute(chain, verb, changes, untilWritten > 0);
            posted.words[verb] = executed.former();
            SimulatedMemory.Unwritten unwritten = executed.unwritten();
            if (unwritten == null) {
                goOn(posted, verb);
            } else {
                world.after(untilWritten, null, () -> {
                    memory.writeBack(unwritten);
                    goOn(posted, verb);
                });
            }
        });
    }

    private void goOn(Posted posted, int verb) {
        if (verb + 1 < posted.chain.size()) {
            executeSoon(posted, verb + 1);
            return;
        }
        atAdapter.remove();
        posted.executed.accept(posted);
        if (!atAdapter.isEmpty()) {
            execute(atAdapter.element(), 0);
        }
    }

    /** Where there is a processor, it may do much between two verbs of a chain. */
    private void executeSoon(Posted posted, int verb) {
        if (untilWritten == 0) {
            world.after(world.exponential(between), null, () -> execute(posted, verb));
        } else {
            world.after(world.below(2 * untilWritten), null, () -> execute(posted, verb));
        }
    }

    // ---------------------------------------------------------------- the processor

    /** The client has the processor execute a chain. */
    void executeLocally(SimulatedWorld.Place client, VerbChain chain) {
        executeLocally(client, new Posted(chain, chain::completed), 0);
    }

    private void executeLocally(SimulatedWorld.Place client, Posted posted, int verb) {
        lastLocal = Math.max(lastLocal, world.now()) + localTime(world);
        world.at(lastLocal, client, () -> {
            posted.words[verb] = memory.executeLocally(posted.chain, verb, changes);
            if (verb + 1 < posted.chain.size()) {
                executeLocally(client, posted, verb + 1);
            } else {
                posted.executed.accept(posted);
            }
        });
    }
}
