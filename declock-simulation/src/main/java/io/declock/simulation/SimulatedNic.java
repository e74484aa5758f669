// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.Verb;
import io.declock.simulation.AdapterModel.Adapter;
import io.declock.spi.VerbChain;

/**
 * An adapter, of the memory node or of a compute node: every verb and message goes through one pipeline, atomics on addresses of the same bucket follow each other, and what is
 * carried goes over one link in each direction. An adapter with zero durations is infinitely fast.
 */
final class SimulatedNic {
    private static final int BUCKETS = 4096;
    /** Picoseconds in a nanosecond: at 100 Gbit/s a word takes less than one nanosecond. */
    private static final long PICOS = 1_000;

    /** What serves one after the other. Instants are in picoseconds. */
    private static final class Line {
        private long free;
        private long busy;

        /** Returns when it begins with something that comes at an instant. */
        long begin(long comes, long takes) {
            long start = Math.max(comes, free);
            free = start + takes;
            busy += takes;
            return start;
        }

        /** Returns when it has ended with something that comes at an instant. */
        long end(long comes, long takes) {
            return begin(comes, takes) + takes;
        }
    }

    private final Adapter speed;
    private final int bucketBits;
    private final long[] bucketFree;
    private final Line pipeline = new Line();
    private final Line inbound = new Line();
    private final Line outbound = new Line();

    SimulatedNic(Adapter speed) {
        this.speed = speed;
        this.bucketBits = Integer.numberOfTrailingZeros(speed.buckets());
        this.bucketFree = new long[speed.buckets()];
    }

    /** Makes one with one duration for each verb, and one between atomics of the same bucket. */
    SimulatedNic(long verbNanos, long atomicNanos) {
        this(new Adapter(verbNanos, verbNanos, verbNanos, 0, atomicNanos, BUCKETS, 0));
    }

    /** Makes one that is infinitely fast. */
    static SimulatedNic infinitelyFast() {
        return new SimulatedNic(Adapter.INFINITELY_FAST);
    }

    // ---------------------------------------------------------------- the memory node's side of verbs

    /** Returns when a verb that arrives now is executed. */
    long execution(VerbChain chain, int verb, long now) {
        Verb kind = chain.verb(verb);
        long arrived = now * PICOS;
        if (kind == Verb.WRITE) {
            arrived = inbound.end(arrived, picos(chain.words(verb) * (long) Long.BYTES));
        }
        long start = pipeline.begin(arrived, nanos(kind) * PICOS);
        if (speed.bucketNanos() == 0 || !isAtomic(kind)) {
            return nanos(start);
        }
        int bucket = bucket(chain.address(verb));
        long free = Math.max(start, bucketFree[bucket]);
        bucketFree[bucket] = free + speed.bucketNanos() * PICOS;
        return nanos(free);
    }

    private int bucket(long address) {
        return bucketBits == 0 ? 0 : (int) ((address >>> 3) * 0x9E3779B97F4A7C15L >>> Long.SIZE - bucketBits);
    }

    // ---------------------------------------------------------------- the compute node's side of verbs

    /** Returns when a chain that is posted now has left. */
    long posted(VerbChain chain, long now) {
        long left = now * PICOS;
        for (int i = 0; i < chain.size(); i++) {
            left = pipeline.end(left, nanos(chain.verb(i)) * PICOS);
            if (chain.verb(i) == Verb.WRITE) {
                left = outbound.end(left, picos(chain.words(i) * (long) Long.BYTES));
            }
        }
        return nanos(left);
    }

    // ---------------------------------------------------------------- both sides

    /** Returns when bytes that arrive from now on have arrived. */
    long received(long bytes, long now) {
        return nanos(inbound.end(now * PICOS, picos(bytes)));
    }

    /** Returns when bytes that are sent from now on have left. */
    long sent(long bytes, long now) {
        return nanos(outbound.end(now * PICOS, picos(bytes)));
    }

    /** Returns when a message that is sent now has left. */
    long messageSent(long bytes, long now) {
        return nanos(outbound.end(pipeline.end(now * PICOS, speed.messageNanos() * PICOS), picos(bytes)));
    }

    /** Returns when a message that arrives now is received. */
    long messageReceived(long bytes, long now) {
        return nanos(pipeline.end(inbound.end(now * PICOS, picos(bytes)), speed.messageNanos() * PICOS));
    }

    /** Returns for how many nanoseconds it has been busy: its pipeline, or a link that was busier. */
    long busyNanos() {
        return Math.max(pipeline.busy, Math.max(inbound.busy, outbound.busy)) / PICOS;
    }

    /** Returns how many bytes the results of a chain have. */
    static long resultBytes(VerbChain chain) {
        long words = 0;
        for (int i = 0; i < chain.size(); i++) {
            words += chain.verb(i) == Verb.WRITE ? 0 : chain.words(i);
        }
        return words * Long.BYTES;
    }

    /** Returns whether a chain has an atomic. */
    static boolean hasAtomic(VerbChain chain) {
        for (int i = 0; i < chain.size(); i++) {
            if (isAtomic(chain.verb(i))) {
                return true;
            }
        }
        return false;
    }

    static boolean isAtomic(Verb kind) {
        return kind != Verb.READ && kind != Verb.WRITE;
    }

    private long nanos(Verb kind) {
        return switch (kind) {
            case READ -> speed.readNanos();
            case WRITE -> speed.writeNanos();
            default -> speed.atomicNanos();
        };
    }

    private long picos(long bytes) {
        return speed.bytesPerNano() == 0 ? 0 : Math.round(bytes * PICOS / speed.bytesPerNano());
    }

    private static long nanos(long picos) {
        return (picos + PICOS - 1) / PICOS;
    }
}
