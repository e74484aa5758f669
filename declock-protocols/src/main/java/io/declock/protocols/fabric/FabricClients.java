// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.fabric;

import io.declock.LockMode;
import io.declock.MemoryNodeAddress;
import io.declock.Purpose;
import io.declock.internal.layout.QueueEntry;
import io.declock.internal.layout.RecordLayout;
import io.declock.protocols.LockClient;
import io.declock.protocols.LockMessage;
import io.declock.protocols.LockProtocol;
import io.declock.protocols.LockServer;
import io.declock.protocols.LockWorld;
import io.declock.spi.Fabric;
import io.declock.spi.FabricException;
import io.declock.spi.FabricSession;
import io.declock.spi.JoinRequest;
import io.declock.spi.Member;
import io.declock.spi.Membership;
import io.declock.spi.PeerMessage;
import io.declock.spi.SessionListener;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The clients of one process for a lock of the literature, on a session of a fabric. A lock's words are in the queue of the record of its name, which DecLock
 * must not use then. All processes at a memory node use the same protocol, and the one with the lowest node id runs the lock's server, so that one must
 * not leave before the others. Nothing here mends what a broken connection loses. Thread-safe.
 */
public final class FabricClients implements AutoCloseable {
    /** Most clients of one process: numbers of clients are below {@link LockProtocol#MOST_CLIENTS}. */
    public static final int MOST = 16;

    /** A word of the memory may name a client before this process has heard that its process has joined. */
    private static final long UNHEARD_MILLIS = 2;

    /** A message with more words than a grant has entries travels in parts. */
    private static final int KIND_SHIFT = 16;

    private static final int FOLLOWING = (1 << KIND_SHIFT) - 1;

    private static final String SERVER_NAME = "\u0001server";

    private final LockProtocol protocol;
    private final FabricSession session;
    private final RecordLayout layout;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final Map<String, Long> addresses = new ConcurrentHashMap<>();
    private final List<Client> clients = new ArrayList<>();
    /** Words of messages whose last part has not arrived, by sender and receiver. */
    private final Map<Long, List<Long>> parts = new ConcurrentHashMap<>();

    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private final long serverAddress;
    private final Server server;
    private volatile Membership membership;

    private FabricClients(LockProtocol protocol, FabricSession session, Duration lease, int count) {
        this.protocol = protocol;
        this.session = session;
        this.layout = new RecordLayout(session.joined().queueCapacity());
        this.membership = session.joined().membership();
        if (protocol.words() > layout.capacity()) {
            throw new IllegalArgumentException(
                    protocol.name() + " needs " + protocol.words() + " words, and a record has " + layout.capacity());
        }
        this.serverAddress = protocol.serverWords() == 0 ? 0 : resolve(SERVER_NAME, protocol.serverWords());
        this.server = new Server();
        for (int i = 0; i < count; i++) {
            clients.add(new Client(session.joined().nodeId() * MOST + i));
        }
        long beat = lease.toNanos() / 4;
        timer.scheduleAtFixedRate(() -> session.control().heartbeat(), beat, beat, TimeUnit.NANOSECONDS);
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
        Events events = new Events();
        long process = ThreadLocalRandom.current().nextLong();
        JoinRequest request = new JoinRequest(process, 1, name, fabric.peerAddress(), 0, lease.toNanos());
        FabricSession session =
                fabric.join(address, request, events).toCompletableFuture().join();
        FabricClients made = new FabricClients(protocol, session, lease, count);
        events.to.complete(made);
        return made;
    }

    // ---------------------------------------------------------------- locks

    /**
     * Waits for a lock.
     *
     * @param client index of the client, which has no other request under way
     */
    public void lock(int client, String name, LockMode mode) {
        long address = addresses.computeIfAbsent(name, any -> resolve(any, protocol.words()));
        clients.get(client).lock(address, protocol.has(mode) ? mode : LockMode.WRITE);
    }

    /** Releases a lock of a client. */
    public void unlock(int client, String name) {
        clients.get(client).unlock(Objects.requireNonNull(addresses.get(name), "no such lock"));
    }

