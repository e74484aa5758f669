// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.data;

import io.declock.LockMode;
import io.declock.Verb;
import io.declock.protocols.application.Application;
import io.declock.protocols.application.ApplicationClient;
import io.declock.protocols.application.ApplicationWorld;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * A deterministic world of an application's clients, in which READs and WRITEs of several words take time: other clients' verbs are executed between the words, and the words are read and written in any order.
 * Its locks are perfect.
 */
public final class TornWorld {
    /** Longest way of a chain, or of an answer. */
    private static final long WAY = 1_000;

    /** Longest time between two parts of a verb. */
    private static final long BETWEEN_PARTS = 300;

    /** More events than any run needs. */
    private static final int PATIENCE = 1_000_000;

    private record Event(long time, long sequence, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(time, other.time);
            return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
        }
    }

    private static final class Lock {
        private record Waiter(LockMode mode, Runnable granted) {}

        private final ArrayDeque<Waiter> waiters = new ArrayDeque<>();
        private int readers;
        private boolean written;
    }

    private final SplittableRandom random;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final long[] memory;
    private final Map<Integer, Lock> locks = new HashMap<>();
    private final int[] done = new int[16];
    private final boolean lockless;
    private long now;
    private long sequence;
    private long torn;

    private TornWorld(long seed, Application application, boolean lockless) {
        this.random = new SplittableRandom(seed);
        this.memory = new long[Math.toIntExact(application.words())];
        this.lockless = lockless;
        application.load((word, words) -> {
            checkBlock(word, words.length);
            System.arraycopy(words, 0, memory, (int) word, words.length);
        });
    }

    /** Runs clients until they have nothing to do any more. */
    public static TornWorld run(long seed, Application application, int clients) {
        return run(seed, application, clients, false);
    }

    /**
     * Runs clients until they have nothing to do any more.
     *
     * @param lockless whether locks are granted to everybody at once
     */
    public static TornWorld run(long seed, Application application, int clients, boolean lockless) {
        TornWorld world = new TornWorld(seed, application, lockless);
        for (int i = 0; i < clients; i++) {
            ApplicationClient client = application.client(i, world.new Around());
            world.after(world.random.nextLong(WAY), client::start);
        }
        while (!world.events.isEmpty()) {
            if (world.sequence > PATIENCE) {
                throw new AssertionError("the clients do not end");
            }
            Event event = world.events.remove();
            world.now = event.time();
            event.action().run();
        }
        for (Lock lock : world.locks.values()) {
            if (!lockless && (lock.written || lock.readers > 0 || !lock.waiters.isEmpty())) {
                throw new AssertionError("a lock is held, or waited for, in the end");
            }
        }
        return world;
    }

    /** Returns a word as it is in the end. */
    public long word(long word) {
        return memory[(int) word];
    }

    /** Returns how many operations of a kind have ended. */
    public int done(int kind) {
        return done[kind];
    }

    /** Returns how many verbs were executed in parts. */
    public long inParts() {
        return torn;
    }

    private void after(long nanos, Runnable action) {
        events.add(new Event(now + nanos, sequence++, action));
    }

    private static void checkBlock(long word, int count) {
        if (word / ApplicationWorld.BLOCK != (word + count - 1) / ApplicationWorld.BLOCK) {
            throw new AssertionError(count + " words from " + word + " on are in two blocks");
        }
    }

    // ---------------------------------------------------------------- verbs

    private final class Posted implements VerbResults {
        private final VerbChain chain;
        private final long[][] results;

        Posted(VerbChain chain) {
            this.chain = chain;
            this.results = new long[chain.size()][];
        }

        @Override
        public long word(int verb, int word) {
            return results[verb][word];
        }

        void execute(int verb, Runnable then) {
            if (verb == chain.size()) {
                then.run();
                return;
            }
            int count = chain.words(verb);
            checkBlock(chain.address(verb) / Long.BYTES, count);
            results[verb] = new long[count];
            List<Integer> order = order(count);
            part(verb, order, 0, () -> after(random.nextLong(BETWEEN_PARTS), () -> execute(verb + 1, then)));
        }

        private List<Integer> order(int count) {
            List<Integer> order = new ArrayList<>();
            boolean rotated = random.nextBoolean();
            int from = rotated ? random.nextInt(count) : 0;
            for (int i = 0; i < count; i++) {
                order.add((from + i) % count);
            }
            return order;
        }

        private void part(int verb, List<Integer> order, int from, Runnable then) {
            int until = random.nextInt(3) == 0 ? from + 1 + random.nextInt(order.size() - from) : order.size();
            for (int i = from; i < until; i++) {
                word(verb, order.get(i), (int) (chain.address(verb) / Long.BYTES));
            }
            if (until == order.size()) {
                then.run();
            } else {
                torn++;
                after(random.nextLong(BETWEEN_PARTS), () -> part(verb, order, until, then));
            }
        }

        private void word(int verb, int word, int first) {
            long former = memory[first + word];
            results[verb][word] = former;
            switch (chain.verb(verb)) {
                case READ -> {}
                case WRITE -> memory[first + word] = chain.writeWord(verb, word);
                case FETCH_AND_ADD -> memory[first] += chain.operand(verb);
                case COMPARE_AND_SWAP -> memory[first] = former == chain.operand(verb) ? chain.desired(verb) : former;
                default -> throw new AssertionError(Verb.values());
            }
        }
    }

    // ---------------------------------------------------------------- clients

    private final class Around implements ApplicationWorld {
        private final ArrayDeque<Posted> queue = new ArrayDeque<>();
        private long lastArrival;
        private long lastAnswer;

        @Override
        public void acquire(int lock, LockMode mode, Runnable granted) {
            after(random.nextLong(WAY), () -> {
                locks.computeIfAbsent(lock, any -> new Lock()).waiters.add(new Lock.Waiter(mode, granted));
                grant(lock);
            });
        }

        private void grant(int lock) {
            Lock state = locks.get(lock);
            while (!state.waiters.isEmpty()) {
                Lock.Waiter first = state.waiters.element();
                boolean writes = first.mode() == LockMode.WRITE;
                if (!lockless && (state.written || writes && state.readers > 0)) {
                    return;
                }
                state.waiters.remove();
                state.written = writes;
                state.readers += writes ? 0 : 1;
                after(random.nextLong(WAY), first.granted());
            }
        }

        @Override
        public void release(int lock, Runnable released) {
            Lock state = locks.get(lock);
            if (state.written) {
                state.written = false;
            } else {
                state.readers--;
            }
            grant(lock);
            after(random.nextLong(WAY), released);
        }

        @Override
        public long address(long word) {
            return word * Long.BYTES;
        }

        @Override
        public void post(VerbChain chain) {
            lastArrival = Math.max(lastArrival, now + random.nextLong(WAY));
            after(lastArrival - now, () -> {
                queue.add(new Posted(chain));
                if (queue.size() == 1) {
                    execute();
                }
            });
        }

        private void execute() {
            Posted posted = queue.element();
            posted.execute(0, () -> {
                lastAnswer = Math.max(lastAnswer, now + random.nextLong(WAY));
                after(lastAnswer - now, () -> posted.chain.completed(posted));
                queue.remove();
                if (!queue.isEmpty()) {
                    execute();
                }
            });
        }

        @Override
        public long now() {
            return now;
        }

        @Override
        public void after(long nanos, Runnable event) {
            TornWorld.this.after(nanos, event);
        }

        @Override
        public long below(long bound) {
            return bound <= 0 ? 0 : random.nextLong(bound);
        }

        @Override
        public void done(int kind, long since) {
            done[kind]++;
        }
    }
}
