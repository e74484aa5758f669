// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.LockMode;
import io.declock.Verb;
import io.declock.protocols.LockClient;
import io.declock.protocols.LockMessage;
import io.declock.protocols.LockProtocol;
import io.declock.protocols.LockServer;
import io.declock.protocols.LockWorld;
import io.declock.protocols.Waiter;
import io.declock.spi.ExtendedAtomics;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Clients of one lock of the literature in virtual time: each acquires locks, does remote operations inside, and releases them. Checks after each
 * step that the lock excludes and that nobody passes whom it may not pass; in the end that no client waits for ever, and that the lock's words are those
 * of an unused one. Order and words are checked only where no client dies.
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
     * @param messages messages between clients, and to and from the server
     * @param nanos virtual time until the last client was done
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
    /** By lock, those that have arrived and not been granted it, in order. */
    private final Map<Long, List<Arrival>> arrivals = new HashMap<>();

    private final @Nullable Server server;

    private long acquisitions;
    private long acquireVerbs;
    private long releaseVerbs;
    private long resetVerbs;
    private long messages;
    private int finished;
    private long finishedAt;

    private ProtocolSimulation(long seed, Setting setting, SimulatedNic nic) {
        this.setting = setting;
        this.world = new SimulatedWorld(seed, new Trace(0));
        this.nic = nic;
        this.memory = new long[lockWords() + setting.protocol().serverWords()];
        Server beside = new Server();
        this.server = beside.automaton == null ? null : beside;
    }

    private int lockWords() {
        return setting.locks() * setting.protocol().words();
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
        if (setting.deaths() == 0) {
            checkAtRest();
        }
        return new Result(
                acquisitions,
                acquireVerbs,
                releaseVerbs,
                resetVerbs,
                messages,
                finishedAt,
                world.trace().hash());
    }

    private void checkAtRest() {
        int words = setting.protocol().words();
        for (int i = 0; i < lockWords(); i += words) {
            long[] lock = Arrays.copyOfRange(memory, i, i + words);
            if (!setting.protocol().isUnused(lock)) {
                throw new Violation(
                        "at rest",
                        "lock " + i * WORD + " is "
                                + Arrays.stream(lock)
                                        .mapToObj(Long::toHexString)
                                        .toList());
            }
        }
    }

    /** Roughly as long as the clients are at work if nobody dies. */
    private long deathsUntil() {
        return (20 + 2L * setting.operationsInside()) * setting.oneWay() * setting.rounds();
    }

    private long travelTime() {
        return setting.oneWay() + world.exponential(setting.jitter());
    }

    // ---------------------------------------------------------------- what is checked

    private static final class Holders {
        private int writer = NOBODY;
        private int readers;
        /** Writers that hold the lock or have not ended its release. */
        private int writersAtWork;
        /** Writers that were granted the lock. */
        private int writers;
    }

    /** One that has arrived and not been granted the lock. */
    private record Arrival(Worker worker, boolean besideWriter, int writersBefore) {
        Waiter seenWith(Holders now) {
            return new Waiter(worker.mode, besideWriter, now.writers - writersBefore);
        }
    }

    private Holders holdersOf(long lock) {
        return holders.computeIfAbsent(lock, any -> new Holders());
    }

    private void arrived(Worker worker, long lock) {
        Holders now = holdersOf(lock);
        arrivals.computeIfAbsent(lock, any -> new ArrayList<>())
                .add(new Arrival(worker, now.writersAtWork > 0, now.writers));
    }

    private void entered(int client, long lock, LockMode mode) {
        Holders now = holdersOf(lock);
        if (now.writer != NOBODY || mode == LockMode.WRITE && now.readers > 0) {
            throw new Violation(
                    "exclusion",
                    "client " + client + " has lock " + lock + " to " + mode + " beside writer " + now.writer + " and "
                            + now.readers + " readers");
        }
        if (setting.deaths() == 0) {
            checkOrder(workers.get(client), lock, now);
        }
        if (mode == LockMode.WRITE) {
            now.writer = client;
            now.writers++;
            now.writersAtWork++;
        } else {
            now.readers++;
        }
    }

    /** One that was granted the lock without an arrival must be allowed to pass all that wait. */
    private void checkOrder(Worker granted, long lock, Holders now) {
        List<Arrival> waiting = arrivals.getOrDefault(lock, List.of());
        int place = 0;
        while (place < waiting.size() && waiting.get(place).worker != granted) {
            place++;
        }
        Waiter self = place < waiting.size() ? waiting.get(place).seenWith(now) : new Waiter(granted.mode, false, 0);
        for (int i = 0; i < place; i++) {
            if (!setting.protocol().mayPass(self, waiting.get(i).seenWith(now))) {
                throw new Violation(
                        "order",
                        granted + " has lock " + lock + " to " + granted.mode + " before " + waiting.get(i).worker
                                + ", which came earlier");
            }
        }
        if (place < waiting.size()) {
            waiting.remove(place);
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

    private long[] execute(Party party, VerbChain chain, int verb) {
        int word = (int) (chain.address(verb) / WORD);
        long before = memory[word];
        switch (chain.verb(verb)) {
            case FETCH_AND_ADD -> memory[word] += chain.operand(verb);
            case COMPARE_AND_SWAP -> {
                if (before == chain.operand(verb)) {
                    memory[word] = chain.desired(verb);
                }
            }
            case WRITE -> {
                for (int i = 0; i < chain.words(verb); i++) {
                    memory[word + i] = chain.writeWord(verb, i);
                }
            }
            case READ -> {
                long[] read = new long[chain.words(verb)];
                System.arraycopy(memory, word, read, 0, read.length);
                return read;
            }
            case MASKED_COMPARE_AND_SWAP, MASKED_FETCH_AND_ADD -> {
                return executeExtended(party, chain, verb, word);
            }
        }
        notice(party, word, before);
        return new long[] {before};
    }

    private long[] executeExtended(Party party, VerbChain chain, int verb, int word) {
        Verb kind = chain.verb(verb);
        long[] before = {memory[word], memory[word + 1]};
        IntToLongFunction operands = w -> chain.writeWord(verb, w);
        if (ExtendedAtomics.matches(kind, operands, before[0], before[1])) {
            memory[word] = ExtendedAtomics.changed(kind, operands, 0, before[0]);
            memory[word + 1] = ExtendedAtomics.changed(kind, operands, 1, before[1]);
        }
        notice(party, word, before[0]);
        return before;
    }

    /** Sees whether a client has arrived at a lock by a change that it has made. */
    private void notice(Party party, int word, long before) {
        if (party instanceof Worker worker
                && word % setting.protocol().words() == 0
                && word < lockWords()
                && setting.protocol().arrives(before, memory[word])) {
            arrived(worker, (long) word * WORD);
        }
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

    // ---------------------------------------------------------------- clients and the server

    /** One that posts verbs and sends messages. */
    private abstract class Party implements LockWorld {
        private final int number;
        final SimulatedWorld.Place place;
        private final long distance;
        /** When the last message to each other one arrives; the server's is the last. */
        private final long[] lastTo = new long[setting.clients() + 1];

        private long lastArrival;
        private long lastAnswer;

        /** Makes one whose verbs take at least that long in each direction. */
        Party(int number, String name, long distance) {
            this.number = number;
            this.place = new SimulatedWorld.Place(name);
            this.distance = distance;
        }

        abstract void received(LockMessage message);

        @Override
        public final String toString() {
            return place.toString();
        }

        private long verbTime() {
            return distance + world.exponential(setting.jitter());
        }

        @Override
        public final void post(VerbChain chain) {
            switch (chain.purpose()) {
                case RELEASE -> releaseVerbs += chain.size();
                case RESET -> resetVerbs += chain.size();
                default -> acquireVerbs += chain.size();
            }
            long[] arrivals = new long[chain.size()];
            for (int i = 0; i < arrivals.length; i++) {
                lastArrival = i == 0
                        ? Math.max(lastArrival, world.now() + verbTime())
                        : lastArrival + world.exponential(setting.jitter() / 2);
                arrivals[i] = lastArrival;
            }
            arriveLater(chain, 0, arrivals, new long[chain.size()][]);
        }

        private void arriveLater(VerbChain chain, int verb, long[] arrivals, long[][] results) {
            world.at(arrivals[verb], null, () -> arrive(chain, verb, arrivals, results));
        }

        /** The adapter executes one verb after the other; those of others may come between. */
        private void arrive(VerbChain chain, int verb, long[] arrivals, long[][] results) {
            long execution = nic.execution(chain.verb(verb), chain.address(verb), world.now());
            world.at(execution, null, () -> {
                results[verb] = execute(this, chain, verb);
                if (verb + 1 < chain.size()) {
                    arriveLater(chain, verb + 1, arrivals, results);
                } else {
                    lastAnswer = Math.max(lastAnswer, world.now() + verbTime());
                    world.at(lastAnswer, place, () -> chain.completed(new Results(results)));
                }
            });
        }

        @Override
        public final long serverAddress() {
            return (long) lockWords() * WORD;
        }

        @Override
        public final void send(LockMessage message) {
            if (message.from() != number) {
                throw new IllegalArgumentException(this + " does not send " + message);
            }
            messages++;
            Party to = message.to() == LockProtocol.SERVER
                    ? Objects.requireNonNull(server, "no server")
                    : workers.get(message.to());
            int index = message.to() == LockProtocol.SERVER ? setting.clients() : message.to();
            lastTo[index] = Math.max(lastTo[index], world.now() + travelTime());
            world.at(lastTo[index], to.place, () -> to.received(message));
        }

        @Override
        public final long now() {
            return world.now();
        }

        @Override
        public final void after(long nanos, Runnable event) {
            world.after(nanos, place, event);
        }

        @Override
        public final long below(long bound) {
            return world.below(bound);
        }
    }

    /** The lock's part beside the memory node: its verbs have no way to go. */
    private final class Server extends Party {
        private final @Nullable LockServer automaton;

        Server() {
            super(LockProtocol.SERVER, "server", 0);
            this.automaton = setting.protocol().server(this);
        }

        @Override
        void received(LockMessage message) {
            Objects.requireNonNull(automaton).received(message);
        }
    }

    private final class Worker extends Party {
        private final int number;
        private final LockClient client;
        private int roundsLeft = setting.rounds();
        private boolean holds;
        private boolean isAtWork;
        private long lock;
        private LockMode mode = LockMode.WRITE;

        Worker(int number) {
            super(number, "client " + number, setting.oneWay());
            this.number = number;
            this.client = setting.protocol().client(number, this);
        }

        void next() {
            if (roundsLeft-- == 0) {
                finish();
                return;
            }
            isAtWork = true;
            lock = world.below(setting.locks()) * setting.protocol().words() * WORD;
            mode = setting.protocol().has(LockMode.READ) && world.chance(setting.readShare())
                    ? LockMode.READ
                    : LockMode.WRITE;
            client.acquire(lock, mode, this::granted);
        }

        private void finish() {
            finished++;
            finishedAt = world.now();
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
                client.release(lock, this::released);
            });
        }

        private void released() {
            isAtWork = false;
            if (mode == LockMode.WRITE) {
                holdersOf(lock).writersAtWork--;
            }
            world.after(travelTime(), place, this::next);
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
            finish();
            if (holds) {
                leaves(number, lock, mode);
            }
        }

        @Override
        void received(LockMessage message) {
            client.received(message);
        }
    }
}
