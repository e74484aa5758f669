// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.LockMode;
import io.declock.protocols.LockClient;
import io.declock.protocols.LockMessage;
import io.declock.protocols.LockProtocol;
import io.declock.protocols.LockWorld;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Clients of one lock of the literature in virtual time: each acquires locks, does remote operations inside, and releases them. Checks after each
 * step that the lock excludes, that a fair one grants in the order of arrival (unless clients die), and in the end that no client waits for ever.
 */
public final class ProtocolSimulation {
    /** More virtual time than any run needs. */
    private static final long PATIENCE = 60_000_000_000L;

    private static final int WORD = Long.BYTES;

    private static final int NOBODY = -1;

    /**
     * What is run.
     *
     * @param protocol the lock
     * @param clients number of clients
     * @param locks number of locks
     * @param rounds how often each client acquires a lock
     * @param readShare share of acquisitions for reading; of no effect for a lock without readers
     * @param operationsInside remote operations while a lock is held
     * @param oneWay shortest time that a verb or message travels, in nanoseconds
     * @param jitter mean of what is added to that
     * @param deaths how many clients die, each while it holds a lock, waits for it or releases it
     */
    public record Setting(
            LockProtocol protocol,
            int clients,
            int locks,
            int rounds,
            double readShare,
            int operationsInside,
            long oneWay,
            long jitter,
            int deaths) {}

    /**
     * What was counted.
     *
     * @param acquisitions number of acquisitions
     * @param acquireVerbs verbs of acquiring
     * @param releaseVerbs verbs of releasing
     * @param resetVerbs verbs of taking away what a client does not give back, and of beginning anew
     * @param messages messages between clients
     * @param nanos virtual time that all of it took
     * @param hash hash of all events
     */
    public record Result(
            long acquisitions,
            long acquireVerbs,
            long releaseVerbs,
            long resetVerbs,
            long messages,
            long nanos,
            long hash) {
        /** Returns verbs of acquiring per acquisition. */
        public double acquireVerbsEach() {
            return (double) acquireVerbs / acquisitions;
        }
    }

    private final Setting setting;
    private final SimulatedWorld world;
    private final SimulatedNic nic;
    private final long[] memory;
    private final List<Worker> workers = new ArrayList<>();
    private final Map<Long, Holders> holders = new HashMap<>();
    private final OrderChecker order;

    private long acquisitions;
    private long acquireVerbs;
    private long releaseVerbs;
    private long resetVerbs;
    private long messages;
    private int finished;

    private ProtocolSimulation(long seed, Setting setting, SimulatedNic nic) {
        this.setting = setting;
        this.world = new SimulatedWorld(seed, new Trace(0));
        this.nic = nic;
        this.order = new OrderChecker(setting.protocol().order());
        this.memory = new long[setting.locks() * setting.protocol().words()];
    }

    /**
     * Runs a setting to its end.
     *
     * @throws Violation if a property does not hold
     */
    public static Result run(long seed, Setting setting) {
        return new ProtocolSimulation(seed, setting, new SimulatedNic(0, 0)).run();
    }

    /** As above, with the adapter of the paper's memory node. */
    static Result onPapersAdapter(long seed, Setting setting) {
        return new ProtocolSimulation(seed, setting, PaperExperiment.nic()).run();
    }

    private Result run() {
        for (int i = 0; i < setting.clients(); i++) {
            workers.add(new Worker(i));
        }
        workers.forEach(worker -> world.after(world.below(setting.oneWay()), worker.place, worker::next));
        for (int i = 0; i < setting.deaths(); i++) {
            Worker worker = workers.get(i);
            world.after(world.below(deathsUntil()), null, worker::die);
        }
        boolean more = true;
        while (more) {
            more = world.step(PATIENCE);
        }
        if (finished < setting.clients()) {
            throw new Violation("progress", setting.clients() - finished + " clients wait for ever");
        }
        if (setting.protocol().isZeroWhenUnused()) {
            checkAtRest();
        }
        return new Result(
                acquisitions,
                acquireVerbs,
                releaseVerbs,
                resetVerbs,
                messages,
                world.now(),
                world.trace().hash());
    }

    private void checkAtRest() {
        for (int i = 0; i < memory.length; i++) {
            if (memory[i] != 0) {
                throw new Violation("at rest", "word " + i + " is " + Long.toHexString(memory[i]));
            }
        }
    }

    /** Roughly as long as the clients are at work if nobody dies. */
    private long deathsUntil() {
        return 20 * setting.oneWay() * setting.rounds();
    }

    private long travelTime() {
        return setting.oneWay() + world.exponential(setting.jitter());
    }

    // ---------------------------------------------------------------- what is checked

    private static final class Holders {
        private int writer = NOBODY;
        private int readers;
    }

    private void entered(int client, long lock, LockMode mode) {
        Holders now = holders.computeIfAbsent(lock, any -> new Holders());
        if (now.writer != NOBODY || mode == LockMode.WRITE && now.readers > 0) {
            throw new Violation(
                    "exclusion",
                    "client " + client + " has lock " + lock + " to " + mode + " beside writer " + now.writer + " and "
                            + now.readers + " readers");
        }
        if (mode == LockMode.WRITE) {
            now.writer = client;
        } else {
            now.readers++;
        }
        if (setting.deaths() == 0) {
            order.granted(lock, workers.get(client).waiter());
        }
    }

