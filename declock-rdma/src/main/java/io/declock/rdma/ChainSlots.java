// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import io.declock.Verb;
import io.declock.rdma.verbs.Constants;
import io.declock.rdma.verbs.SendRequests;
import io.declock.rdma.verbs.VerbsBackend;
import io.declock.spi.VerbChain;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The native side of a ring of chains: for each slot of the ring, linked requests and registered memory for the words that they read
 * and write. Chains are written in place, without allocation.
 *
 * <p>Order: the responder of a reliable connection begins requests in order and ends an atomic before it begins the next request, so
 * atomics and READs need no fence. Only a READ's words may be fetched late, after a WRITE behind it: such a WRITE of the same chain
 * has a fence. No other request has one, deliberately: it would wait for all READs and atomics in flight on the queue pair, and the
 * Soft-RoCE of Linux 6.1 sometimes forgets a fenced request until the next one is posted.
 *
 * <p>Not thread-safe, but one thread may write a chain while another reads the words of one that has completed.
 */
final class ChainSlots {
    /** Maximum number of words of one READ or WRITE, the same as over TCP. */
    private static final int MAX_WORDS = 512;

    private static final Logger LOG = LoggerFactory.getLogger(ChainSlots.class);
    private static final int VERBS = VerbChain.MAX_VERBS;

    /** Size of the results and data of one verb in its slot: each verb has room for the largest. */
    private static final long VERB_BYTES = (long) MAX_WORDS * Long.BYTES;

    private final RegionGrant grant;
    private final int inlineBytes;
    private final int count;
    private final Arena arena = Arena.ofShared();
    private final LongBuffer words;
    private final IbvMr registration;
    private final SendRequests requests;

    /**
     * Makes empty slots.
     *
     * @param grant the part of the other side's memory that may be used
     * @param count number of slots; a power of two
     * @param inlineBytes the largest size that the queue pair takes inline
     */
    ChainSlots(VerbsBackend backend, IbvPd pd, RegionGrant grant, int count, int inlineBytes) throws IOException {
        this.grant = grant;
        this.inlineBytes = inlineBytes;
        this.count = count;
        this.requests = new SendRequests(count * VERBS + count);
        MemorySegment memory = arena.allocate(VERB_BYTES * VERBS * count, 4096);
        this.words = memory.asByteBuffer().order(ByteOrder.nativeOrder()).asLongBuffer();
        this.registration = register(backend, pd, memory);
        for (int request = 0; request < count * VERBS; request++) {
            requests.local(request, memory.address() + request * VERB_BYTES, Long.BYTES, registration.getLkey());
        }
        for (int slot = 0; slot < count; slot++) {
            prepareAddition(slot, memory.address() + VERB_BYTES * VERBS * slot);
        }
    }

    /** Nearly every chain is a single FAA, so each slot has a prepared FAA that needs only address and addend. */
    private void prepareAddition(int slot, long result) {
        int request = addition(slot);
        requests.header(request, slot, Constants.IBV_WR_ATOMIC_FETCH_AND_ADD, Constants.IBV_SEND_SIGNALED);
        requests.atomic(request, 0, grant.key(), 0, 0);
        requests.local(request, result, Long.BYTES, registration.getLkey());
    }

    /** Returns the index of a slot's prepared FAA: these requests come after all others. */
    private int addition(int slot) {
        return count * VERBS + slot;
    }

    private IbvMr register(VerbsBackend backend, IbvPd pd, MemorySegment memory) throws IOException {
        try {
            return backend.register(pd, memory.address(), memory.byteSize(), Constants.IBV_ACCESS_LOCAL_WRITE);
        } catch (IOException e) {
            // For example, the limit of locked memory is too low. The next connection tries again.
            free();
            throw e;
        }
    }

    int count() {
        return count;
    }

    /** Returns the slot of the chain with that sequence number. */
    int slot(long sequence) {
        return (int) sequence & count - 1;
    }

    /** Returns whether a chain stays within the memory that was granted, and has only verbs that are executed here. */
    boolean isGranted(VerbChain chain) {
        // Nearly every chain has one verb, for which a loop costs more than the check itself.
        return chain.size() == 1 ? isGranted(chain, 0) : areGranted(chain);
    }

