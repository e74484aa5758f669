// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.protocols.application.Application;
import io.declock.simulation.AdapterModel.Processor;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** One run of an application, whatever the lock is: its time, its adapters, its clients, and what is counted and checked. */
abstract class ApplicationRun {
    private final ModelRun.Setting setting;
    private final SimulatedWorld world;
    private final Application application;
    private final RunTally tally;
    private final HoldersChecker holders = new HoldersChecker();
    private final List<SimulatedNic> computeNodes = new ArrayList<>();
    /** The cores of each compute node. */
    private final List<List<SimulatedCore>> cores = new ArrayList<>();

    ApplicationRun(long seed, ModelRun.Setting setting) {
        this.setting = setting;
        this.world = new SimulatedWorld(seed, new Trace(0));
        this.application = setting.application().get();
        this.tally = new RunTally(
                setting.clients(), setting.failures().sliceNanos(), setting.warmUpNanos() + setting.windowNanos());
        for (int i = 0; i < setting.computeNodes(); i++) {
            computeNodes.add(new SimulatedNic(setting.adapters().computeNode()));
            cores.add(coresOfANode(setting));
        }
    }

    private static List<SimulatedCore> coresOfANode(ModelRun.Setting setting) {
        Processor processor = setting.adapters().processor();
        int number = processor.cores() == 0 ? setting.clientsPerNode() : processor.cores();
        return Stream.generate(() -> new SimulatedCore(processor)).limit(number).toList();
    }

    final ModelRun.Setting setting() {
        return setting;
    }

    final SimulatedWorld world() {
        return world;
    }

    final Application application() {
        return application;
    }

    final RunTally tally() {
        return tally;
    }

    final HoldersChecker holders() {
        return holders;
    }

    /** Returns the adapter of a compute node. */
    final SimulatedNic adapterOf(int computeNode) {
        return computeNodes.get(computeNode);
    }

    /** Returns the cores of a compute node. */
    final List<SimulatedCore> coresOf(int computeNode) {
        return cores.get(computeNode);
    }

    /** Returns the core on which a client runs: those of one compute node are given cores by turns. */
    final SimulatedCore coreOf(int client) {
        List<SimulatedCore> ofNode = coresOf(client % setting.computeNodes());
        return ofNode.get(client / setting.computeNodes() % ofNode.size());
    }

    /** Returns the adapter of the memory node. */
    abstract SimulatedNic memoryNode();

    /** Returns the memory in which the application's data is. */
    abstract SimulatedMemory memory();

    /** Returns where in that memory the data begins. */
    abstract long firstDataWord();

    /** Makes the client of a number, which lives in a compute node. */
    abstract ModelClient client(int number, int computeNode);

    /** Returns when the first client begins: each begins a little later. */
    abstract long begins();

    final Outcome run() {
        application.load((word, words) -> {
            for (int i = 0; i < words.length; i++) {
                memory().set(firstDataWord() + word + i, words[i]);
            }
        });
        for (int i = 0; i < setting.clients(); i++) {
            ModelClient client = client(i, i % setting.computeNodes());
            world.after(
                    begins() + world.below(2 * setting.adapters().verbOneWay()),
                    client.place(),
                    application.client(i, client)::start);
        }
        advance(setting.warmUpNanos());
        long busy = memoryNode().busyNanos();
        tally.begin();
        advance(setting.warmUpNanos() + setting.windowNanos());
        return tally.outcome(
                setting.windowNanos(),
                memoryNode().busyNanos() - busy,
                world.trace().hash());
    }

    private void advance(long end) {
        boolean more = true;
        while (more) {
            more = world.step(end);
        }
    }
}
