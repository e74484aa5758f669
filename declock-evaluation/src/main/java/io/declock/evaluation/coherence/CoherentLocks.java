// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.coherence;

import io.declock.LockMode;
import io.declock.evaluation.coherence.CoherentLock.Algorithm;
import io.declock.evaluation.load.Chance;
import io.declock.protocols.application.Application;
import io.declock.protocols.application.ApplicationClient;
import io.declock.protocols.application.ApplicationWorld;

/**
 * Clients that take one lock in coherent memory, then the line of the data that it guards, and give both back (<i>Soul</i>, 5.2). An operation ends when its client has lock and data: its latency is that of
 * the two, without the release. Runs in virtual time only. Immutable, apart from the words of the lock and a check that a writer is alone.
 */
public final class CoherentLocks implements Application {
    /** Kind of an operation whose lines the client had kept. */
    public static final int KEPT = 0;

    /** Kind of an operation for which a line came from elsewhere. */
    public static final int FETCHED = 1;

    private final Algorithm algorithm;
    private final int clients;
    private final double readShare;
    private final long pauseNanos;
    private final long[] words;
    private int readers;
    private int writers;

    private CoherentLocks(Algorithm algorithm, int clients, double readShare, long pauseNanos) {
        this.algorithm = algorithm;
        this.clients = clients;
        this.readShare = readShare;
        this.pauseNanos = pauseNanos;
        this.words = new long[CoherentLock.CLIENTS + clients];
    }

    /** Makes one whose data's line is the lock, as Soul's is. */
    public static CoherentLocks souls(int clients, double readShare, long pauseNanos) {
        return new CoherentLocks(Algorithm.SOUL, clients, readShare, pauseNanos);
    }

    /** Makes one with a lock of one word, as that of POSIX threads. */
    public static CoherentLocks counter(int clients, double readShare, long pauseNanos) {
        return new CoherentLocks(Algorithm.COUNTER, clients, readShare, pauseNanos);
    }

    /** Makes one with a queue of clients, and no readers. */
    public static CoherentLocks mcs(int clients, double readShare, long pauseNanos) {
        return new CoherentLocks(Algorithm.MCS, clients, readShare, pauseNanos);
    }

    /** Makes one with a word for each reader. */
    public static CoherentLocks perClient(int clients, double readShare, long pauseNanos) {
        return new CoherentLocks(Algorithm.PER_CLIENT, clients, readShare, pauseNanos);
    }

    @Override
    public String name() {
        return "coherent lock " + algorithm;
    }

    /** The lines. */
    @Override
    public int locks() {
        return words.length;
    }

    /** The data is in its line. */
    @Override
    public long words() {
        return 0;
    }

    @Override
    public ApplicationClient client(int number, ApplicationWorld world) {
        return new Client(number, world);
    }

    /** The world checks that Soul's own lock excludes. */
    private void entered(LockMode mode) {
        if (algorithm == Algorithm.SOUL) {
            return;
        }
        if (writers > 0 || mode == LockMode.WRITE && readers > 0) {
            throw new IllegalStateException(name() + ": a client has it to " + mode + " beside " + writers
                    + " writers and " + readers + " readers");
        }
        count(mode, 1);
    }

    private void left(LockMode mode) {
        if (algorithm != Algorithm.SOUL) {
            count(mode, -1);
        }
    }

    private void count(LockMode mode, int change) {
        if (mode == LockMode.WRITE) {
            writers += change;
        } else {
            readers += change;
        }
    }

    private final class Client implements ApplicationClient {
        private final ApplicationWorld world;
        private final Chance chance;
        private final Lines lines;
        private final CoherentLock lock;
        private LockMode mode = LockMode.READ;
        private long since;

        Client(int number, ApplicationWorld world) {
            this.world = world;
            this.chance = Chance.of(world);
            this.lines = new Lines(world, words);
            this.lock = CoherentLock.of(algorithm, number, clients, lines);
        }

        @Override
        public void start() {
            mode = chance.happens(readShare) ? LockMode.READ : LockMode.WRITE;
            since = world.now();
            lock.acquire(mode, this::locked);
        }

        private void locked() {
            entered(mode);
            lines.hold(CoherentLock.DATA, mode, this::work);
        }

        private void work() {
            world.done(lines.fetched() > 0 ? FETCHED : KEPT, since);
            world.release(CoherentLock.DATA, () -> {
                left(mode);
                lock.release(mode, this::released);
            });
        }

        private void released() {
            // Lines that the release has fetched are not the next operation's.
            lines.fetched();
            world.after(pauseNanos, this::start);
        }
    }
}
