// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.LockMode;
import io.declock.protocols.LockClient;
import io.declock.protocols.LockMessage;
import io.declock.protocols.LockProtocol;
import io.declock.protocols.application.ApplicationWorld;
import io.declock.spi.VerbChain;

/** A run of an application on a lock of the literature. Each client has a connection of its own, for locks and data, through its compute node's adapter. */
final class LiteratureRun extends ApplicationRun {
    private final LockProtocol protocol;
    private final SimulatedNic memoryNode;
    private final SimulatedMemory memory;
    private final long firstDataWord;
    private final LockParties parties;

    LiteratureRun(long seed, ModelRun.Setting setting, LockProtocol protocol) {
        super(seed, setting);
        this.protocol = protocol;
        this.memoryNode = new SimulatedNic(setting.adapters().memoryNode());
        long locks = (long) application().locks() * protocol.words() + protocol.serverWords();
        this.firstDataWord = (locks + ApplicationWorld.BLOCK - 1) / ApplicationWorld.BLOCK * ApplicationWorld.BLOCK;
        this.memory = new SimulatedMemory(firstDataWord + application().words());
        this.parties = new LockParties(new LockParties.Shared(
                world(),
                protocol,
                memory,
                memoryNode,
                Ways.of(setting.adapters()),
                application().locks(),
                setting.clients(),
                0,
                0,
                new Observer()));
    }

    private final class Observer implements LockParties.Observer {
        @Override
        public void posted(LockParties.Party by, VerbChain chain) {
            tally().posted(chain, SimulatedNic.resultBytes(chain));
        }

        @Override
        public void sent(LockParties.Party by) {
            tally().sent();
        }
    }

    @Override
    SimulatedNic memoryNode() {
        return memoryNode;
    }

    @Override
    SimulatedMemory memory() {
        return memory;
    }

    @Override
    long firstDataWord() {
        return firstDataWord;
    }

    @Override
    long begins() {
        return 0;
    }

    @Override
    ModelClient client(int number, int computeNode) {
        Client client = new Client(number, computeNode);
        parties.add(client.party);
        return client;
    }

    private final class Client extends ModelClient {
        private final Party party;

        Client(int number, int computeNode) {
            super(LiteratureRun.this, number);
            this.party = new Party(number, computeNode);
        }

        private long addressOf(int lock) {
            return (long) lock * protocol.words() * Long.BYTES;
        }

        @Override
        SimulatedWorld.Place place() {
            return party.place();
        }

        @Override
        LockMode modeFor(LockMode asked) {
            return protocol.has(asked) ? asked : LockMode.WRITE;
        }

        @Override
        void acquireLock(int lock, LockMode mode, int leases, Runnable granted) {
            party.client.acquire(addressOf(lock), mode, leases, granted);
        }

        @Override
        long leaseEnds(int lock) {
            return party.client.heldUntil(addressOf(lock));
        }

        @Override
        int lostTurns(int lock) {
            return party.client.turnsLost(addressOf(lock));
        }

        @Override
        void abandonLock(int lock) {
            party.client.abandon(addressOf(lock));
        }

        @Override
        void releaseLock(int lock, Runnable released) {
            party.client.release(addressOf(lock), released);
        }

        @Override
        void postData(VerbChain chain) {
            party.post(chain);
        }
    }

    private final class Party extends LockParties.Party {
        private final LockClient client;

        Party(int number, int computeNode) {
            super(parties, number, "client " + number, false, coreOf(number), adapterOf(computeNode));
            this.client = protocol.client(number, this);
        }

        @Override
        void received(LockMessage message) {
            client.received(message);
        }
    }
}