    private boolean areGranted(VerbChain chain) {
        boolean granted = chain.size() > 0;
        for (int i = 0; i < chain.size(); i++) {
            granted &= isGranted(chain, i);
        }
        return granted;
    }

    private boolean isGranted(VerbChain chain, int i) {
        long address = chain.address(i);
        int words = chain.words(i);
        return !chain.verb(i).isExtended()
                && address >= 0
                && (address & Long.BYTES - 1) == 0
                && words >= 1
                && words <= MAX_WORDS
                && address <= grant.length() - (long) words * Long.BYTES;
    }

    /** Returns the size of the granted memory in bytes. */
    long granted() {
        return grant.length();
    }

    /**
     * Writes a chain to its slot, with a completion for the last request only, whose id is the slot. Returns the address of the first
     * request.
     */
    long write(VerbChain chain, long sequence) {
        int slot = slot(sequence);
        if (chain.size() > 1 || chain.verb(0) != Verb.FETCH_AND_ADD) {
            return writeLinked(chain, slot);
        }
        int request = addition(slot);
        requests.operand(request, grant.address() + chain.address(0), chain.operand(0));
        return requests.address(request);
    }

    private long writeLinked(VerbChain chain, int slot) {
        int first = slot * VERBS;
        int last = chain.size() - 1;
        boolean read = false;
        for (int i = 0; i <= last; i++) {
            int flags = i == last ? Constants.IBV_SEND_SIGNALED : 0;
            write(chain, i, slot, first + i, read, flags);
            read |= chain.verb(i) == Verb.READ;
            if (i > 0) {
                requests.link(first + i - 1, first + i);
            }
        }
        return requests.address(first);
    }

    private void write(VerbChain chain, int i, int slot, int request, boolean behindRead, int flags) {
        long remote = grant.address() + chain.address(i);
        int bytes = chain.words(i) * Long.BYTES;
        requests.length(request, bytes);
        switch (chain.verb(i)) {
            case FETCH_AND_ADD -> {
                requests.header(request, slot, Constants.IBV_WR_ATOMIC_FETCH_AND_ADD, flags);
                requests.atomic(request, remote, grant.key(), chain.operand(i), 0);
            }
            case COMPARE_AND_SWAP -> {
                requests.header(request, slot, Constants.IBV_WR_ATOMIC_CMP_AND_SWP, flags);
                requests.atomic(request, remote, grant.key(), chain.operand(i), chain.desired(i));
            }
            case READ -> {
                requests.header(request, slot, Constants.IBV_WR_RDMA_READ, flags);
                requests.remote(request, remote, grant.key());
            }
            case WRITE -> {
                for (int w = 0; w < chain.words(i); w++) {
                    words.put(at(request) + w, chain.writeWord(i, w));
                }
                int more = behindRead ? Constants.IBV_SEND_FENCE : 0;
                more |= bytes <= inlineBytes ? Constants.IBV_SEND_INLINE : 0;
                requests.header(request, slot, Constants.IBV_WR_RDMA_WRITE, flags | more);
                requests.remote(request, remote, grant.key());
            }
            case MASKED_COMPARE_AND_SWAP, MASKED_FETCH_AND_ADD ->
                throw new IllegalStateException(chain + " was not refused");
        }
    }

    /** Returns the index of the word at which a request's results and data begin. */
    private static int at(int request) {
        return request * MAX_WORDS;
    }

    /** Returns a word of the result of a verb of that chain, which has completed. */
    long word(long sequence, int verb, int word) {
        if (verb < 0 || verb >= VERBS || word < 0 || word >= MAX_WORDS) {
            throw new IndexOutOfBoundsException("word " + word + " of verb " + verb);
        }
        return words.get(at(slot(sequence) * VERBS + verb) + word);
    }

    /** Frees the memory; the queue pair must be destroyed, and no thread may read words any more. */
    void release() {
        try {
            registration.deregMr().execute().free();
        } catch (IOException e) {
            // The adapter may still write to the memory, so it must not be reused: it is leaked instead.
            LOG.warn("Memory could not be deregistered and is never freed: {}", e.getMessage());
            return;
        }
        free();
    }

    private void free() {
        arena.close();
        requests.close();
    }
}
