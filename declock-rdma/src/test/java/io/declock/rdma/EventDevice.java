// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import io.declock.rdma.verbs.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A simulated device: a test decides which operations complete, and when. As ibv_req_notify_cq(3) says, a request for an event gives one
 * event, for the first completion after it. Thread-safe.
 */
final class EventDevice extends RecordingBackend {
    /** A permit for each time that somebody slept until an event. */
    final Semaphore sleeps = new Semaphore(0);

    /** A permit for each time that an event was asked for. */
    final Semaphore armings = new Semaphore(0);

    /** What happens just before events are asked for, one each time. */
    final Queue<Runnable> beforeArming = new ConcurrentLinkedQueue<>();

    /** What happens just after a thread found nothing completed, once. */
    final Map<Thread, Runnable> afterLooking = new ConcurrentHashMap<>();

    /** What happens just after something was posted, one each time. */
    final Queue<Runnable> afterPosting = new ConcurrentLinkedQueue<>();

    /** How many chains were posted. */
    final AtomicLong posted = new AtomicLong();

    private volatile boolean asleep;
    private final Queue<Long> completed = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean armed = new AtomicBoolean();
    private final Semaphore events = new Semaphore(0);

    /** The request of that id completes. */
    void complete(long id) {
        completed.add(id);
        if (armed.getAndSet(false)) {
            events.release();
        }
    }

    /** Returns whether somebody sleeps until an event. */
    boolean isAsleep() {
        return asleep && events.availablePermits() == 0;
    }

    @Override
    public int postSend(IbvQP qp, long workRequest) {
        int errno = super.postSend(qp, workRequest);
        posted.incrementAndGet();
        Runnable next = afterPosting.poll();
        if (next != null) {
            next.run();
        }
        return errno;
    }

    @Override
    public int pollCq(IbvCQ cq, int entries, long completions) {
        Long id = completed.poll();
        if (id == null) {
            Runnable next = afterLooking.remove(Thread.currentThread());
            if (next != null) {
                next.run();
            }
            return 0;
        }
        MemorySegment wc = MemorySegment.ofAddress(completions).reinterpret(Layouts.IBV_WC.byteSize());
        wc.set(JAVA_LONG, Layouts.offset(Layouts.IBV_WC, "wr_id"), id);
        wc.set(JAVA_INT, Layouts.offset(Layouts.IBV_WC, "status"), 0);
        return 1;
    }

    @Override
    public int requestNotify(IbvCQ cq) {
        Runnable next = beforeArming.poll();
        if (next != null) {
            next.run();
        }
        armed.set(true);
        armings.release();
        return 0;
    }

    @Override
    public boolean awaitCqEvent(IbvCompChannel channel, IbvCQ any, int timeoutMillis) {
        asleep = true;
        sleeps.release();
        events.acquireUninterruptibly();
        asleep = false;
        return true;
    }

    @Override
    public boolean canWake() {
        return true;
    }

    @Override
    public void wake(IbvCompChannel channel) {
        events.release();
    }

    /** Returns a context of such a device. */
    static IbvContext context() throws IOException {
        DisniProvider.ensure();
        return new Context();
    }

    /** DiSNI's objects, without anything behind them. */
    private static final class Context extends IbvContext {
        Context() throws IOException {
            super(-1, 1);
        }

        @Override
        public IbvPd allocPd() throws IOException {
            return new Pd(this);
        }

        @Override
        public IbvCompChannel createCompChannel() throws IOException {
            return new Channel(this);
        }

        @Override
        public IbvCQ createCQ(IbvCompChannel channel, int entries, int vector) throws IOException {
            return new Cq(this, channel);
        }
    }

    private static final class Pd extends IbvPd {
        Pd(IbvContext context) throws IOException {
            super(context);
        }

        @Override
        public int deallocPd() {
            return 0;
        }
    }

    private static final class Channel extends IbvCompChannel {
        Channel(IbvContext context) throws IOException {
            super(-1, context);
        }

        @Override
        public int destroyCompChannel() {
            return 0;
        }
    }

    private static final class Cq extends IbvCQ {
        Cq(IbvContext context, IbvCompChannel channel) throws IOException {
            super(context, channel, -1);
        }

        @Override
        public int destroyCQ() {
            return 0;
        }
    }
}
