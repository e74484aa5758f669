// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.Counters;
import io.declock.internal.protocol.PositionState;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One run: a cluster under a workload and faults, until every caller has finished. Then faults stop, progress is checked, and every
 * surviving process acquires every lock once more. The seed and the options determine the whole run.
 */
public final class Simulation {
    /** Maximum virtual time, whatever the options say. */
    private static final long END = 3_600_000_000_000L;

    private final long seed;
    private final SimulationOptions options;
    private final SimulatedWorld world;
    private final Checkers checkers;
    private final SimulatedCluster cluster;
    private final List<SimulatedClient> clients = new ArrayList<>();
    private final NameChooser names;

    /**
     * The outcome of a run.
     *
     * @param seed its seed
     * @param violation the violated property, or null
     * @param hash hash of all events
     * @param events number of events
     * @param acquisitions number of remote queue positions taken
     * @param resets number of completed resets
     * @param selfCheckGrants number of grants that a self-check found
     * @param trace last lines, if they were kept
     */
    public record Outcome(
            long seed,
            @Nullable Violation violation,
            long hash,
            long events,
            long acquisitions,
            long resets,
            long selfCheckGrants,
            List<String> trace) {}

    private Simulation(long seed, SimulationOptions options, int keepLines) {
        this.seed = seed;
        this.options = options;
        this.world = new SimulatedWorld(seed, new Trace(keepLines));
        this.checkers = new Checkers(world, options);
        this.cluster = new SimulatedCluster(world, options, checkers.queue());
        if (options.outages().verbNanos() > 0) {
            cluster.memoryNodes()
                    .forEach(each -> each.use(new SimulatedNic(
                            options.outages().verbNanos(), options.outages().atomicNanos())));
        }
        cluster.observeSessions(checkers);
        cluster.checkClosing(checkers.progress()::checkClosing);
        this.names = new NameChooser(
                world, options.cluster().locks(), options.cluster().zipf());
    }

    /** Runs a seed under options, and keeps that many of the last lines of the trace. */
    public static Outcome run(long seed, SimulationOptions options, int keepLines) {
        Violation.forget();
        Simulation simulation = new Simulation(seed, options, keepLines);
        Violation violation = null;
        try {
            simulation.run();
        } catch (Violation found) {
            violation = found;
        } catch (RuntimeException failure) {
            violation = new Violation("no exception", String.valueOf(failure), failure);
        }
        return simulation.outcome(violation);
    }

    private Outcome outcome(@Nullable Violation violation) {
        SimulatedWorld w = world;
        return new Outcome(
                seed,
                violation,
                w.trace().hash(),
                w.events(),
                checkers.queue().acquisitions(),
                checkers.queue().resets(),
                count(Counters.Event.SELF_CHECK_GRANT),
                w.trace().lines());
    }

    private long count(Counters.Event event) {
        return cluster.nodes().stream()
                .mapToLong(node -> node.counters().get(event))
                .sum();
    }

    private void run() {
        world.afterEvent(place -> {
            Violation.throwFirst();
            if (place instanceof SimulatedComputeNode node && node.isAlive()) {
                checkers.observe(node);
            }
        });
        for (int i = 0; i < options.cluster().computeNodes(); i++) {
            startProcess("cn" + i, "address" + i);
        }
        new FaultInjector(cluster, this::startProcess).schedule();
        new OutageInjector(cluster, this::startProcess).schedule();
        new RareFaultInjector(cluster, this::startProcess).schedule();
        new WiringInjector(cluster, this::startProcess).schedule();
        checkProgressNowAndThen();
        runUntilFinished("the workload");
        world.note(() -> "the workload is done");
        cluster.stopLosing();
        List<SimulatedClient> last = firstOfEach();
        SimulatedClient tries = last.get((int) (seed % last.size()));
        world.after(1, tries.node(), () -> tries.tryEach(0, tries::finish));
        world.step(END);
        runUntilFinished("the round of tries");
        for (SimulatedClient client : last) {
            world.after(1, client.node(), () -> client.probe(0));
        }
        world.step(END);
        runUntilFinished("the last round");
        runFor(checkers.progress().bound());
        checkAtRest();
    }

    private void startProcess(String name, String address) {
        SimulatedComputeNode node = cluster.start(name, address);
        for (int i = 0; i < options.cluster().clientsPerNode(); i++) {
            SimulatedClient client = new SimulatedClient(cluster, node, clients.size(), checkers, names);
            clients.add(client);
            client.start();
        }
    }

    private List<SimulatedClient> firstOfEach() {
        List<SimulatedClient> first = new ArrayList<>();
        for (SimulatedClient client : clients) {
            boolean known = first.stream().anyMatch(other -> other.node() == client.node());
            if (!known && client.node().isAlive()) {
                first.add(client);
            }
        }
        return first;
    }

    private void runUntilFinished(String what) {
        while (!clients.stream().allMatch(SimulatedClient::isFinished)
                || world.now() < options.faults().until()) {
            for (int i = 0; i < 64; i++) {
                if (!world.step(END)) {
                    throw new Violation("progress", what + " did not end within " + END + " ns");
                }
            }
        }
    }

    private void runFor(long duration) {
        long end = world.now() + duration;
        boolean more = true;
        while (more) {
            more = world.step(end);
        }
    }

    private void checkProgressNowAndThen() {
        long interval = Math.max(1, checkers.progress().bound() / 4);
        world.after(interval, null, () -> {
            checkers.progress().check(world.now());
            checkProgressNowAndThen();
        });
    }

    /** Checks the end, when no caller wants a lock: no position is left but kept ones, and no lock is stuck in an intermediate state. */
    private void checkAtRest() {
        for (SimulatedComputeNode node : cluster.nodes()) {
            if (!node.isAlive()) {
                continue;
            }
            node.eachRemote((lock, remote) -> {
                boolean isKept = remote.state() == PositionState.HELD && remote.isKept();
                if (!isKept && (remote.state() != PositionState.IDLE || !remote.isForgettable())) {
                    throw new Violation("at rest", node + " still has " + lock);
                }
            });
        }
        checkers.queue().checkAtRest();
    }
}
