// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.soul;

import io.declock.LockMode;
import io.declock.protocols.LockClient;
import io.declock.protocols.LockMessage;
import io.declock.protocols.LockProtocol;
import io.declock.protocols.LockWorld;
import io.declock.protocols.soul.Cargo.Request;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** A client of {@link Soul}: a compute blade, with its cache. */
final class SoulClient implements LockClient {
    static final int NOBODY = -1;

    private final List<Region> regions;
    private final int number;
    private final LockWorld world;
    private final Map<Long, Line> lines = new HashMap<>();

    SoulClient(List<Region> regions, int number, LockWorld world) {
        this.regions = regions;
        this.number = number;
        this.world = world;
    }

    @Override
    public void acquire(long lock, LockMode mode, Runnable granted) {
        line(lock).acquire(mode == LockMode.WRITE, granted);
    }

    @Override
    public void release(long lock, Runnable released) {
        line(lock).release();
        released.run();
    }

    @Override
    public long[] guarded(long lock) {
        return line(lock).data;
    }

    @Override
    public void received(LockMessage message) {
        Line line = line(message.lock());
        switch (Kind.of(message.kind())) {
            case FORWARD -> line.forwarded(Request.of(message.detail()));
            case DENIED -> line.handOn();
            case SHARED -> line.share((int) message.detail(), Cargo.of(message.words()));
            case EXCLUSIVE -> line.own(Cargo.of(message.words()));
            case AFTER_READERS -> line.ownAfter((int) message.detail(), Cargo.of(message.words()));
            case INVALIDATE -> line.invalidate((int) message.detail());
            case INVALIDATED -> line.invalidated();
            default -> throw new IllegalArgumentException("no message to a client: " + message);
        }
    }

    private Line line(long lock) {
        return lines.computeIfAbsent(lock, Line::new);
    }

    private enum Permission {
        INVALID,
        SHARED,
        MODIFIED
    }

    /** A line in the cache: lock, guarded words, and the queue if the client has it. */
    private final class Line {
        private final long lock;
        private final long[] data = new long[Soul.guardedWords(regions)];
        private Permission permission = Permission.INVALID;
        private boolean isHeld;
        /** Set while a request is out. */
        private @Nullable Runnable granted;

        private final Queue<Request> queue = new ArrayDeque<>();
        /** How many requests were forwarded since the queue is here. */
        private long version;
        /** Set from the attempt to pass line and queue on, until the next grant. */
        private boolean isLeaving;
        /** As a reader: who is to be told of the release. */
        private int nextWriter = NOBODY;
        /** As a writer that has the queue: after so many readers the line is here, and so many have given it up. */
        private int readersBefore = NOBODY;

        private int readersGone;

        Line(long lock) {
            this.lock = lock;
        }

        // ---------------------------------------------------------------- acquire and release

        void acquire(boolean writes, Runnable then) {
            granted = then;
            if (isKept(writes)) {
                enter();
            } else {
                send(LockProtocol.SERVER, Kind.REQUEST, writes ? 1 : 0, List.of());
            }
        }

        private boolean isKept(boolean writes) {
            return !isLeaving && (permission == Permission.MODIFIED || permission == Permission.SHARED && !writes);
        }

        private void enter() {
            isHeld = true;
            Runnable then = Objects.requireNonNull(granted, "not asked for");
            granted = null;
            then.run();
        }

        void release() {
            isHeld = false;
            passOn();
            if (nextWriter != NOBODY) {
                giveUp(nextWriter);
            }
        }

        // ---------------------------------------------------------------- the queue

        void forwarded(Request request) {
            queue.add(request);
            version++;
            passOn();
        }

        private void passOn() {
            if (permission == Permission.MODIFIED && !isHeld && !isLeaving && !queue.isEmpty()) {
                handOn();
            }
        }

        void handOn() {
            isLeaving = true;
            Cargo cargo =
                    new Cargo(List.copyOf(queue), Arrays.stream(data).boxed().toList());
            send(LockProtocol.SERVER, Kind.TRANSFER, version, cargo.words());
        }

        // ---------------------------------------------------------------- grants

        void share(int writer, Cargo cargo) {
            take(cargo);
            permission = Permission.SHARED;
            nextWriter = writer;
            enter();
        }

        void own(Cargo cargo) {
            take(cargo);
            permission = Permission.MODIFIED;
            enter();
        }

        void ownAfter(int readers, Cargo cargo) {
            take(cargo);
            readersBefore = readers;
            ownIfAlone();
        }

        /** Readers may be faster with this than the directory with the queue. */
        void invalidated() {
            readersGone++;
            ownIfAlone();
        }

        private void ownIfAlone() {
            if (readersGone == readersBefore) {
                readersBefore = NOBODY;
                readersGone = 0;
                permission = Permission.MODIFIED;
                send(LockProtocol.SERVER, Kind.OWNER, 0, List.of());
                enter();
            }
        }

        private void take(Cargo cargo) {
            isLeaving = false;
            permission = Permission.INVALID;
            version = 0;
            queue.clear();
            queue.addAll(cargo.queue());
            Arrays.setAll(data, i -> cargo.data().get(i));
        }

        // ---------------------------------------------------------------- invalidation

        void invalidate(int writer) {
            if (isHeld) {
                nextWriter = writer;
            } else {
                giveUp(writer);
            }
        }

        private void giveUp(int writer) {
            nextWriter = NOBODY;
            permission = Permission.INVALID;
            send(writer, Kind.INVALIDATED, 0, List.of());
        }

        private void send(int to, Kind kind, long detail, List<Long> words) {
            world.send(new LockMessage(number, to, lock, kind.ordinal(), detail, words));
        }
    }
}
