// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.ibm.disni.verbs.IbvQP;
import io.declock.Purpose;
import io.declock.Verb;
import io.declock.rdma.verbs.Completions;
import io.declock.rdma.verbs.Constants;
import io.declock.rdma.verbs.Errno;
import io.declock.rdma.verbs.VerbsBackend;
import io.declock.spi.ExtendedAtomics;
import io.declock.spi.FabricException;
import io.declock.spi.RemoteMemory;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chains on one queue pair. Each chain takes a slot of a ring, see {@link ChainSlots}.
 *
 * <ol>
 *   <li>Post: under the lock, write the chain's requests, ring the doorbell once. Only the last request asks for a completion; a failed
 *       request causes a completion in any case.
 *   <li>Complete: on a reliable connection requests complete in order, so a completion ends the oldest chain in flight. Its slot is free
 *       after the chain has taken its results.
 *   <li>Wait: a chain that finds no free slot, or another thread just posting, waits. The thread that frees a slot, or has posted,
 *       posts it.
 * </ol>
 *
 * <p>A thread that posts a chain its caller waits for takes completions itself for a moment; any other posting thread takes them once,
 * see {@link Takers}.
 *
 * <p>Posting is thread-safe. The lock guards posting and the requests; no user's code is called while it is held. A chain in flight
 * belongs to the thread that takes it out of the ring, for its completion or its failure. After {@link #fail} has returned, the queue
 * pair is no longer used.
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
    private final WaitingChains waiting;

    private final AtomicReferenceArray<@Nullable VerbChain> inFlight;
    // Sequence numbers; the ring holds those from oldest to next. The first is written with the lock, the second by the
    // thread that takes completions.
    private volatile long next;
    private volatile long oldest;

    private volatile @Nullable FabricException failure;
    /** It has failed, but its waiting chains and later ones are for the session's next queue pair. */
    private volatile boolean interrupted;

    // The chain whose results are being taken; belongs to the thread that takes completions.
    private long taken;

    // The oldest chain at the last check, and the time of the check that first found it; belongs to the checking
    // thread.
    private long watched = -1;
    private long watchedSince;

    /**
     * Makes a queue of chains on a connected queue pair.
     *
     * @param broken called when the queue pair fails, perhaps more than once
     * @param takers the threads that take completions themselves
     * @param lock guards the ring; used by this queue only
     * @param waiting the session's waiting chains
     */
    VerbQueue(
            VerbsBackend backend,
            IbvQP qp,
            ChainSlots slots,
            RdmaCounters counters,
            Consumer<FabricException> broken,
            Takers takers,
            ReentrantLock lock,
            WaitingChains waiting) {
        this.backend = backend;
        this.qp = qp;
        this.slots = slots;
        this.counters = counters;
        this.broken = broken;
        this.takers = takers;
        this.lock = lock;
        this.waiting = waiting;
        this.inFlight = new AtomicReferenceArray<>(slots.count());
    }

    /** Makes a queue of chains on an established connection that has no successor. */
    static VerbQueue on(Connection connection, ConnectionManager manager, RegionGrant grant) throws IOException {
        return on(connection, manager, grant, new WaitingChains(queue -> {}));
    }

    /** Makes a queue of chains on an established connection, and lets the connection own its memory. */
    static VerbQueue on(Connection connection, ConnectionManager manager, RegionGrant grant, WaitingChains waiting)
            throws IOException {
        ConnectionSettings settings = manager.settings();
        ConnectionResources resources = connection.resources();
        ChainSlots slots = new ChainSlots(
                manager.backend(), resources.domain(), grant, settings.maxInFlight(), resources.inlineBytes());
        resources.owns(slots::release);
        VerbQueue queue = new VerbQueue(
                manager.backend(),
                resources.queuePair(),
                slots,
                manager.counters(),
                connection::fail,
                new Takers(resources.completionQueue(), settings.pollTime().toNanos()),
                new ReentrantLock(),
                waiting);
        resources.completionsTo(queue);
        return queue;
    }

    @Override
    public void post(VerbChain chain) {
        if (!slots.isGranted(chain)) {
            refuseExtended(chain);
            FabricException cause = new FabricException.Refused(
                    FabricException.Reason.BAD_REQUEST,
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

    private static void refuseExtended(VerbChain chain) {
        Verb extended = ExtendedAtomics.first(chain);
        if (extended != null) {
            throw new UnsupportedOperationException("the verb " + extended
                    + " cannot be posted by RDMA: the extended atomics of adapters are not supported");
        }
    }

    /** Posts a chain, or queues it if there is no room. Returns its sequence number, or -1 if it was not posted; it may already be over. */
    @SuppressWarnings("GuardedBy") // Error Prone does not follow tryLock().
    private long postOrQueue(VerbChain chain) {
        long sequence = -1;
        FabricException over = failure;
        if (over == null && lock.tryLock()) {
            FabricException failed = null;
            try {
                over = failure;
                if (over == null && waiting.noneWaits() && hasRoom()) {
                    sequence = next;
                    failed = postNow(chain);
                }
            } finally {
                lock.unlock();
            }
            if (failed != null) {
                broken.accept(failed);
            } else if (sequence >= 0 && !waiting.noneWaits()) {
                // Another thread found the lock taken meanwhile and queued its chain.
                postWaiting();
            }
            if (sequence >= 0) {
                return sequence;
            }
        }
        if (over != null && !interrupted) {
            fail(chain, over);
        } else {
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

    private boolean hasRoom() {
        return next - oldest < inFlight.length();
    }

    /** Posts as many waiting chains as there is room for. */
    @SuppressWarnings("GuardedBy") // Error Prone does not follow tryLock().
    private void postWaiting() {
        FabricException failed = null;
        // A thread that finds the lock taken leaves its chain to the lock's holder, which therefore re-checks the queue
        // after unlocking.
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

    @GuardedBy("lock")
    private @Nullable FabricException postWhatFits() {
        FabricException failed = null;
        while (failed == null && failure == null && hasRoom()) {
            VerbChain chain = waiting.poll();
            if (chain == null) {
                break;
            }
            failed = postNow(chain);
        }
        return failed;
    }

    /** Posts a chain with the lock held; the chain then counts as in flight. The caller must report a returned failure after unlocking. */
    @GuardedBy("lock")
    private @Nullable FabricException postNow(VerbChain chain) {
        long sequence = next;
        long first = slots.write(chain, sequence);
        inFlight.set(slots.slot(sequence), chain);
        next = sequence + 1;
        int errno = backend.postSend(qp, first);
        return errno == 0
                ? null
                : new FabricException("the adapter refused a request: " + Errno.describe(Math.abs(errno)));
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
            // The chain has already failed.
            return;
        }
        taken = sequence;
        complete(chain);
        // The slot is freed only now, because until here it held the results. Only one thread at a time takes
        // completions.
        oldest = sequence + 1;
        if (!waiting.noneWaits()) {
            postWaiting();
        }
    }

    private void complete(VerbChain chain) {
        try {
            chain.completed(this);
        } catch (RuntimeException e) {
            LOG.error("The completion of {} failed", chain, e);
        }
    }

    @Override
    public long word(int verb, int word) {
        return slots.word(taken, verb, word);
    }

    @Override
    public long underWay() {
        // In this order, a chain that ends meanwhile may still be counted, but a chain that begins is not missed.
        long first = oldest;
        return failure == null ? next - first : 0;
    }

    @Override
    public boolean isBusy() {
        // A waiting thread takes its own completion, so the completion thread need not poll for it.
        return underWay() > 0 && takers.count() == 0;
    }

    @Override
    public boolean needsEvent() {
        return underWay() > takers.count();
    }

    /** Returns the state of the queue pair as text. */
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
     * Returns whether the same chain was the oldest in flight at every check during the timeout. Because only checks read the clock,
     * posting need not. One thread at a time may check, a few times within the timeout.
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

    /** Posts chains that were left waiting: because a thread held the lock only to read the state, or by an interrupted queue. */
    void postWhatWasLeft() {
        if (waiting.noneWaits()) {
            return;
        }
        takers.enter();
        try {
            postWaiting();
        } finally {
            takers.leave(this);
        }
    }

    /** Fails all chains in flight, waiting chains and later ones. Once it has returned, the queue pair is no longer used. */
    void fail(FabricException cause) {
        List<VerbChain> lost = end(cause, false);
        lost.forEach(chain -> fail(chain, cause));
        failWaiting();
    }

    /**
     * Returns the chains in flight, of which it will never be known whether they were executed. Waiting chains and later ones wait for the
     * session's next queue pair. Once it has returned, this one is no longer used.
     */
    List<VerbChain> interrupt(FabricException cause) {
        return end(cause, true);
    }

    private List<VerbChain> end(FabricException cause, boolean goesOn) {
        List<VerbChain> lost = new ArrayList<>();
        lock.lock();
        try {
            boolean over = failure != null && !interrupted;
            boolean again = failure != null && goesOn;
            if (over || again) {
                return lost;
            }
            interrupted = goesOn;
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
        return lost;
    }

    private void failWaiting() {
        FabricException cause = failure;
        if (cause != null && interrupted) {
            waiting.left(this);
        } else if (cause != null) {
            waiting.failAll(cause);
        }
    }

    static void fail(VerbChain chain, FabricException cause) {
        try {
            chain.failed(cause);
        } catch (RuntimeException e) {
            LOG.error("The failure handler of {} failed", chain, e);
        }
    }
}