    private void leaves(int client, long lock, LockMode mode) {
        Holders now = Objects.requireNonNull(holders.get(lock));
        if (mode == LockMode.WRITE) {
            if (now.writer != client) {
                throw new Violation("exclusion", "client " + client + " releases lock " + lock + " of " + now.writer);
            }
            now.writer = NOBODY;
        } else {
            now.readers--;
        }
    }

    // ---------------------------------------------------------------- the memory node

    private long[] execute(Worker worker, VerbChain chain, int verb) {
        int word = (int) (chain.address(verb) / WORD);
        long before = memory[word];
        switch (chain.verb(verb)) {
            case FETCH_AND_ADD -> change(worker, word, before + chain.operand(verb));
            case COMPARE_AND_SWAP -> {
                if (before == chain.operand(verb)) {
                    change(worker, word, chain.desired(verb));
                }
            }
            case WRITE -> {
                for (int i = 0; i < chain.words(verb); i++) {
                    change(worker, word + i, chain.writeWord(verb, i));
                }
            }
            case READ -> {
                long[] read = new long[chain.words(verb)];
                System.arraycopy(memory, word, read, 0, read.length);
                return read;
            }
        }
        return new long[] {before};
    }

    private void change(Worker worker, int word, long after) {
        int inLock = word % setting.protocol().words();
        order.changed((long) (word - inLock) * WORD, inLock, memory[word], after, worker.waiter());
        memory[word] = after;
    }

    private static final class Results implements VerbResults {
        private final long[][] words;

        Results(long[][] words) {
            this.words = words;
        }

        @Override
        public long word(int verb, int word) {
            return words[verb][word];
        }
    }

    // ---------------------------------------------------------------- a client

    private final class Worker implements LockWorld {
        private final int number;
        private final LockClient client;
        private final SimulatedWorld.Place place;
        private final long[] lastTo;
        private long lastArrival;
        private long lastAnswer;
        private int roundsLeft = setting.rounds();
        private boolean holds;
        private boolean isAtWork;
        private long lock;
        private LockMode mode = LockMode.WRITE;

        Worker(int number) {
            this.number = number;
            this.client = setting.protocol().client(number, this);
            this.place = new SimulatedWorld.Place("client " + number);
            this.lastTo = new long[setting.clients()];
        }

        OrderChecker.Waiter waiter() {
            return new OrderChecker.Waiter(number, false, mode);
        }

        void next() {
            if (roundsLeft-- == 0) {
                finished++;
                return;
            }
            isAtWork = true;
            lock = world.below(setting.locks()) * setting.protocol().words() * WORD;
            mode = setting.protocol().has(LockMode.READ) && world.chance(setting.readShare())
                    ? LockMode.READ
                    : LockMode.WRITE;
            client.acquire(lock, mode, this::granted);
        }

        private void granted() {
            acquisitions++;
            holds = true;
            entered(number, lock, mode);
            inside(setting.operationsInside());
        }

        private void inside(int left) {
            world.after(2 * setting.oneWay() * left, place, () -> {
                holds = false;
                leaves(number, lock, mode);
                client.release(lock, () -> {
                    isAtWork = false;
                    world.after(travelTime(), place, this::next);
                });
            });
        }

        /** Dies as soon as it is at work with a lock; what it has posted is executed nevertheless. */
        void die() {
            if (roundsLeft <= 0 && !isAtWork) {
                return;
            }
            if (!isAtWork) {
                world.after(setting.oneWay(), null, this::die);
                return;
            }
            place.die();
            finished++;
            if (holds) {
                leaves(number, lock, mode);
            }
        }

        @Override
        public String toString() {
            return place.toString();
        }

        @Override
        public void post(VerbChain chain) {
            switch (chain.purpose()) {
                case RELEASE -> releaseVerbs += chain.size();
                case RESET -> resetVerbs += chain.size();
                default -> acquireVerbs += chain.size();
            }
            lastArrival = Math.max(lastArrival, world.now() + travelTime());
            world.at(lastArrival, null, () -> arrive(chain, 0, new long[chain.size()][]));
        }

        /** The adapter executes one verb after the other. */
        private void arrive(VerbChain chain, int verb, long[][] results) {
            long execution = nic.execution(chain.verb(verb), chain.address(verb), world.now());
            world.at(execution, null, () -> {
                results[verb] = execute(this, chain, verb);
                if (verb + 1 < chain.size()) {
                    arrive(chain, verb + 1, results);
                } else {
                    lastAnswer = Math.max(lastAnswer, world.now() + travelTime());
                    world.at(lastAnswer, place, () -> chain.completed(new Results(results)));
                }
            });
        }

        @Override
        public void send(LockMessage message) {
            messages++;
            int to = message.to();
            lastTo[to] = Math.max(lastTo[to], world.now() + travelTime());
            world.at(
                    lastTo[to],
                    workers.get(to).place,
                    () -> workers.get(to).client.received(message));
        }

        @Override
        public long now() {
            return world.now();
        }

        @Override
        public void after(long nanos, Runnable event) {
            world.after(nanos, place, event);
        }

        @Override
        public long below(long bound) {
            return world.below(bound);
        }
    }
}
