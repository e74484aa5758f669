// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.internal.time.RandomSource;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Virtual time: a queue of events, one thread, one source of randomness. Events of the same instant happen in the order in which
 * they were scheduled, so that the seed determines the whole run.
 *
 * <p>An event belongs to a {@link Place} or to none. Events of a paused place are deferred; events of a dead place are dropped.
 */
public final class SimulatedWorld {
    /** A place at which events happen. */
    public static class Place {
        private final String name;
        private long pausedUntil;
        private boolean dead;
        private long stall = -1;

        /** Makes a place that is alive. */
        public Place(String name) {
            this.name = name;
        }

        /** Defers its events. */
        public final void pauseUntil(long instant) {
            pausedUntil = Math.max(pausedUntil, instant);
        }

        /** Drops its events from now on. */
        public final void die() {
            dead = true;
        }

        /** Returns whether it is alive. */
        public final boolean isAlive() {
            return !dead;
        }

        @Override
        public final String toString() {
            return name;
        }
    }

    private static final class Event implements Comparable<Event> {
        private long time;
        private long sequence;
        private final @Nullable Place place;
        private final Runnable action;

        Event(long time, long sequence, @Nullable Place place, Runnable action) {
            this.time = time;
            this.sequence = sequence;
            this.place = place;
            this.action = action;
        }

        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(time, other.time);
            return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
        }
    }

    private final PriorityQueue<Event> queue = new PriorityQueue<>(256);
    private final SplittableRandom random;
    private final Trace trace;
    private Consumer<@Nullable Place> afterEvent = place -> {};
    private long now;
    private long sequence;
    private long events;

    /** Makes a world at time zero. */
    public SimulatedWorld(long seed, Trace trace) {
        this.random = new SplittableRandom(seed);
        this.trace = trace;
    }

    /** Returns the instant, in nanoseconds. */
    public long now() {
        return now;
    }

    /** Returns the trace. */
    public Trace trace() {
        return trace;
    }

    /** Returns the number of events that have happened. */
    public long events() {
        return events;
    }

    /** Sets a check that gets the place of every event after it has happened. */
    public void afterEvent(Consumer<@Nullable Place> check) {
        afterEvent = check;
    }

    /** Schedules an event; a null place is never paused and never dies. */
    public void after(long delay, @Nullable Place place, Runnable action) {
        at(now + Math.max(0, delay), place, action);
    }

    /** Has something happen at an instant by an event, or at once if the instant is not later than now. */
    void when(long instant, @Nullable Place place, Runnable action) {
        if (instant > now) {
            at(instant, place, action);
        } else {
            action.run();
        }
    }

    /** Schedules an event at an instant that is not before now. */
    public void at(long instant, @Nullable Place place, Runnable action) {
        queue.add(new Event(Math.max(now, instant), sequence++, place, action));
    }

    /** Makes the next event happen. Returns false if there is none before the end. */
    public boolean step(long end) {
        while (true) {
            Event event = queue.peek();
            if (event == null || event.time > end) {
                return false;
            }
            queue.remove();
            now = event.time;
            Place place = event.place;
            if (place != null && place.dead) {
                continue;
            }
            if (place != null && place.pausedUntil > now) {
                event.time = place.pausedUntil;
                event.sequence = sequence++;
                queue.add(event);
                continue;
            }
            if (place != null) {
                place.stall = -1;
            }
            events++;
            trace.mix(now);
            event.action.run();
            afterEvent.accept(place);
            return true;
        }
    }

    // ---------------------------------------------------------------- randomness

    /** Returns true with that probability. */
    public boolean chance(double probability) {
        return probability > 0 && random.nextDouble() < probability;
    }

    /** Returns a value in {@code [0, bound)}, 0 for a bound that is not positive. */
    public long below(long bound) {
        return bound <= 0 ? 0 : random.nextLong(bound);
    }

    /** Returns a value in {@code [low, high]}. */
    public int between(int low, int high) {
        return low + (int) below(high - low + 1L);
    }

    /** Returns an exponentially distributed value with that mean, cut at twenty times the mean. */
    public long exponential(long mean) {
        return mean <= 0 ? 0 : (long) Math.min(20.0 * mean, -StrictMath.log(1 - random.nextDouble()) * mean);
    }

    /** Returns one of the values. */
    @SafeVarargs
    public final <T> T oneOf(T... values) {
        return values[(int) below(values.length)];
    }

    /** Returns the source of jitter for the code under test. */
    public RandomSource randomSource() {
        return random::nextLong;
    }

    /**
     * Returns how long the thread that runs the current event of a place is held up between leaving the mutex and posting its chains or
     * messages. Drawn once per event, because one thread's posts stay in order.
     */
    long stall(Place place, double probability, long mean) {
        if (place.stall < 0) {
            place.stall = chance(probability) ? exponential(mean) : 0;
        }
        return place.stall;
    }

    /** Adds a line to the trace. */
    public void note(Supplier<String> text) {
        trace.line(now, text);
    }
}