    /** Finds the words of a name, and makes them zero unless another process has. */
    private long resolve(String name, int words) {
        long first = layout.entries(session.control()
                .resolve("literature\0" + name)
                .toCompletableFuture()
                .join()
                .record());
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < words; i++) {
            all.add(zero(first + (long) i * Long.BYTES));
        }
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).join();
        return first;
    }

    private CompletableFuture<Void> zero(long word) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        session.memory()
                .post(
                        new VerbChain(1) {
                            @Override
                            public void completed(VerbResults results) {
                                done.complete(null);
                            }

                            @Override
                            public void failed(FabricException cause) {
                                done.completeExceptionally(cause);
                            }
                        }.begin(Purpose.INSPECT).compareAndSwap(word, QueueEntry.INITIAL, 0));
        return done;
    }

    // ---------------------------------------------------------------- clients and the server

    /** What a client or the server has around it. */
    private abstract class Party implements LockWorld {
        final Turns turns = new Turns();
        private final int number;

        Party(int number) {
            this.number = number;
        }

        abstract void received(LockMessage message);

        @Override
        public final void post(VerbChain chain) {
            session.memory().post(new Relayed(chain, turns, over::completeExceptionally));
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
            FabricClients.this.send(message);
        }

        @Override
        public final long now() {
            return System.nanoTime();
        }

        @Override
        public final void after(long nanos, Runnable event) {
            timer.schedule(() -> turns.run(event), nanos, TimeUnit.NANOSECONDS);
        }

        @Override
        public final long below(long bound) {
            return bound <= 0 ? 0 : ThreadLocalRandom.current().nextLong(bound);
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
                await(released);
            }
            CompletableFuture<Void> granted = new CompletableFuture<>();
            turns.run(() -> automaton.acquire(address, mode, () -> granted.complete(null)));
            await(granted);
        }

        void unlock(long address) {
            CompletableFuture<Void> released = new CompletableFuture<>();
            releases.put(address, released);
            turns.run(() -> automaton.release(address, () -> released.complete(null)));
        }

        private void await(CompletableFuture<Void> done) {
            if (!done.isDone()) {
                CompletableFuture.anyOf(done, over).join();
            }
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

    // ---------------------------------------------------------------- messages

    /** Returns the member that has a party, or null while this process has not heard of it. */
    private @Nullable Member memberOf(int party) {
        Membership present = membership;
        return party == LockProtocol.SERVER
                ? present.members().stream()
                        .min(Comparator.comparingInt(Member::nodeId))
                        .orElseThrow()
                : present.byNodeId(party / MOST);
    }

    private void send(LockMessage message) {
        Member to = memberOf(message.to());
        if (to == null) {
            timer.schedule(() -> send(message), UNHEARD_MILLIS, TimeUnit.MILLISECONDS);
            return;
        }
        if (to.nodeId() == session.joined().nodeId()) {
            // In order, and not before the sender has ended its step.
            timer.execute(() -> deliver(message));
            return;
        }
        List<Long> words = message.words();
        int parts = Math.max(1, (words.size() + PeerMessage.MAX_ENTRIES - 1) / PeerMessage.MAX_ENTRIES);
        for (int part = 0; part < parts; part++) {
            int from = part * PeerMessage.MAX_ENTRIES;
            session.send(
                    to,
                    part(
                            message,
                            to,
                            parts - 1 - part,
                            words.subList(from, Math.min(words.size(), from + PeerMessage.MAX_ENTRIES))));
        }
    }

    /** Returns a part of a message; its index is the kind, and how many more parts follow. */
    private PeerMessage part(LockMessage message, Member to, int following, List<Long> words) {
        return new PeerMessage(
                PeerMessage.Kind.GRANT,
                session.joined().memoryNodeIncarnation(),
                session.joined().nodeId(),
                session.joined().incarnation(),
                to.nodeId(),
                to.incarnation(),
                message.lock(),
                (long) message.from() << Integer.SIZE | message.to() & 0xFFFF_FFFFL,
                message.kind() << KIND_SHIFT | following,
                message.detail(),
                words.stream().mapToLong(Long::longValue).toArray());
    }

    /** Parts of one message arrive one after the other. */
    private void received(PeerMessage part) {
        List<Long> words = parts.computeIfAbsent(part.epoch(), any -> new ArrayList<>());
        for (long word : part.entries()) {
            words.add(word);
        }
        if ((part.index() & FOLLOWING) == 0) {
            parts.remove(part.epoch());
            deliver(new LockMessage(
                    (int) (part.epoch() >> Integer.SIZE),
                    (int) part.epoch(),
                    part.record(),
                    part.index() >> KIND_SHIFT,
                    part.detail(),
                    words));
        }
    }

    private void deliver(LockMessage message) {
        Party to = message.to() == LockProtocol.SERVER ? server : clients.get(message.to() % MOST);
        to.turns.run(() -> to.received(message));
    }

    /** The session's events; those that come before the clients are made wait for them. */
    private static final class Events implements SessionListener {
        private final CompletableFuture<FabricClients> to = new CompletableFuture<>();

        @Override
        public void membershipChanged(Membership present) {
            to.thenAccept(made ->
                    made.membership = present.version() > made.membership.version() ? present : made.membership);
        }

        @Override
        public void peerMessage(PeerMessage message) {
            to.thenAccept(made -> made.received(message));
        }

        /** Every record is in use. */
        @Override
        public void reclaimProposed(long round, long[] records) {
            to.thenAccept(made -> made.session.control().answerReclaim(round, records));
        }

        @Override
        public void lost(FabricException cause) {
            to.thenAccept(made -> made.over.completeExceptionally(cause));
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
        session.close();
    }
}
