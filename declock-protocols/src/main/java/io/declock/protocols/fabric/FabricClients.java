// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.fabric;

import io.declock.LockMode;
import io.declock.MemoryNodeAddress;
import io.declock.protocols.LockClient;
import io.declock.protocols.LockMessage;
import io.declock.protocols.LockProtocol;
import io.declock.protocols.LockServer;
import io.declock.protocols.LockWorld;
import io.declock.spi.Fabric;
import io.declock.spi.PeerMessage;
import io.declock.spi.VerbChain;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The clients of one process for a lock of the literature, on a session of a fabric. A lock's words are in the queue of the record of its name, which DecLock
 * must not use then. All processes at a memory node use the same protocol, and the one with the lowest node id runs the lock's server, so that one must
 * not leave before the others. Nothing here mends what a broken connection loses. Thread-safe.
 */
public final class FabricClients implements AutoCloseable {
    /** Most clients of one process: numbers of clients are below {@link LockProtocol#MOST_CLIENTS}. */
    public static final int MOST = 16;

    private static final String SERVER_NAME = "\u0001server";

    private final LockProtocol protocol;
    private final FabricLink link;
    private final LockMessages messages;
    private final List<Client> clients = new ArrayList<>();
    private final long serverAddress;
    private final Server server;

    private FabricClients(LockProtocol protocol, FabricLink link, int count) {
        this.protocol = protocol;
        this.link = link;
        this.messages = new LockMessages(link, this::deliver);
        if (protocol.words() > link.recordWords()) {
            throw new IllegalArgumentException(
                    protocol.name() + " needs " + protocol.words() + " words, and a record has " + link.recordWords());
        }
        this.serverAddress = protocol.serverWords() == 0
                ? 0
                : link.find(SERVER_NAME, protocol.serverWords()).join();
        this.server = new Server();
        for (int i = 0; i < count; i++) {
            clients.add(new Client(link.joined().nodeId() * MOST + i));
        }
    }

    /**
     * Joins a memory node.
     *
     * @param count number of clients, at most {@link #MOST}
     */
    public static FabricClients join(
            LockProtocol protocol, Fabric fabric, MemoryNodeAddress address, String name, Duration lease, int count) {
        if (count < 1 || count > MOST) {
            throw new IllegalArgumentException(count + " clients, allowed are 1 to " + MOST);
        }
        CompletableFuture<Consumer<PeerMessage>> received = new CompletableFuture<>();
        FabricLink link = FabricLink.join(fabric, address, name, lease, received);
        FabricClients made = new FabricClients(protocol, link, count);
        received.complete(made.messages::received);
        return made;
    }

    FabricLink link() {
        return link;
    }

    // ---------------------------------------------------------------- locks

    /**
     * Waits for a lock.
     *
     * @param client index of the client, which has no other request under way
     */
    public void lock(int client, String name, LockMode mode) {
        CompletableFuture<Long> address = find(name);
        link.await(address);
        clients.get(client).lock(address.join(), mode);
    }

    /** Releases a lock of a client. */
    public void unlock(int client, String name) {
        clients.get(client).unlock(find(name).join());
    }

    /** Finds the words of a lock. */
    CompletableFuture<Long> find(String name) {
        return link.find(name, protocol.words());
    }

    /** Returns what runs what a client is told. */
    Turns turns(int client) {
        return clients.get(client).turns;
    }

    /** Asks for a lock that was {@linkplain #find found}, in the client's turn. */
    void acquire(int client, long lock, LockMode mode, int leases, Runnable granted) {
        clients.get(client).acquire(lock, mode, leases, granted);
    }

    /** Returns the automaton of a client, to be called in its turn. */
    LockClient automaton(int client) {
        return clients.get(client).automaton;
    }

    /** Gives a lock back, in the client's turn. */
    void release(int client, long lock, Runnable released) {
        Client holder = clients.get(client);
        holder.turns.run(() -> holder.automaton.release(lock, released));
    }

    // ---------------------------------------------------------------- clients and the server

    /** What a client or the server has around it. */
    private abstract class Party implements LockWorld {
        final Turns turns = new Turns(link::fail);
        private final Relay relay = new Relay(link.session().memory(), Placement.AS_IS, turns::run, link::fail);
        private final int number;

        Party(int number) {
            this.number = number;
        }

        abstract void received(LockMessage message);

        @Override
        public final void post(VerbChain chain) {
            relay.post(chain);
        }

        @Override
        public final long serverAddress() {
            return serverAddress;
        }

        @Override
        public final void send(LockMessage message) {
            if (message.from() != number) {
                throw new IllegalArgumentException(number + " does not send " + message);
            }
            messages.send(message);
        }

        @Override
        public final long now() {
            return System.nanoTime();
        }

        @Override
        public final void after(long nanos, Runnable event) {
            link.after(nanos, () -> turns.run(event));
        }

        @Override
        public final long below(long bound) {
            return FabricLink.below(bound);
        }
    }

    private final class Client extends Party {
        private final LockClient automaton;
        /** Ends of releases, by lock: a client acquires a lock again only after that. */
        private final Map<Long, CompletableFuture<Void>> releases = new ConcurrentHashMap<>();

        Client(int number) {
            super(number);
            this.automaton = protocol.client(number, this);
        }

        void lock(long address, LockMode mode) {
            CompletableFuture<Void> released = releases.remove(address);
            if (released != null) {
                link.await(released);
            }
            CompletableFuture<Void> granted = new CompletableFuture<>();
            acquire(address, mode, 1, () -> granted.complete(null));
            link.await(granted);
        }

        void unlock(long address) {
            CompletableFuture<Void> released = new CompletableFuture<>();
            releases.put(address, released);
            turns.run(() -> automaton.release(address, () -> released.complete(null)));
        }

        void acquire(long address, LockMode mode, int leases, Runnable granted) {
            LockMode had = protocol.has(mode) ? mode : LockMode.WRITE;
            turns.run(() -> automaton.acquire(address, had, leases, granted));
        }

        @Override
        void received(LockMessage message) {
            automaton.received(message);
        }
    }

    private final class Server extends Party {
        private final @Nullable LockServer automaton;

        Server() {
            super(LockProtocol.SERVER);
            this.automaton = protocol.server(this);
        }

        @Override
        void received(LockMessage message) {
            Objects.requireNonNull(automaton, "no server").received(message);
        }
    }

    private void deliver(LockMessage message) {
        Party to = message.to() == LockProtocol.SERVER ? server : clients.get(message.to() % MOST);
        to.turns.run(() -> to.received(message));
    }

    @Override
    public void close() {
        link.close();
    }
}
