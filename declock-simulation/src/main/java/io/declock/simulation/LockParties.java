// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.protocols.LockMessage;
import io.declock.protocols.LockProtocol;
import io.declock.protocols.LockServer;
import io.declock.protocols.LockWorld;
import io.declock.spi.VerbChain;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Clients of a lock of the literature and its server in virtual time, with their connections to the memory node, and the messages between them. */
final class LockParties {
    /** Learns what parties do. */
    interface Observer {
        /** A chain is posted to the adapter. */
        void posted(Party by, VerbChain chain);

        /** A message is sent that travels. */
        void sent(Party by);

        /** The processor does so many operations for a client. */
        default void local(int operations) {}

        /** A word is changed. */
        default void changed(Party by, long word, long before, long after) {}

        /** The server receives a message. */
        default void toServer(LockMessage message) {}
    }

    /**
     * What the parties of a run share.
     *
     * @param memory the memory, which begins with the locks and, behind them, the server's words
     * @param memoryNode the memory node's adapter
     * @param locks number of locks
     * @param clients number of clients
     * @param untilWritten as in {@link MemoryAccess}
     * @param between as in {@link MemoryAccess}
     */
    record Shared(
            SimulatedWorld world,
            LockProtocol protocol,
            SimulatedMemory memory,
            SimulatedNic memoryNode,
            Ways ways,
            int locks,
            int clients,
            long untilWritten,
            long between,
            Observer observer) {
        /** Returns how many words the locks have. */
        long lockWords() {
            return (long) locks * protocol.words();
        }
    }

    private static final int WORD = Long.BYTES;
    /** Bytes of a message without words. */
    private static final int MESSAGE = 32;

    private final Shared shared;
    private final List<Party> clients = new ArrayList<>();
    private final Server server;

    LockParties(Shared shared) {
        this.shared = shared;
        this.server = new Server(this);
    }

    /** Adds the next client by number. */
    void add(Party client) {
        if (client.number != clients.size()) {
            throw new IllegalArgumentException(client + " is not the next one");
        }
        clients.add(client);
    }

    private Party party(int number) {
        return number == LockProtocol.SERVER ? server : clients.get(number);
    }

    /** One that posts verbs and sends messages. */
    abstract static class Party implements LockWorld {
        private final LockParties parties;
        private final SimulatedWorld world;
        private final SimulatedWorld.Place place;
        private final int number;
        private final boolean local;
        private final SimulatedCore core;
        private final SimulatedNic own;
        private final MemoryAccess access;
        private final MemoryLink link;
        /** When the last message to each client arrives, and to the server, which is the last. */
        private final long[] lastTo;

        /**
         * Makes one.
         *
         * @param local whether it lives with the memory node
         * @param core its core
         * @param own its adapter
         */
        Party(LockParties parties, int number, String name, boolean local, SimulatedCore core, SimulatedNic own) {
            this(parties, number, name, local, core, own, own, parties.shared.ways());
        }

        private Party(
                LockParties parties,
                int number,
                String name,
                boolean local,
                SimulatedCore core,
                SimulatedNic own,
                SimulatedNic ofVerbs,
                Ways waysOfVerbs) {
            Shared shared = parties.shared;
            this.parties = parties;
            this.world = shared.world();
            this.number = number;
            this.place = new SimulatedWorld.Place(name);
            this.local = local;
            this.core = core;
            this.own = own;
            this.lastTo = new long[shared.clients() + 1];
            this.access = new MemoryAccess(
                    world,
                    shared.memoryNode(),
                    shared.memory(),
                    shared.untilWritten(),
                    shared.between(),
                    (word, before, after) -> shared.observer().changed(this, word, before, after));
            this.link = new MemoryLink(world, place, waysOfVerbs, core, ofVerbs, shared.memoryNode(), access);
        }

        abstract void received(LockMessage message);

        final int number() {
            return number;
        }

        final SimulatedWorld.Place place() {
            return place;
        }

        @Override
        public final String toString() {
            return place.toString();
        }

        @Override
        public final void post(VerbChain chain) {
            parties.shared.observer().posted(this, chain);
            link.post(chain);
        }

        @Override
        public final long serverAddress() {
            return parties.shared.lockWords() * WORD;
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
            parties.shared.observer().local(chain.size());
            access.executeLocally(place, chain);
        }

        @Override
        public final void send(LockMessage message) {
            if (message.from() != number) {
                throw new IllegalArgumentException(this + " does not send " + message);
            }
            Party to = parties.party(message.to());
            int index = to.number == LockProtocol.SERVER ? lastTo.length - 1 : to.number;
            if (local && to.local) {
                parties.shared.observer().local(1);
                lastTo[index] = Math.max(lastTo[index], world.now() + MemoryAccess.localTime(world));
                world.at(lastTo[index], to.place, () -> to.received(message));
                return;
            }
            parties.shared.observer().sent(this);
            world.when(core.sent(world.now()), place, () -> leave(message, to, index));
        }

        private void leave(LockMessage message, Party to, int index) {
            long bytes = MESSAGE + (long) message.words().size() * WORD;
            long left = own.messageSent(bytes, world.now());
            lastTo[index] = Math.max(lastTo[index], left + parties.shared.ways().messageTime(world));
            world.at(lastTo[index], to.place, () -> to.arrived(message, bytes));
        }

        private void arrived(LockMessage message, long bytes) {
            long received = own.messageReceived(bytes, world.now());
            world.when(core.received(received), place, () -> received(message));
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

    /** The lock's part beside the memory node: its verbs have a short way, and its messages go through the memory node's adapter. */
    private static final class Server extends Party {
        private final Observer observer;
        private final @Nullable LockServer automaton;

        Server(LockParties parties) {
            super(
                    parties,
                    LockProtocol.SERVER,
                    "server",
                    false,
                    SimulatedCore.infinitelyFast(),
                    parties.shared.memoryNode(),
                    SimulatedNic.infinitelyFast(),
                    parties.shared.ways().atMemoryNode());
            this.observer = parties.shared.observer();
            this.automaton = parties.shared.protocol().server(this);
        }

        @Override
        void received(LockMessage message) {
            observer.toServer(message);
            Objects.requireNonNull(automaton, "no server").received(message);
        }
    }
}
