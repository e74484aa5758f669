// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.LockMode;
import io.declock.protocols.LockClient;
import io.declock.protocols.LockMessage;
import io.declock.protocols.LockProtocol;
import io.declock.spi.VerbChain;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

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
     * @param lapses how holds lapse although nobody dies
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
            double localShare,
            Lapses lapses) {
        /**
         * How holds lapse although nobody dies.
         *
         * @param abandoned share of holds that are left behind
         * @param overrun share of holds that last for so long that their lease ends
         * @param leases for up to how many leases a client asks; each holds its lock for nearly as many
         * @param leaseNanos how long a lease is
         */
        public record Lapses(double abandoned, double overrun, int leases, long leaseNanos) {
            /** None. */
            public static final Lapses NONE = new Lapses(0, 0, 1, 0);
        }

        /** Makes a setting in which no hold lapses. */
        public Setting(
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
            this(
                    protocol,
                    clients,
                    locks,
                    rounds,
                    readShare,
                    operationsInside,
                    oneWay,
                    jitter,
                    deaths,
                    localShare,
                    Lapses.NONE);
        }

        /** Makes a setting in which all clients are remote and no hold lapses. */
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
                    protocol,
                    clients,
                    locks,
                    rounds,
                    readShare,
                    operationsInside,
                    oneWay,
                    jitter,
                    deaths,
                    share,
                    lapses);
        }

        Setting withLapses(Lapses some) {
            return new Setting(
                    protocol,
                    clients,
                    locks,
                    rounds,
                    readShare,
                    operationsInside,
                    oneWay,
                    jitter,
                    deaths,
                    localShare,
                    some);
        }

        /** Returns whether a client may come again after its turn was taken away, and words may not be those of an unused lock in the end. */
        boolean mayLapse() {
            return deaths > 0 || lapses.abandoned > 0 || lapses.overrun > 0;
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
    private final SimulatedMemory memory;
    private final List<Worker> workers = new ArrayList<>();
    private final LockParties parties;
    private final HoldersChecker holders = new HoldersChecker();
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
        this.order = new OrderChecker(setting.protocol().order());
        this.memory = new SimulatedMemory(lockWords() + setting.protocol().serverWords());
        this.parties = new LockParties(new LockParties.Shared(
                world,
                setting.protocol(),
                memory,
                nic,
                new Ways(setting.oneWay(), setting.oneWay(), setting.jitter(), 0),
                setting.locks(),
                setting.clients(),
                untilWritten(),
                setting.jitter() / 2,
                new Observer()));
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
        return new ProtocolSimulation(seed, setting, SimulatedNic.infinitelyFast()).run();
    }

    /** As above, with the adapter of the paper's memory node. */
    public static Result onPapersAdapter(long seed, Setting setting) {
        return new ProtocolSimulation(seed, setting, new SimulatedNic(PaperExperiment.MODEL.memoryNode())).run();
    }

    private Result run() {
        for (int i = 0; i < setting.clients(); i++) {
            Worker worker = new Worker(i, i >= setting.clients() - setting.localClients());
            parties.add(worker);
            workers.add(worker);
        }
        workers.forEach(worker -> world.after(world.below(setting.oneWay()), worker.place(), worker::next));
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
        if (!setting.mayLapse()) {
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

    private void entered(int client, long lock, LockMode mode) {
        holders.entered(
                client, lock, mode, world.now(), workers.get(client).client.heldUntil(lock));
        if (!setting.mayLapse()) {
            order.granted(lock, workers.get(client).waiter());
        }
    }

    private final class Observer implements LockParties.Observer {
        @Override
        public void posted(LockParties.Party by, VerbChain chain) {
            switch (chain.purpose()) {
                case RELEASE -> releaseVerbs += chain.size();
                case RESET -> resetVerbs += chain.size();
                default -> acquireVerbs += chain.size();
            }
        }

        @Override
        public void sent(LockParties.Party by) {
            messages++;
        }

        @Override
        public void local(int operations) {
            localOperations += operations;
        }

        @Override
        public void changed(LockParties.Party by, long word, long before, long after) {
            int inLock = (int) (word % setting.protocol().words());
            if (by instanceof Worker worker && word < lockWords()) {
                order.changed((word - inLock) * WORD, inLock, before, after, worker.waiter());
            }
        }

        @Override
        public void toServer(LockMessage message) {
            order.received(message, workers.get(message.from()).waiter());
        }
    }

    /** Nobody sees that an atomic is written late if nobody is local. */
    private long untilWritten() {
        return setting.localClients() == 0 ? 0 : ATOMIC_NANOS;
    }

    // ---------------------------------------------------------------- clients

    private final class Worker extends LockParties.Party {
        private final int number;
        private final boolean local;
        private final LockClient client;
        private int roundsLeft = setting.rounds();
        private boolean holds;
        private boolean isAtWork;
        private long lock;
        private LockMode mode = LockMode.WRITE;
        private int leases;

        Worker(int number, boolean local) {
            super(
                    parties,
                    number,
                    "client " + number,
                    local,
                    SimulatedCore.infinitelyFast(),
                    SimulatedNic.infinitelyFast());
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
            leases = setting.lapses().leases() == 1
                    ? 1
                    : 1 + (int) world.below(setting.lapses().leases());
            client.acquire(lock, mode, leases, this::granted);
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
            world.after(2 * setting.oneWay() * left + extraNanos(), place(), () -> {
                holds = false;
                data.leaves(lock, mode, client.guarded(lock));
                holders.leaves(number, lock, mode, client.heldUntil(lock) <= world.now());
                if (world.chance(setting.lapses().abandoned())) {
                    client.abandon(lock);
                    released();
                } else {
                    client.release(lock, this::released);
                }
            });
        }

        /** Nearly as long as the lease is, or longer. */
        private long extraNanos() {
            Setting.Lapses lapses = setting.lapses();
            if (lapses.leaseNanos() == 0) {
                return 0;
            }
            long lease = leases * lapses.leaseNanos();
            return world.chance(lapses.overrun()) ? lease + world.below(3 * lease) : world.below(lease * 3 / 4);
        }

        private void released() {
            isAtWork = false;
            order.released(lock, waiter());
            world.after(travelTime(), place(), this::next);
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
            place().die();
            finish();
            if (holds) {
                holders.leaves(number, lock, mode, client.heldUntil(lock) <= world.now());
            }
        }

        @Override
        void received(LockMessage message) {
            client.received(message);
        }
    }
}
