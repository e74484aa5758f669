// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.RecordLayout;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;
import org.openjdk.jcstress.infra.results.JJ_Result;
import org.openjdk.jcstress.infra.results.J_Result;

/** The words of a lock record in the region that in-process and TCP sessions use, changed by several processors at once. */
public class HeaderWordStress {
    private static final int RECORDS = 1 << 16;
    private static final RecordLayout LAYOUT = new RecordLayout(8);
    private static final Region REGION = region();
    private static final AtomicInteger NEXT = new AtomicInteger();
    private static final long EPOCH = 5;

    private HeaderWordStress() {}

    private static Region region() {
        Region region = Region.direct(RECORDS, LAYOUT.strideBytes());
        for (int record = 0; record < RECORDS; record++) {
            region.ensureSegment(record);
        }
        return region;
    }

    private static long header(int head, int size, int writers) {
        long address = LAYOUT.header(REGION.recordAddress(NEXT.getAndIncrement() & RECORDS - 1));
        REGION.write(address, LockHeader.pack(EPOCH, head, size, writers));
        return address;
    }

    /** Shows a header as epoch, head, size and writers in decimal digits, e.g. 5_00_02_01. */
    private static long digits(long header) {
        return ((LockHeader.epoch(header) * 100L + LockHeader.head(header)) * 100L + LockHeader.size(header)) * 100L
                + LockHeader.writers(header);
    }

    /** Two positions are taken at once: both count, and they have different indices. */
    @JCStressTest
    @State
    @Outcome(id = "0, 1, 5000201", expect = Expect.ACCEPTABLE, desc = "the writer came first")
    @Outcome(id = "1, 0, 5000201", expect = Expect.ACCEPTABLE, desc = "the reader came first")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a position was lost, given twice, or a field ran into another")
    public static class TwoPositions {
        private final long header = header(0, 0, 0);

        @Actor
        public void writer(JJJ_Result r) {
            r.r1 = LockHeader.tail(REGION.fetchAndAdd(header, LockHeader.acquire(true)));
        }

        @Actor
        public void reader(JJJ_Result r) {
            r.r2 = LockHeader.tail(REGION.fetchAndAdd(header, LockHeader.acquire(false)));
        }

        @Arbiter
        public void after(JJJ_Result r) {
            r.r3 = digits(REGION.read(header));
        }
    }

    /** A position is given back, which takes from two fields and adds to a third, while another is taken. */
    @JCStressTest
    @State
    @Outcome(id = "1, 5010101", expect = Expect.ACCEPTABLE, desc = "taken behind the holder, or after it")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a position was lost, or a field borrowed from another")
    public static class ReleaseAndAcquire {
        private final long header = header(0, 1, 1);

        @Actor
        public void leaves() {
            REGION.fetchAndAdd(header, LockHeader.release(true));
        }

        @Actor
        public void comes(JJ_Result r) {
            r.r1 = LockHeader.tail(REGION.fetchAndAdd(header, LockHeader.acquire(true)));
        }

        @Arbiter
        public void after(JJ_Result r) {
            r.r2 = digits(REGION.read(header));
        }
    }

    /** A caller that must not wait takes the lock by CAS while another takes a position by FAA: exactly one finds it free. */
    @JCStressTest
    @State
    @Outcome(id = "1, 1, 5000202", expect = Expect.ACCEPTABLE, desc = "the CAS came first")
    @Outcome(id = "0, 0, 5000101", expect = Expect.ACCEPTABLE, desc = "the FAA came first, the CAS failed")
    @Outcome(expect = Expect.FORBIDDEN, desc = "both hold the lock, or neither")
    public static class SwapAndAdd {
        private final long header = header(0, 0, 0);

        @Actor
        public void tries(JJJ_Result r) {
            long free = LockHeader.pack(EPOCH, 0, 0, 0);
            long found = REGION.compareAndSwap(header, free, free + LockHeader.acquire(true));
            r.r1 = found == free ? 1 : 0;
        }

        @Actor
        public void queues(JJJ_Result r) {
            r.r2 = LockHeader.tail(REGION.fetchAndAdd(header, LockHeader.acquire(true)));
        }

        @Arbiter
        public void after(JJJ_Result r) {
            r.r3 = digits(REGION.read(header));
        }
    }

    /** A queue entry is written while it is read: one sees all of it or nothing. */
    @JCStressTest
    @State
    @Outcome(
            id = {"-1", "81985529216486895"},
            expect = Expect.ACCEPTABLE,
            desc = "all of it, or nothing")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a part of it")
    public static class EntryIsNotTorn {
        private final long entry = entry();

        private static long entry() {
            long address = LAYOUT.entry(REGION.recordAddress(NEXT.getAndIncrement() & RECORDS - 1), 0);
            REGION.write(address, -1L);
            return address;
        }

        @Actor
        public void waiter() {
            REGION.write(entry, 0x0123456789ABCDEFL);
        }

        @Actor
        public void holder(J_Result r) {
            r.r1 = REGION.read(entry);
        }
    }
}
