// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.soul;

import io.declock.protocols.LockMessage;
import io.declock.protocols.LockProtocol;
import io.declock.protocols.LockServer;
import io.declock.protocols.LockWorld;
import io.declock.protocols.soul.Cargo.Request;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;

/** The directory beside the memory node; a switch, in the paper. */
final class Directory implements LockServer {
    private final List<Region> regions;
    private final LockWorld world;
    private final Map<Long, Entry> entries = new HashMap<>();

    Directory(List<Region> regions, LockWorld world) {
        this.regions = regions;
        this.world = world;
    }

    @Override
    public void received(LockMessage message) {
        entries.computeIfAbsent(message.lock(), Entry::new).received(message);
    }

    /** What the directory knows of a line. Messages wait while it reads or writes the guarded words. */
    private final class Entry {
        private final long lock;
        private final GuardedMemory memory;
        private final Queue<LockMessage> waiting = new ArrayDeque<>();
        private boolean isBusy;
        private final Set<Integer> sharers = new TreeSet<>();
        private int queueHolder = SoulClient.NOBODY;
        /** How many requests were forwarded to the queue holder. */
        private long version;

        Entry(long lock) {
            this.lock = lock;
            this.memory = new GuardedMemory(world, lock, regions);
        }

        void received(LockMessage message) {
            waiting.add(message);
            if (!isBusy) {
                handleNext();
            }
        }

        private void handleNext() {
            LockMessage message = waiting.poll();
            isBusy = message != null;
            if (message == null) {
                return;
            }
            switch (Kind.of(message.kind())) {
                case REQUEST -> request(new Request(message.from(), message.detail() != 0));
                case TRANSFER -> transfer(message.from(), message.detail(), Cargo.of(message.words()));
                case OWNER -> {
                    sharers.clear();
                    handleNext();
                }
                default -> throw new IllegalArgumentException("no message to the directory: " + message);
            }
        }

        // ---------------------------------------------------------------- requests

        private void request(Request request) {
            if (queueHolder != SoulClient.NOBODY) {
                version++;
                send(queueHolder, Kind.FORWARD, request.word(), List.of());
                handleNext();
                return;
            }
            memory.read(data -> {
                Cargo cargo = new Cargo(List.of(), data);
                if (request.writes()) {
                    admitWriter(request.client(), cargo);
                } else {
                    admitReader(request.client(), SoulClient.NOBODY, cargo);
                }
                handleNext();
            });
        }

        private void admitReader(int reader, int nextWriter, Cargo cargo) {
            sharers.add(reader);
            send(reader, Kind.SHARED, nextWriter, cargo.words());
        }

        private void admitWriter(int writer, Cargo cargo) {
            sharers.remove(writer);
            sharers.forEach(sharer -> send(sharer, Kind.INVALIDATE, writer, List.of()));
            giveQueueTo(writer, cargo);
        }

        private void giveQueueTo(int writer, Cargo cargo) {
            queueHolder = writer;
            version = 0;
            if (sharers.isEmpty()) {
                send(writer, Kind.EXCLUSIVE, 0, cargo.words());
            } else {
                send(writer, Kind.AFTER_READERS, sharers.size(), cargo.words());
            }
        }

        // ---------------------------------------------------------------- transfers of the queue

        private void transfer(int from, long hasReceived, Cargo cargo) {
            if (hasReceived != version) {
                send(from, Kind.DENIED, 0, List.of());
                handleNext();
            } else if (cargo.readers() == 0) {
                giveQueueTo(cargo.queue().get(0).client(), cargo.behind(1));
                handleNext();
            } else {
                memory.write(cargo.data(), () -> {
                    share(cargo);
                    handleNext();
                });
            }
        }

        /** Readers that wait get the line together, and the writer behind them the queue. */
        private void share(Cargo cargo) {
            int readers = cargo.readers();
            boolean hasWriter = readers < cargo.queue().size();
            int writer = hasWriter ? cargo.queue().get(readers).client() : SoulClient.NOBODY;
            cargo.queue()
                    .subList(0, readers)
                    .forEach(reader -> admitReader(reader.client(), writer, cargo.withoutQueue()));
            if (hasWriter) {
                giveQueueTo(writer, cargo.behind(readers + 1));
            } else {
                queueHolder = SoulClient.NOBODY;
            }
        }

        private void send(int to, Kind kind, long detail, List<Long> words) {
            world.send(new LockMessage(LockProtocol.SERVER, to, lock, kind.ordinal(), detail, words));
        }
    }
}
