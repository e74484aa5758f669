// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.internal.election.Attempts;
import io.declock.spi.election.ElectionEngine.Answer;
import io.declock.spi.election.ElectionEngine.Elected;
import io.declock.spi.election.ElectionEngine.Held;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The engine that elects the candidates of one memory node. It never fails; what fails are the ways to it. An attempt may be carried out
 * although its candidate never learns that, also after its time is up.
 */
final class SimulatedEngine {
    private final SimulatedCluster cluster;
    private final SimulatedWorld world;
    private final String memoryNode;
    private final int driftPpm;
    private final Map<String, byte[]> kept = new HashMap<>();
    private final List<Runnable> watchers = new ArrayList<>();
    private long term;
    private String candidate = "";
    private boolean running;
    private long until;

    SimulatedEngine(SimulatedCluster cluster, String memoryNode, int driftPpm) {
        this.cluster = cluster;
        this.world = cluster.world();
        this.memoryNode = memoryNode;
        this.driftPpm = driftPpm;
    }

    private long lease() {
        return cluster.options().elections().lease();
    }

    private boolean runs() {
        return running && world.now() < until;
    }

    /** By its own clock, which drifts, a lease ends now and then before it does by that of others. */
    private long end() {
        return world.now() + lease() + lease() * driftPpm / 1_000_000;
    }

    private Answer acquire(String by) {
        if (runs()) {
            return new Held(term, candidate);
        }
        term++;
        candidate = by;
        running = true;
        until = end();
        world.note(() -> "the engine elects " + by + " for " + memoryNode + " in term " + term);
        return new Elected(term, kept);
    }

    private Optional<Held> look() {
        return runs() ? Optional.of(new Held(term, candidate)) : Optional.empty();
    }

    private boolean isPresent(long asked) {
        return asked == term && running;
    }

    private boolean renew(long asked) {
        // As with the engines that ship, a term that nobody has followed can be renewed late.
        boolean present = isPresent(asked);
        if (present) {
            until = end();
        }
        return present;
    }

    private boolean keep(long asked, Map<String, Optional<byte[]>> changes) {
        boolean present = isPresent(asked);
        if (present) {
            changes.forEach(
                    (name, value) -> value.ifPresentOrElse(bytes -> kept.put(name, bytes), () -> kept.remove(name)));
        }
        return present;
    }

    private void resign(long asked) {
        if (isPresent(asked)) {
            world.note(() -> "the engine ends term " + asked + " of " + memoryNode);
            running = false;
            watchers.forEach(Runnable::run);
        }
    }

    /** Returns a client for the present program of a candidate. */
    Attempts client(SimulatedCandidate of) {
        return new Client(of);
    }

    /** What a candidate sees of the engine. */
    private final class Client implements Attempts {
        private final SimulatedCandidate of;
        private final SimulatedWorld.Place place;
        private long attempts;
        private long executed;

        Client(SimulatedCandidate of) {
            this.of = of;
            this.place = of.place();
        }

        /** Makes an attempt: the engine carries it out or not, and its candidate learns that or not. */
        private <T> void attempt(Supplier<T> work, Consumer<T> answered, Consumer<String> failed) {
            long number = ++attempts;
            Ended ended = new Ended();
            world.after(lease() / 4, place, () -> {
                if (ended.first()) {
                    failed.accept("the engine did not answer");
                }
            });
            if (of.reachesEngine()) {
                world.after(travel(), null, () -> {
                    // An attempt is never carried out after a later one of its client.
                    if (number > executed) {
                        executed = number;
                        answer(work.get(), ended, answered);
                    }
                });
            }
        }

        private <T> void answer(T answer, Ended ended, Consumer<T> answered) {
            if (of.hearsEngine()) {
                world.after(travel(), place, () -> {
                    if (ended.first()) {
                        answered.accept(answer);
                    }
                });
            }
        }

        private long travel() {
            long slow = world.chance(0.02) ? world.below(lease() / 2) : 0;
            return 1 + slow + world.below(4 * cluster.options().network().oneWay());
        }

        private <T> void attempt(Supplier<T> work, Ending<T> ending) {
            attempt(work, ending::answered, ending::failed);
        }

        @Override
        public void acquire(Ending<Answer> ending) {
            attempt(() -> SimulatedEngine.this.acquire(of.address()), ending);
        }

        @Override
        public void look(Ending<Optional<Held>> ending) {
            attempt(SimulatedEngine.this::look, ending);
        }

        @Override
        public void renew(long asked, Ending<Boolean> ending) {
            attempt(() -> SimulatedEngine.this.renew(asked), ending);
        }

        @Override
        public void keep(long asked, Map<String, Optional<byte[]>> changes, Ending<Boolean> ending) {
            attempt(() -> SimulatedEngine.this.keep(asked, changes), ending);
        }

        @Override
        public void resign(long asked, Runnable ended) {
            attempt(
                    () -> {
                        SimulatedEngine.this.resign(asked);
                        return true;
                    },
                    done -> ended.run(),
                    why -> ended.run());
        }

        @Override
        public void watch(Runnable mayHaveEnded) {
            watchers.add(() -> {
                if (of.hearsEngine() && world.chance(0.7)) {
                    world.after(travel(), place, mayHaveEnded);
                }
            });
        }

        @Override
        public String title() {
            return "the engine";
        }
    }

    /** An attempt ends once. */
    private static final class Ended {
        private boolean isOver;

        boolean first() {
            boolean first = !isOver;
            isOver = true;
            return first;
        }
    }
}
