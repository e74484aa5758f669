// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import com.ibm.disni.verbs.IbvQP;
import io.declock.Purpose;
import io.declock.rdma.verbs.Completions;
import io.declock.rdma.verbs.Constants;
import io.declock.rdma.verbs.Errno;
import io.declock.rdma.verbs.VerbsBackend;
import io.declock.spi.FabricException;
import io.declock.spi.RemoteMemory;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chains on one queue pair. Each chain takes a place in a ring, see {@link ChainSlots}.
 *
 * <ol>
 *   <li>Post: under the lock, write the chain's requests, ring the doorbell once. Only the last asks for a completion; a failed one
 *       makes a completion in any case.
 *   <li>Complete: on a reliable connection requests complete in order, so a completion ends the oldest chain in flight. Its place
 *       is free after the chain has taken its results.
 *   <li>What finds no free place, or another thread just posting, waits, and is posted by the thread that frees one or has posted.
 * </ol>
 *
 * <p>Who posts for a caller that waits takes completions itself for a moment, everybody else once, see {@link Takers}.
 *
 * <p>Posting is thread-safe. The lock guards posting and the requests; nothing of a user is called while it is held. A chain in
 * flight belongs to who takes it out of the ring, its completion or a failure. After {@link #fail} returned, the queue pair is not
 * touched any more.
 */
final class VerbQueue implements RemoteMemory, CompletionLoop.Handler, VerbResults, Takers.Ring {
    private static final Logger LOG = LoggerFactory.getLogger(VerbQueue.class);

    private final VerbsBackend backend;
    private final IbvQP qp;
    private final ChainSlots slots;
    private final RdmaCounters counters;
    private final Consumer<FabricException> broken;
    private final Takers takers;
    private final ReentrantLock lock;
    private final Queue<VerbChain> waiting = new ConcurrentLinkedQueue<>();
    // Counted up before one is added and down after it was taken out: who sees none need not look into the queue.
    private final AtomicInteger announced = new AtomicInteger();

    private final AtomicReferenceArray<@Nullable VerbChain> inFlight;
    // Sequence numbers, of which the ring holds those from oldest to next. Written with the lock and by who takes
    // completions.
    private volatile long next;
    private volatile long oldest;

    private volatile @Nullable FabricException failure;

    // The chain whose results are being taken; belongs to who takes completions.
    private long taken;

    // What was the oldest at the last look, and since which look; belongs to who looks.
    private long watched = -1;
    private long watchedSince;

    /**
     * Makes one on a connected queue pair.
     *
     * @param broken told when the queue pair fails; it may be more than once
     * @param takers the threads that take completions themselves
     * @param lock guards the ring; nobody else's
     */
    VerbQueue(
            VerbsBackend backend,
            IbvQP qp,
            ChainSlots slots,
            RdmaCounters counters,
            Consumer<FabricException> broken,
            Takers takers,
            ReentrantLock lock) {
        this.backend = backend;
        this.qp = qp;
        this.slots = slots;
        this.counters = counters;
        this.broken = broken;
        this.takers = takers;
        this.lock = lock;
        this.inFlight = new AtomicReferenceArray<>(slots.count());
    }

    /** Makes one on a connection that stands, and lets the connection own its memory. */
    static VerbQueue on(Connection connection, ConnectionManager manager, RegionGrant grant) throws IOException {
        ConnectionSettings settings = manager.settings();
        ChainSlots slots = new ChainSlots(
                manager.backend(), connection.domain(), grant, settings.maxInFlight(), connection.inlineBytes());
        connection.owns(slots::release);
        VerbQueue queue = new VerbQueue(
                manager.backend(),
                connection.queuePair(),
                slots,
                manager.counters(),
                connection::fail,
                new Takers(connection.completionQueue(), settings.pollTime().toNanos()),
                new ReentrantLock());
        connection.completionsTo(queue);
        return queue;
    }

    @Override
    public void post(VerbChain chain) {
        if (!slots.isGranted(chain)) {
            FabricException cause = new FabricException(
                    chain + " reaches outside the memory that the memory node granted: " + slots.granted() + " bytes");
            fail(chain, cause);
            broken.accept(cause);
            return;
        }
        if (takers.isTaking()) {
            postOrQueue(chain);
            return;
        }
        takers.enter();
        try {
            boolean waitedFor = chain.purpose() == Purpose.ACQUIRE || chain.purpose() == Purpose.CONVERT;
            long sequence = postOrQueue(chain);
            if (sequence >= 0) {
                takers.take(this, sequence, waitedFor);
            }
        } finally {
            takers.leave(this);
        }
    }

    /** Posts, or queues what finds no room; returns the chain's sequence number, -1 if it was not posted. It may be over then. */
    private long postOrQueue(VerbChain chain) {
        long sequence = -1;
        FabricException over = failure;
        if (over == null && lock.tryLock()) {
            FabricException failed = null;
            try {
                over = failure;
                if (over == null && noneWaits() && hasRoom()) {
                    sequence = next;
                    failed = postNow(chain);
                }
            } finally {
                lock.unlock();
            }
            if (failed != null) {
                broken.accept(failed);
            } else if (sequence >= 0 && !noneWaits()) {
                // Somebody found the lock taken meanwhile.
                postWaiting();
            }
            if (sequence >= 0) {
                return sequence;
            }
        }
        if (over != null) {
            fail(chain, over);
        } else {
            announced.incrementAndGet();
            waiting.add(chain);
            counters.waits.increment();
            postWaiting();
        }
        return -1;
    }

    @Override
    public boolean isOver(long sequence) {
        return oldest > sequence || failure != null;
    }

    /** Returns whether certainly nothing waits. */
    private boolean noneWaits() {
        return announced.get() == 0;
    }

    private @Nullable VerbChain nextWaiting() {
        VerbChain chain = waiting.poll();
        if (chain != null) {
            announced.decrementAndGet();
        }
        return chain;
    }

    private boolean hasRoom() {
        return next - oldest < inFlight.length();
    }

    /** Posts as much of what waits as there is room for. */
    private void postWaiting() {
        FabricException failed = null;
        // Who finds the lock taken leaves what it knows of to who has it: so that one looks again after letting it go.
        while (failed == null && failure == null && hasRoom() && !waiting.isEmpty() && lock.tryLock()) {
            try {
                failed = postWhatFits();
            } finally {
                lock.unlock();
            }
        }
        if (failed != null) {
            broken.accept(failed);
        } else {
            failWaiting();
        }
    }

    // With the lock held.
    private @Nullable FabricException postWhatFits() {
        FabricException failed = null;
        while (failed == null && failure == null && hasRoom()) {
            VerbChain chain = nextWaiting();
            if (chain == null) {
                break;
            }
            failed = postNow(chain);
        }
        return failed;
    }

    /** Posts with the lock held; what it returns is to be reported without it. The chain then counts as in flight. */
    private @Nullable FabricException postNow(VerbChain chain) {
        long sequence = next;
        long first = slots.write(chain, sequence);
        inFlight.set(slots.slot(sequence), chain);
        next = sequence + 1;
        int errno = backend.postSend(qp, first);
        return errno == 0
                ? null
                : new FabricException("the adapter took no request: " + Errno.describe(Math.abs(errno)));
    }

    @Override
    public void completed(Completions completions, int i) {
        int status = completions.status(i);
        if (status != Constants.IBV_WC_SUCCESS) {
            counters.error(status);
            broken.accept(new FabricException("the adapter reported " + CompletionStatus.describe(status)));
            return;
        }
        long sequence = oldest;
        int slot = slots.slot(sequence);
        if (completions.id(i) != slot) {
            return;
        }
        VerbChain chain = inFlight.getAndSet(slot, null);
        if (chain == null) {
            // It has failed.
            return;
        }
        taken = sequence;
        complete(chain);
        // Only now: until here the results lay in the slot. Whoever takes completions has the queue to himself.
        oldest = sequence + 1;
        if (!noneWaits()) {
            postWaiting();
        }
    }

    private void complete(VerbChain chain) {
        try {
            chain.completed(this);
        } catch (RuntimeException e) {
            LOG.error("The completion of {} threw", chain, e);
        }
    }

    @Override
    public long word(int verb, int word) {
        return slots.word(taken, verb, word);
    }

    @Override
    public long underWay() {
        // In this order a chain that ends meanwhile is counted, not one missed that begins.
        long first = oldest;
        return failure == null ? next - first : 0;
    }

    @Override
    public boolean isBusy() {
        // Who waits itself needs no help.
        return underWay() > 0 && takers.count() == 0;
    }

    @Override
    public boolean needsEvent() {
        return underWay() > takers.count();
    }

    /** Returns how the queue pair is doing, for people. */
    String state() {
        String state;
        lock.lock();
        try {
            state = failure == null ? backend.queuePairState(qp) : "ended: " + failure.getMessage();
        } finally {
            lock.unlock();
        }
        postWhatWasLeft();
        return state;
    }

    /**
     * Returns whether the same chain was the oldest in flight at every look for that long. So posting need not read the clock. One
     * thread at a time may look, a few times within the time.
     */
    boolean isStuck(long now, long timeoutNanos) {
        long first = oldest;
        if (first == next || first != watched) {
            watched = first == next ? -1 : first;
            watchedSince = now;
            return false;
        }
        return now - watchedSince >= timeoutNanos;
    }

    /** Posts what found the lock taken by a thread that only looked. */
    private void postWhatWasLeft() {
        if (noneWaits()) {
            return;
        }
        takers.enter();
        try {
            postWaiting();
        } finally {
            takers.leave(this);
        }
    }

    /** Fails everything in flight, waiting and to come. Once it has returned, the queue pair is not touched any more. */
    void fail(FabricException cause) {
        List<VerbChain> lost = new ArrayList<>();
        lock.lock();
        try {
            if (failure != null) {
                return;
            }
            failure = cause;
            for (long i = oldest; i != next; i++) {
                VerbChain chain = inFlight.getAndSet(slots.slot(i), null);
                if (chain != null) {
                    lost.add(chain);
                }
            }
        } finally {
            lock.unlock();
        }
        lost.forEach(chain -> fail(chain, cause));
        failWaiting();
    }

    private void failWaiting() {
        FabricException cause = failure;
        if (cause == null) {
            return;
        }
        for (VerbChain chain = nextWaiting(); chain != null; chain = nextWaiting()) {
            fail(chain, cause);
        }
    }

    private static void fail(VerbChain chain, FabricException cause) {
        try {
            chain.failed(cause);
        } catch (RuntimeException e) {
            LOG.error("The failure of {} threw", chain, e);
        }
    }
}
