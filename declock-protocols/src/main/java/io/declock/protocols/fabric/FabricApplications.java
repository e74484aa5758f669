// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.fabric;

import io.declock.DistributedReadWriteLock;
import io.declock.LockMode;
import io.declock.MemoryNodeAddress;
import io.declock.protocols.LockProtocol;
import io.declock.protocols.application.Application;
import io.declock.protocols.application.ApplicationClient;
import io.declock.protocols.application.ApplicationWorld;
import io.declock.spi.Fabric;
import io.declock.spi.VerbChain;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One process's clients of an application at a memory node, on a session of any fabric, over a lock of the literature or over DecLock. All processes at the memory node run the same application, with
 * room for the same number of locks and words. Data and locks are in records of names that nobody else may use. Thread-safe.
 */
public final class FabricApplications implements AutoCloseable {
    /**
     * What a process joins with.
     *
     * @param name the process's name at the memory node
     * @param lease the session's lease
     * @param firstClient number of the process's first client; numbers of other processes' clients are others
     * @param clients number of clients; at most {@link FabricClients#MOST} over a lock of the literature
     */
    public record Participant(String name, Duration lease, int firstClient, int clients) {}

    /** Learns that operations have ended. Called by threads of the fabric. */
    @FunctionalInterface
    public interface Operations {
        /**
         * An operation has ended.
         *
         * @param client number of the client
         * @param kind its kind, as the application says
         * @param nanos how long it took
         */
        void ended(int client, int kind, long nanos);
    }

    private final Application application;
    private final Participant process;
    private final FabricLink link;
    private final Locks locks;
    private final DataBlocks blocks;
    private final DataAccess data;
    private final CompletableFuture<Void> idle = new CompletableFuture<>();
    /** What clients wait for, and are told later. */
    private final AtomicLong awaited = new AtomicLong();

    private volatile boolean stopped;

    private FabricApplications(Application application, Participant process, FabricLink link, Locks locks) {
        this.application = application;
        this.process = process;
        this.link = link;
        this.locks = locks;
        this.blocks = DataBlocks.find(link, application.words());
        this.data = new DataAccess(link, blocks);
    }

    /** Joins a memory node, with a lock of the literature for each lock of the application. */
    public static FabricApplications join(
            LockProtocol protocol,
            Application application,
            Fabric fabric,
            MemoryNodeAddress address,
            Participant process) {
        FabricClients clients =
                FabricClients.join(protocol, fabric, address, process.name(), process.lease(), process.clients());
        return new FabricApplications(
                application, process, clients.link(), new LiteratureLocks(clients, application.locks()));
    }

    /**
     * Joins a memory node, with a lock of DecLock for each lock of the application. The data has a session of its own.
     *
     * @param locks DecLock, open; it stays open
     */
    public static FabricApplications join(
            DistributedReadWriteLock locks,
            Application application,
            Fabric fabric,
            MemoryNodeAddress address,
            Participant process) {
        FabricLink link = FabricLink.join(fabric, address, process.name(), process.lease(), new CompletableFuture<>());
        return new FabricApplications(application, process, link, new DecLockLocks(locks, link, process.clients()));
    }

    /** Writes all data as it is at first. One process does it before any client begins. */
    public void load() {
        data.clear(application.words());
        application.load(data::write);
        data.flush();
    }

    /**
     * Returns words of the data as they are; while clients are at work, they may be torn.
     *
     * @param word number of the first word
     * @param count how many words
     */
    public long[] read(long word, int count) {
        return data.read(word, count);
    }

    /** Lets all clients begin. Called once. */
    public void start(Operations operations) {
        Client[] clients = new Client[process.clients()];
        awaited.getAndIncrement();
        for (int i = 0; i < clients.length; i++) {
            clients[i] = new Client(i, operations);
            clients[i].tell(clients[i].automaton::start);
        }
        told();
    }

    /** Lets each client end after its present operation. */
    public void stop() {
        stopped = true;
    }

    /**
     * Waits until no client has anything to do any more.
     *
     * @throws java.util.concurrent.CompletionException if a client has failed, or the session has ended
     */
    public void await() {
        link.await(idle);
    }

    private void told() {
        if (awaited.decrementAndGet() == 0) {
            idle.complete(null);
        }
    }

    /** A client and what it has around it. */
    private final class Client implements ApplicationWorld {
        private final int index;
        private final Operations operations;
        private final Turns turns;
        private final Relay relay;
        private final ApplicationClient automaton;
        /** Another client that uses locks together with this one may look at it. */
        private volatile boolean ended;

        Client(int index, Operations operations) {
            this.index = index;
            this.operations = operations;
            this.turns = locks.turns(index);
            this.relay = new Relay(link.session().memory(), blocks, this::answered, link::fail);
            this.automaton = application.client(process.firstClient() + index, this);
        }

        /** Tells the client something in its turn. */
        void tell(Runnable event) {
            turns.run(counted(event));
        }

        /** Counts what the client is told later. */
        private Runnable counted(Runnable event) {
            awaited.getAndIncrement();
            return () -> {
                event.run();
                told();
            };
        }

        @Override
        public void acquire(int lock, LockMode mode, Runnable granted) {
            acquire(lock, mode, 1, granted);
        }

        @Override
        public void acquire(int lock, LockMode mode, int leases, Runnable granted) {
            if (!ended) {
                locks.acquire(index, lock, mode, leases, counted(granted));
            }
        }

        @Override
        public long heldUntil(int lock) {
            return locks.heldUntil(index, lock);
        }

        @Override
        public int turnsLost(int lock) {
            return locks.turnsLost(index, lock);
        }

        @Override
        public void abandon(int lock) {
            locks.abandon(index, lock);
        }

        @Override
        public void release(int lock, Runnable released) {
            locks.release(index, lock, counted(released));
        }

        @Override
        public long address(long word) {
            return word * Long.BYTES;
        }

        @Override
        public void post(VerbChain chain) {
            if (!ended) {
                awaited.getAndIncrement();
                relay.post(chain);
            }
        }

        /** Tells the client of a chain, which is counted already. */
        private void answered(Runnable event) {
            turns.run(() -> {
                event.run();
                told();
            });
        }

        @Override
        public long now() {
            return System.nanoTime();
        }

        @Override
        public void after(long nanos, Runnable event) {
            if (!ended) {
                Runnable counted = counted(event);
                link.after(nanos, () -> turns.run(counted));
            }
        }

        @Override
        public long below(long bound) {
            return FabricLink.below(bound);
        }

        @Override
        public void done(int kind, long since) {
            operations.ended(process.firstClient() + index, kind, now() - since);
            ended = stopped;
        }

        @Override
        public void aborted() {
            ended = stopped;
        }
    }

    @Override
    public void close() {
        locks.close();
    }
}
