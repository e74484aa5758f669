// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.declock.rdma.verbs.Completions;
import io.declock.rdma.verbs.Constants;
import io.declock.rdma.verbs.Layouts;
import io.declock.rdma.verbs.SendRequests;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** Posting and polling through the function pointers of a context, without a device. */
class InlineVerbsTest {
    @Test
    void aChainArrivesAsItWasWritten() throws Exception {
        try (StubDevice device = new StubDevice();
                SendRequests requests = new SendRequests(2);
                Completions completions = new Completions(4)) {
            requests.header(0, 7, Constants.IBV_WR_ATOMIC_FETCH_AND_ADD, 0);
            requests.atomic(0, 0x1000, 0x42, -3, 0);
            requests.local(0, 0x2000, 8, 0x11);
            requests.header(1, 7, Constants.IBV_WR_RDMA_READ, Constants.IBV_SEND_FENCE | Constants.IBV_SEND_SIGNALED);
            requests.remote(1, 0x1008, 0x42);
            requests.local(1, 0x3000, 80, 0x11);
            requests.link(0, 1);

            assertThat(device.post(requests.address(0))).isZero();

            MemorySegment first = struct(device.lastPosted);
            assertThat(at(first, "wr_id")).isEqualTo(7);
            assertThat(at(first, "next")).isEqualTo(requests.address(1));
            assertThat(at(first, "remote_addr")).isEqualTo(0x1000);
            assertThat(at(first, "compare_add")).isEqualTo(-3);
            assertThat(intAt(first, "rkey")).isEqualTo(0x42);
            assertThat(intAt(first, "send_flags")).isZero();
            MemorySegment second = struct(at(first, "next"));
            assertThat(at(second, "next")).isZero();
            assertThat(intAt(second, "opcode")).isEqualTo(4);
            assertThat(intAt(second, "send_flags")).isEqualTo(3);
            // wr.rdma.rkey
            assertThat(second.get(ValueLayout.JAVA_INT, 48)).isEqualTo(0x42);
            MemorySegment element =
                    MemorySegment.ofAddress(at(second, "sg_list")).reinterpret(16);
            assertThat(element.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(0x3000);
            assertThat(element.get(ValueLayout.JAVA_INT, 8)).isEqualTo(80);

            assertThat(device.poll(4, completions.address())).isEqualTo(1);
            assertThat(completions.id(0)).isEqualTo(requests.address(0));
            assertThat(completions.status(0)).isZero();
            assertThat(device.poll(4, completions.address())).isZero();
            assertThat(device.notify(true)).isEqualTo(1);
            device.errno = 12;
            assertThat(device.post(requests.address(0))).isEqualTo(12);
        }
    }

    private static MemorySegment struct(long address) {
        return MemorySegment.ofAddress(address).reinterpret(Layouts.IBV_SEND_WR.byteSize());
    }

    private static long at(MemorySegment struct, String field) {
        return struct.get(ValueLayout.JAVA_LONG, Layouts.offset(Layouts.IBV_SEND_WR, field));
    }

    private static int intAt(MemorySegment struct, String field) {
        return struct.get(ValueLayout.JAVA_INT, Layouts.offset(Layouts.IBV_SEND_WR, field));
    }

    /** Writing, posting and polling a verb puts nothing on the heap. */
    @Test
    void aVerbAllocatesNothing() throws Exception {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (StubDevice device = new StubDevice();
                SendRequests requests = new SendRequests(1);
                Completions completions = new Completions(4)) {
            verbs(device, requests, completions, 100_000);

            long before = threads.getCurrentThreadAllocatedBytes();
            verbs(device, requests, completions, 100_000);
            long bytes = threads.getCurrentThreadAllocatedBytes() - before;

            // The management bean and an occasional deoptimisation allocate, too, but far less than a byte per verb.
            assertThat(bytes).isLessThan(100_000 / 4);
        }
    }

    private static void verbs(StubDevice device, SendRequests requests, Completions completions, int count) {
        for (int i = 0; i < count; i++) {
            requests.header(0, i, Constants.IBV_WR_ATOMIC_FETCH_AND_ADD, Constants.IBV_SEND_SIGNALED);
            requests.atomic(0, 0x1000, 0x42, 1, 0);
            requests.local(0, 0x2000, 8, 0x11);
            device.post(requests.address(0));
            device.poll(4, completions.address());
        }
    }
}
