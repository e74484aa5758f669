// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.load;

import io.declock.LockMode;
import io.declock.Purpose;
import io.declock.protocols.application.Application;
import io.declock.protocols.application.ApplicationClient;
import io.declock.protocols.application.ApplicationWorld;
import io.declock.spi.FabricException;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;

/**
 * The microbenchmark of DecLock's paper (6.1, 6.2), which is also ShiftLock's (4.2) without verbs inside: each client takes a lock by Zipf's law, for reading or writing, reads or
 * writes the lock's object some times, releases the lock, and goes on. An operation lasts from the request for the lock to the end of its release. Its kind is {@link #READ} or {@link #WRITE}, under the most popular lock with {@link #HOT} added. Immutable.
 */
public final class Microbenchmark implements Application {
    /** Kind of an operation that reads. */
    public static final int READ = 0;

    /** Kind of an operation that writes. */
    public static final int WRITE = 1;

    /** Added to the kind of an operation under the most popular lock. */
    public static final int HOT = 2;

    /**
     * What is varied.
     *
     * @param locks number of locks, each with an object
     * @param zipf exponent of Zipf's law, 0 for equal shares
     * @param readShare share of operations that read
     * @param verbsInside verbs on the object while the lock is held
     * @param objectWords words of an object
     * @param pauseNanos how long a client's own processor is busy between two operations
     * @param together whether the verbs inside are posted at once, of one word each, instead of one after the other
     * @param failures share of operations at whose end the client leaves the lock behind instead of releasing it, as if it had failed
     */
    public record Settings(
            int locks,
            double zipf,
            double readShare,
            int verbsInside,
            int objectWords,
            long pauseNanos,
            boolean together,
            double failures) {
        /** Makes settings with verbs one after the other, and without failures. */
        public Settings(int locks, double zipf, double readShare, int verbsInside, int objectWords, long pauseNanos) {
            this(locks, zipf, readShare, verbsInside, objectWords, pauseNanos, false, 0);
        }

        /** The defaults of DecLock's paper. */
        public static final Settings DECLOCK = new Settings(100_000, 0.99, 0.5, 1, 1, 0);

        /** One lock that nobody uses for anything, as in section 2.3 of ShiftLock's paper. */
        public static final Settings ONE_LOCK = new Settings(1, 0, 0, 0, 1, 0);

        /** Returns them with another number of locks. */
        public Settings withLocks(int other) {
            return new Settings(other, zipf, readShare, verbsInside, objectWords, pauseNanos, together, failures);
        }

        /** Returns them with another exponent. */
        public Settings withZipf(double other) {
            return new Settings(locks, other, readShare, verbsInside, objectWords, pauseNanos, together, failures);
        }

        /** Returns them with another share of readers. */
        public Settings withReadShare(double other) {
            return new Settings(locks, zipf, other, verbsInside, objectWords, pauseNanos, together, failures);
        }

        /** Returns them with another number of verbs inside. */
        public Settings withVerbsInside(int other) {
            return new Settings(locks, zipf, readShare, other, objectWords, pauseNanos, together, failures);
        }

        /** Returns them with all verbs inside posted at once. */
        public Settings withVerbsTogether() {
            return new Settings(locks, zipf, readShare, verbsInside, objectWords, pauseNanos, true, failures);
        }

        /** Returns them with objects of another size. */
        public Settings withObjectWords(int other) {
            return new Settings(locks, zipf, readShare, verbsInside, other, pauseNanos, together, failures);
        }

        /** Returns them with another pause. */
        public Settings withPause(long nanos) {
            return new Settings(locks, zipf, readShare, verbsInside, objectWords, nanos, together, failures);
        }

        /** Returns them with another share of failures. */
        public Settings withFailures(double share) {
            return new Settings(locks, zipf, readShare, verbsInside, objectWords, pauseNanos, together, share);
        }
    }

    private final Settings settings;
    private final Zipf zipf;

    /** Makes it. */
    public Microbenchmark(Settings settings) {
        this.settings = settings;
        this.zipf = new Zipf(settings.locks(), settings.zipf());
    }

    @Override
    public String name() {
        return "microbenchmark";
    }

    @Override
    public int locks() {
        return settings.locks();
    }

    @Override
    public long words() {
        return (long) settings.locks() * settings.objectWords();
    }

    @Override
    public ApplicationClient client(int number, ApplicationWorld world) {
        return new Client(world);
    }

    private final class Client extends VerbChain implements ApplicationClient {
        private final ApplicationWorld world;
        private final Chance chance;
        private final long[] object = new long[settings.objectWords()];
        private int lock;
        private LockMode mode = LockMode.READ;
        private long since;
        private int verbsLeft;

        Client(ApplicationWorld world) {
            super(settings.together() ? Math.max(1, settings.verbsInside()) : 1);
            this.world = world;
            this.chance = Chance.of(world);
        }

        @Override
        public void start() {
            lock = zipf.next(chance);
            mode = chance.happens(settings.readShare()) ? LockMode.READ : LockMode.WRITE;
            since = world.now();
            verbsLeft = settings.verbsInside();
            world.acquire(lock, mode, this::goOn);
        }

        private void goOn() {
            if (verbsLeft > 0) {
                verbsLeft -= settings.together() ? verbsLeft : 1;
                world.post(verbs());
            } else if (settings.failures() > 0 && chance.happens(settings.failures())) {
                world.abandon(lock);
                world.aborted();
                next();
            } else {
                world.release(lock, this::ended);
            }
        }

        private VerbChain verbs() {
            long address = world.address((long) lock * settings.objectWords());
            VerbChain chain = begin(Purpose.INSPECT);
            object[0]++;
            if (!settings.together()) {
                return mode == LockMode.READ
                        ? chain.read(address, settings.objectWords())
                        : chain.write(address, object);
            }
            for (int i = 0; i < settings.verbsInside(); i++) {
                if (mode == LockMode.READ) {
                    chain.read(address, 1);
                } else {
                    chain.write(address, object[0]);
                }
            }
            return chain;
        }

        private void ended() {
            world.done((mode == LockMode.READ ? READ : WRITE) + (lock == 0 ? HOT : 0), since);
            next();
        }

        private void next() {
            // By an event of its own even without a pause: where a lock costs nothing the calls would nest for ever.
            world.after(settings.pauseNanos(), this::start);
        }

        @Override
        public void completed(VerbResults results) {
            goOn();
        }

        @Override
        public void failed(FabricException cause) {
            throw new IllegalStateException(cause);
        }
    }
}
