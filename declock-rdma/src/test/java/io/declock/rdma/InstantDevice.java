// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvQP;
import io.declock.Verb;
import io.declock.internal.memorynode.Region;
import io.declock.rdma.verbs.Constants;
import io.declock.rdma.verbs.Layouts;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;

/**
 * A device that executes requests before posting returns, on a region of this JVM that is granted at address 0: the time of an operation
 * with it is the time that the device does not cause. Allocates nothing per verb. Instead of sending events it lets a thread that waits for
 * one check every 100 µs, because an event costs nothing on the thread that posts. One thread at a time may post, and one poll.
 */
final class InstantDevice extends RecordingBackend {
    private static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    private static final int ENTRIES = 1024;
    private static final long LOOK_NANOS = 100_000;

    private static final long WR_ID = Layouts.offset(Layouts.IBV_SEND_WR, "wr_id");
    private static final long NEXT = Layouts.offset(Layouts.IBV_SEND_WR, "next");
    private static final long SG_LIST = Layouts.offset(Layouts.IBV_SEND_WR, "sg_list");
    private static final long OPCODE = Layouts.offset(Layouts.IBV_SEND_WR, "opcode");
    private static final long FLAGS = Layouts.offset(Layouts.IBV_SEND_WR, "send_flags");
    private static final long REMOTE = Layouts.offset(Layouts.IBV_SEND_WR, "remote_addr");
    private static final long OPERAND = Layouts.offset(Layouts.IBV_SEND_WR, "compare_add");
    private static final long SWAP = Layouts.offset(Layouts.IBV_SEND_WR, "swap");
    private static final long LOCAL = Layouts.offset(Layouts.IBV_SGE, "addr");
    private static final long LENGTH = Layouts.offset(Layouts.IBV_SGE, "length");
    private static final long ID = Layouts.offset(Layouts.IBV_WC, "wr_id");
    private static final long STATUS = Layouts.offset(Layouts.IBV_WC, "status");

    private final Region region;
    private final long[] completed = new long[ENTRIES];
    private volatile long posted;
    private volatile long polled;

    InstantDevice(Region region) {
        this.region = region;
    }

    @Override
    public int postSend(IbvQP qp, long workRequest) {
        for (long wr = workRequest; wr != 0; wr = MEMORY.get(JAVA_LONG, wr + NEXT)) {
            execute(wr);
            if ((MEMORY.get(JAVA_INT, wr + FLAGS) & Constants.IBV_SEND_SIGNALED) != 0) {
                completed[(int) posted % ENTRIES] = MEMORY.get(JAVA_LONG, wr + WR_ID);
                posted = posted + 1;
            }
        }
        return 0;
    }

    private void execute(long wr) {
        long element = MEMORY.get(JAVA_LONG, wr + SG_LIST);
        long local = MEMORY.get(JAVA_LONG, element + LOCAL);
        int bytes = MEMORY.get(JAVA_INT, element + LENGTH);
        long remote = MEMORY.get(JAVA_LONG, wr + REMOTE);
        long operand = MEMORY.get(JAVA_LONG, wr + OPERAND);
        switch (MEMORY.get(JAVA_INT, wr + OPCODE)) {
            case Constants.IBV_WR_ATOMIC_FETCH_AND_ADD ->
                MEMORY.set(JAVA_LONG, local, region.execute(Verb.FETCH_AND_ADD, remote, operand, 0));
            case Constants.IBV_WR_ATOMIC_CMP_AND_SWP ->
                MEMORY.set(
                        JAVA_LONG,
                        local,
                        region.execute(Verb.COMPARE_AND_SWAP, remote, operand, MEMORY.get(JAVA_LONG, wr + SWAP)));
            case Constants.IBV_WR_RDMA_READ -> {
                for (int at = 0; at < bytes; at += Long.BYTES) {
                    MEMORY.set(JAVA_LONG, local + at, region.read(remote + at));
                }
            }
            case Constants.IBV_WR_RDMA_WRITE -> {
                for (int at = 0; at < bytes; at += Long.BYTES) {
                    region.execute(Verb.WRITE, remote + at, MEMORY.get(JAVA_LONG, local + at), 0);
                }
            }
            default -> throw new IllegalArgumentException("no such operation");
        }
    }

    @Override
    public int pollCq(IbvCQ cq, int entries, long completions) {
        long next = polled;
        int count = (int) Math.min(entries, posted - next);
        for (int i = 0; i < count; i++) {
            long wc = completions + i * Layouts.IBV_WC.byteSize();
            MEMORY.set(JAVA_LONG, wc + ID, completed[(int) (next + i) % ENTRIES]);
            MEMORY.set(JAVA_INT, wc + STATUS, Constants.IBV_WC_SUCCESS);
        }
        polled = next + count;
        return count;
    }

    @Override
    public boolean awaitCqEvent(IbvCompChannel channel, IbvCQ any, int timeoutMillis) {
        LockSupport.parkNanos(LOOK_NANOS);
        return true;
    }

    @Override
    public boolean canWake() {
        return true;
    }
}
