// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import io.declock.fabric.FabricException;
import io.declock.fabric.Purpose;
import io.declock.fabric.RemoteMemory;
import io.declock.fabric.Verb;
import io.declock.fabric.VerbChain;
import io.declock.fabric.VerbResults;
import io.declock.rdma.verbs.Completions;
import io.declock.rdma.verbs.Constants;
import io.declock.rdma.verbs.Errno;
import io.declock.rdma.verbs.SendRequests;
import io.declock.rdma.verbs.VerbsBackend;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chains on one queue pair. Each chain takes a slot of a ring: native requests and registered memory for what it reads and writes.
 *
 * <ol>
 *   <li>Post: under the lock, fill the slot's requests, link them, ring the doorbell once. Only the last asks for a completion;
 *       a failed one makes a completion in any case.
 *   <li>Complete: on a reliable connection requests complete in order, so a completion ends the oldest chain in flight. Its slot
 *       is free after the chain has taken its results.
 *   <li>What finds no free slot waits, and is posted by the thread that frees one.
 * </ol>
 *
 * <p>Order: the responder of a reliable connection begins requests in order and ends an atomic before it begins what follows, so
 * atomics and READs need nothing. Only a READ's words may be fetched late, after a WRITE behind it: such a WRITE of the same chain
 * has a fence. Nothing else has one, deliberately: it would wait for everything under way on the queue pair, and the Soft-RoCE of
 * Linux 6.1 now and then forgets a fenced request until the next one is posted.
 *
 * <p>Who posts for a caller that waits takes completions itself for a moment, see {@link Takers}.
 *
 * <p>Posting is thread-safe. The lock guards the ring and the requests; nothing of a user is called while it is held. After {@link
 * #fail} returned, the queue pair is not touched any more.
 */
final class VerbQueue implements RemoteMemory, CompletionLoop.Handler, VerbResults, Takers.Ring {
    /** Most words of one READ or WRITE, as over TCP. */
    static final int MAX_WORDS = 512;

    private static final Logger LOG = LoggerFactory.getLogger(VerbQueue.class);
    private static final int VERBS = VerbChain.MAX_VERBS;

    /** Where the results and the data of a verb lie in its slot: each has room for the largest. */
    private static final long VERB_BYTES = (long) MAX_WORDS * Long.BYTES;

    private static final long SLOT_BYTES = VERBS * VERB_BYTES;

    private final VerbsBackend backend;
    private final IbvQP qp;
    private final RegionGrant grant;
    private final int inlineBytes;
    private final RdmaCounters counters;
    private final Consumer<FabricException> broken;
    private final Takers takers;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;
    private final IbvMr registration;
    private final SendRequests requests;
    private final int mask;
    private final ReentrantLock lock = new ReentrantLock();
    private final Queue<VerbChain> waiting = new ConcurrentLinkedQueue<>();

    // Guarded by the lock.
    private final @Nullable VerbChain[] inFlight;
    private final long[] postedAt;
    // Sequence numbers, of which the ring holds those from oldest to next. Written with the lock and by who takes
    // completions.
    private volatile long next;
    private volatile long oldest;

    private volatile @Nullable FabricException failure;

    // The chain whose results are being taken; belongs to who takes completions.
    private long taken;

    /**
     * Makes one on a connected queue pair.
     *
     * @param grant what of the other side's memory may be used
     * @param inlineBytes the most that the queue pair takes inline
     * @param broken told once when the queue pair fails
     * @param takers the threads that take completions themselves
     */
    VerbQueue(
            VerbsBackend backend,
            IbvQP qp,
            IbvPd pd,
            RegionGrant grant,
            int slots,
            int inlineBytes,
            RdmaCounters counters,
            Consumer<FabricException> broken,
            Takers takers)
            throws IOException {
        this.backend = backend;
        this.qp = qp;
        this.grant = grant;
        this.inlineBytes = inlineBytes;
        this.counters = counters;
        this.broken = broken;
        this.takers = takers;
        this.mask = slots - 1;
        this.inFlight = new @Nullable VerbChain[slots];
        this.postedAt = new long[slots];
        this.requests = new SendRequests(slots * VERBS);
        this.memory = arena.allocate(slots * SLOT_BYTES, 4096);
        this.registration = backend.register(pd, memory.address(), memory.byteSize(), Constants.IBV_ACCESS_LOCAL_WRITE);
    }

    /** Makes one on a connection that stands, and lets the connection own it. */
    static VerbQueue on(Connection connection, ConnectionManager manager, RegionGrant grant) throws IOException {
        VerbQueue queue = new VerbQueue(
                manager.backend(),
                connection.queuePair(),
                connection.domain(),
                grant,
                manager.settings().maxInFlight(),
                connection.inlineBytes(),
                manager.counters(),
                connection::fail,
                new Takers(
                        connection.completionQueue(),
                        manager.settings().pollTime().toNanos()));
        connection.owns(queue::release);
        connection.completionsTo(queue);
        return queue;
    }

    @Override
    public void post(VerbChain chain) {
        if (!isGranted(chain)) {
            FabricException cause = new FabricException(
                    chain + " reaches outside the memory that the memory node granted: " + grant.length() + " bytes");
            fail(chain, cause);
            broken.accept(cause);
            return;
        }
        boolean waitedFor = chain.purpose() == Purpose.ACQUIRE || chain.purpose() == Purpose.CONVERT;
        if (waitedFor && takers.enter()) {
            try {
                long sequence = postOrQueue(chain);
                if (sequence >= 0) {
                    takers.takeUntil(this, sequence);
                }
            } finally {
                takers.leave();
            }
        } else {
            postOrQueue(chain);
        }
    }

    /** Posts, or queues what finds no room; returns the chain's sequence number, -1 if it was not posted. It may be over then. */
    private long postOrQueue(VerbChain chain) {
        long sequence = -1;
        FabricException over = failure;
        if (over == null && waiting.isEmpty() && lock.tryLock()) {
            FabricException failed = null;
            try {
                over = failure;
                if (over == null && waiting.isEmpty() && hasRoom()) {
                    sequence = next;
                    failed = postNow(chain);
                }
            } finally {
                lock.unlock();
            }
            if (failed != null) {
                broken.accept(failed);
            } else if (sequence >= 0 && !waiting.isEmpty()) {
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

    private boolean isGranted(VerbChain chain) {
        for (int i = 0; i < chain.size(); i++) {
            long address = chain.address(i);
            int words = chain.words(i);
            if (address < 0
                    || (address & Long.BYTES - 1) != 0
                    || words < 1
                    || words > MAX_WORDS
                    || address > grant.length() - (long) words * Long.BYTES) {
                return false;
            }
        }
        return chain.size() > 0;
    }

    // With the lock held.
    private boolean hasRoom() {
        return next - oldest <= mask;
    }

    /** Posts as much of what waits as there is room for. */
    private void postWaiting() {
        FabricException failed = null;
        // Whoever holds the lock may have looked before the chain was there; so look again after it was let go.
        while (failed == null && !waiting.isEmpty() && lock.tryLock()) {
            try {
                if (failure != null || !hasRoom()) {
                    break;
                }
                while (failed == null && hasRoom()) {
                    VerbChain chain = waiting.poll();
                    if (chain == null) {
                        break;
                    }
                    failed = postNow(chain);
                }
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

    /** Posts with the lock held; what it returns is to be reported without it. The chain then counts as in flight. */
    private @Nullable FabricException postNow(VerbChain chain) {
        long sequence = next;
        int slot = (int) sequence & mask;
        int first = slot * VERBS;
        boolean read = false;
        for (int i = 0; i < chain.size(); i++) {
            write(chain, i, sequence, first + i, slot * SLOT_BYTES + i * VERB_BYTES, read);
            read |= chain.verb(i) == Verb.READ;
            if (i > 0) {
                requests.link(first + i - 1, first + i);
            }
        }
        requests.flag(first + chain.size() - 1, Constants.IBV_SEND_SIGNALED);
        inFlight[slot] = chain;
        postedAt[slot] = System.nanoTime();
        next = sequence + 1;
        int errno = backend.postSend(qp, requests.address(first));
        return errno == 0
                ? null
                : new FabricException("the adapter took no request: " + Errno.describe(Math.abs(errno)));
    }

    private void write(VerbChain chain, int i, long sequence, int request, long at, boolean behindRead) {
        long remote = grant.address() + chain.address(i);
        int bytes = chain.words(i) * Long.BYTES;
        requests.local(request, memory.address() + at, bytes, registration.getLkey());
        switch (chain.verb(i)) {
            case FETCH_AND_ADD -> {
                requests.header(request, sequence, Constants.IBV_WR_ATOMIC_FETCH_AND_ADD, 0);
                requests.atomic(request, remote, grant.key(), chain.operand(i), 0);
            }
            case COMPARE_AND_SWAP -> {
                requests.header(request, sequence, Constants.IBV_WR_ATOMIC_CMP_AND_SWP, 0);
                requests.atomic(request, remote, grant.key(), chain.operand(i), chain.desired(i));
            }
            case READ -> {
                requests.header(request, sequence, Constants.IBV_WR_RDMA_READ, 0);
                requests.remote(request, remote, grant.key());
            }
            case WRITE -> {
                for (int w = 0; w < chain.words(i); w++) {
                    memory.set(JAVA_LONG, at + (long) w * Long.BYTES, chain.writeWord(i, w));
                }
                int flags = behindRead ? Constants.IBV_SEND_FENCE : 0;
                flags |= bytes <= inlineBytes ? Constants.IBV_SEND_INLINE : 0;
                requests.header(request, sequence, Constants.IBV_WR_RDMA_WRITE, flags);
                requests.remote(request, remote, grant.key());
            }
        }
    }

    @Override
    public void completed(Completions completions, int i) {
        int status = completions.status(i);
        if (status != Constants.IBV_WC_SUCCESS) {
            counters.error(status);
            broken.accept(new FabricException("the adapter reported " + CompletionStatus.describe(status)));
            return;
        }
        long sequence = completions.id(i);
        VerbChain chain;
        lock.lock();
        try {
            if (failure != null || sequence != oldest) {
                return;
            }
            chain = inFlight[(int) sequence & mask];
            inFlight[(int) sequence & mask] = null;
        } finally {
            lock.unlock();
        }
        if (chain != null) {
            taken = sequence;
            complete(chain);
        }
        // Only now: until here the results lay in the slot. Whoever takes completions has the queue to himself.
        oldest = sequence + 1;
        if (!waiting.isEmpty()) {
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
        if (verb < 0 || verb >= VERBS || word < 0 || word >= MAX_WORDS) {
            throw new IndexOutOfBoundsException("word " + word + " of verb " + verb);
        }
        return memory.get(JAVA_LONG, (taken & mask) * SLOT_BYTES + verb * VERB_BYTES + (long) word * Long.BYTES);
    }

    @Override
    public boolean isBusy() {
        // Who waits itself needs no help.
        return failure == null && oldest != next && !takers.isAnyPresent();
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
        if (!waiting.isEmpty()) {
            postWaiting();
        }
        return state;
    }

    /** Returns whether the oldest chain in flight is older than that. */
    boolean isStuck(long now, long timeoutNanos) {
        boolean stuck;
        lock.lock();
        try {
            long first = oldest;
            stuck = first != next && now - postedAt[(int) first & mask] > timeoutNanos;
        } finally {
            lock.unlock();
        }
        if (!waiting.isEmpty()) {
            postWaiting();
        }
        return stuck;
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
                VerbChain chain = inFlight[(int) i & mask];
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
        for (VerbChain chain = waiting.poll(); chain != null; chain = waiting.poll()) {
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

    /** Gives the memory back; the queue pair must be destroyed, and nobody takes results any more. */
    void release() {
        try {
            registration.deregMr().execute().free();
        } catch (IOException e) {
            LOG.warn("Memory could not be deregistered: {}", e.getMessage());
        }
        arena.close();
        requests.close();
    }
}
