// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.LockMode;
import io.declock.protocols.LockClient;
import io.declock.protocols.LockMessage;
import io.declock.protocols.LockProtocol;
import io.declock.protocols.LockServer;
import io.declock.protocols.LockWorld;
import io.declock.spi.VerbChain;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Clients of one lock of the literature in virtual time: each acquires locks, does remote operations inside, and releases them. Checks after each
 * step that the lock excludes, that it grants in the order that it promises (unless clients die), and that a holder sees what the last writer has left in the words that travel
 * with the lock; in the end that no client waits for ever.
 */
public final class ProtocolSimulation {
    /** More virtual time than any run needs. */
    private static final long PATIENCE = 60_000_000_000L;

    private static final int WORD = Long.BYTES;

    /** How long after its execution an atomic of the adapter is written: as long as a write to memory over PCIe takes. */
    private static final long ATOMIC_NANOS = 500;

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
     * @param localShare share of clients that live with the memory node, rounded down
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
            int deaths,
            double localShare) {
        /** Makes a setting in which all clients are remote. */
        public Setting(
                LockProtocol protocol,
                int clients,
                int locks,
                int rounds,
                double readShare,
                int operationsInside,
                long oneWay,
                long jitter,
                int deaths) {
            this(protocol, clients, locks, rounds, readShare, operationsInside, oneWay, jitter, deaths, 0);
        }

        int localClients() {
            return (int) (clients * localShare);
        }

        Setting withLocalShare(double share) {
            return new Setting(
                    protocol, clients, locks, rounds, readShare, operationsInside, oneWay, jitter, deaths, share);
        }
    }

    /**
     * What was counted.
     *
     * @param acquisitions number of acquisitions
     * @param acquireVerbs verbs of acquiring
     * @param releaseVerbs verbs of releasing
     * @param resetVerbs verbs of taking away what a client does not give back, and of beginning anew
     * @param messages messages between clients, and to and from the server, that travel
     * @param localOperations operations of the processor, of which a message between two local clients is one
     * @param nanos virtual time until the last client was done
     * @param hash hash of all events
     */
    public record Result(
            long acquisitions,
            long acquireVerbs,
            long releaseVerbs,
            long resetVerbs,
            long messages,
            long localOperations,
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
    private final SimulatedMemory memory;
    private final List<Worker> workers = new ArrayList<>();
    private final Server server;
    private final Map<Long, Holders> holders = new HashMap<>();
    private final OrderChecker order;
    private final DataChecker data = new DataChecker();

    private long acquisitions;
    private long acquireVerbs;
    private long releaseVerbs;
    private long resetVerbs;
    private long messages;
    private long localOperations;
    private int finished;
    private long finishedAt;

    private ProtocolSimulation(long seed, Setting setting, SimulatedNic nic) {
        this.setting = setting;
        this.world = new SimulatedWorld(seed, new Trace(0));
        this.nic = nic;
        this.order = new OrderChecker(setting.protocol().order());
        this.memory = new SimulatedMemory(lockWords() + setting.protocol().serverWords());
        this.server = new Server();
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
    public static Result onPapersAdapter(long seed, Setting setting) {
        return new ProtocolSimulation(seed, setting, PaperExperiment.nic()).run();
    }

    private Result run() {
        for (int i = 0; i < setting.clients(); i++) {
            workers.add(new Worker(i, i >= setting.clients() - setting.localClients()));
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
                localOperations,
                finishedAt,
                world.trace().hash());
    }

    private void checkAtRest() {
        long[] all = memory.words();
        int words = setting.protocol().words();
        for (int i = 0; i < lockWords(); i += words) {
            long[] lock = Arrays.copyOfRange(all, i, i + words);
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

    private void changed(Party by, int word, long before, long after) {
        int inLock = word % setting.protocol().words();
        if (by instanceof Worker worker && word < lockWords()) {
            order.changed((long) (word - inLock) * WORD, inLock, before, after, worker.waiter());
        }
    }

    /** Nobody sees that an atomic is written late if nobody is local. */
    private long untilWritten() {
        return setting.localClients() == 0 ? 0 : ATOMIC_NANOS;
    }

    // ---------------------------------------------------------------- clients and the server

    /** One that posts verbs and sends messages. */
    private abstract class Party implements LockWorld {
        final SimulatedWorld.Place place;
        private final int number;
        private final boolean local;
        private final long distance;
        private final MemoryAccess access;
        /** When the last message to each client arrives, and to the server, which is the last. */
        private final long[] lastTo = new long[setting.clients() + 1];

        private long lastArrival;
        private long lastAnswer;

        /**
         * Makes one.
         *
         * @param local whether it lives with the memory node
         * @param distance how long its verbs travel at least, in each direction
         */
        Party(int number, String name, boolean local, long distance) {
            this.number = number;
            this.place = new SimulatedWorld.Place(name);
            this.local = local;
            this.distance = distance;
            this.access = new MemoryAccess(
                    world,
                    nic,
                    memory,
                    untilWritten(),
                    setting.jitter() / 2,
                    (word, before, after) -> changed(this, word, before, after));
        }

        abstract void received(LockMessage message);

        @Override
        public final String toString() {
            return place.toString();
        }

        @Override
        public final void post(VerbChain chain) {
            switch (chain.purpose()) {
                case RELEASE -> releaseVerbs += chain.size();
                case RESET -> resetVerbs += chain.size();
                default -> acquireVerbs += chain.size();
            }
            lastArrival = Math.max(lastArrival, world.now() + verbTime());
            world.at(
                    lastArrival,
                    null,
                    () -> access.arrive(chain, results -> {
                        lastAnswer = Math.max(lastAnswer, world.now() + verbTime());
                        world.at(lastAnswer, place, () -> chain.completed(results));
                    }));
        }

        private long verbTime() {
            return distance + world.exponential(setting.jitter());
        }

        @Override
        public final long serverAddress() {
            return (long) lockWords() * WORD;
        }

        @Override
        public final boolean isLocal() {
            return local;
        }

        @Override
        public final void postLocal(VerbChain chain) {
            if (!local) {
                throw new UnsupportedOperationException(this + " does not live with the memory node");
            }
            localOperations += chain.size();
            access.executeLocally(place, chain);
        }

        @Override
        public final void send(LockMessage message) {
            if (message.from() != number) {
                throw new IllegalArgumentException(this + " does not send " + message);
            }
            boolean toServer = message.to() == LockProtocol.SERVER;
            Party to = toServer ? server : workers.get(message.to());
            int index = toServer ? setting.clients() : message.to();
            boolean travels = !local || !to.local;
            if (travels) {
                messages++;
            } else {
                localOperations++;
            }
            lastTo[index] =
                    Math.max(lastTo[index], world.now() + (travels ? travelTime() : MemoryAccess.localTime(world)));
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

    /** The lock's part beside the memory node: its verbs have a short way. */
    private final class Server extends Party {
        private final @Nullable LockServer automaton;

        Server() {
            super(LockProtocol.SERVER, "server", false, 0);
            this.automaton = setting.protocol().server(this);
        }

        @Override
        void received(LockMessage message) {
            order.received(message, workers.get(message.from()).waiter());
            Objects.requireNonNull(automaton, "no server").received(message);
        }
    }

    private final class Worker extends Party {
        private final int number;
        private final boolean local;
        private final LockClient client;
        private int roundsLeft = setting.rounds();
        private boolean holds;
        private boolean isAtWork;
        private long lock;
        private LockMode mode = LockMode.WRITE;

        Worker(int number, boolean local) {
            super(number, "client " + number, local, setting.oneWay());
            this.number = number;
            this.local = local;
            this.client = setting.protocol().client(number, this);
        }

        OrderChecker.Waiter waiter() {
            return new OrderChecker.Waiter(number, local, mode);
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
            data.entered(lock, mode, client.guarded(lock));
            inside(setting.operationsInside());
        }

        private void inside(int left) {
            world.after(2 * setting.oneWay() * left, place, () -> {
                holds = false;
                data.leaves(lock, mode, client.guarded(lock));
                leaves(number, lock, mode);
                client.release(lock, this::released);
            });
        }

        private void released() {
            isAtWork = false;
            order.released(lock, waiter());
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
