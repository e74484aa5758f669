// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.chains;

import java.util.Arrays;

/**
 * The chains of one session that were executed: the number of the next one, and the results of those whose answers the compute node has
 * not confirmed. They are why a chain is executed exactly once although its connection breaks (rule G2). Belongs to the thread inside the
 * session's gate, except {@link #bytes}.
 */
public final class ExecutedChains {
    /**
     * Most words that are remembered, which is 1 MiB. A compute node confirms answers with its next chain, so only one with thousands of
     * chains in flight comes near it. The oldest results are dropped then, and a session that would need them cannot be resumed.
     */
    static final int MOST_WORDS = 1 << 17;

    private static final int FIRST_WORDS = 64;

    /** A ring: for each chain the number of its words, then the words. */
    private long[] ring = new long[FIRST_WORDS];

    /** Positions in the ring, which grow without end: the oldest remembered chain, and the end of the newest one. */
    private long head;

    private long tail;
    /** Position of the number of words of the chain that is being executed. */
    private long current;

    private int next;
    private int remembered;

    /** Makes it for a session without any chain so far. */
    public ExecutedChains() {}

    /** Takes the results of one chain. */
    @FunctionalInterface
    public interface Receiver {
        /** Takes the words that the chain's verbs found, in the order of the verbs. */
        void chain(int sequence, long[] words);
    }

    /** Returns the number that the next chain must have. */
    public int next() {
        return next;
    }

    /**
     * Begins a chain: forgets the results of all chains before {@code oldest}, and remembers those of this one.
     *
     * @param sequence number of the chain
     * @param oldest number of the oldest chain whose answer has not arrived, at most {@code sequence}
     * @return false if the chain is not the next one, or has not such an oldest one: it must not be executed
     */
    public boolean begin(int sequence, int oldest) {
        if (sequence != next || next - oldest < 0) {
            return false;
        }
        while (remembered > next - oldest) {
            forgetOldest();
        }
        next++;
        remembered++;
        current = tail;
        append(0);
        return true;
    }

    /** Remembers a word that a verb of the begun chain found. */
    public void found(long word) {
        append(word);
        ring[at(current)]++;
    }

    private void append(long word) {
        if (tail - head == ring.length) {
            makeRoom();
        }
        ring[at(tail++)] = word;
    }

    private void makeRoom() {
        if (ring.length == MOST_WORDS) {
            forgetOldest();
            return;
        }
        long[] larger = new long[2 * ring.length];
        for (long i = head; i < tail; i++) {
            larger[(int) i & larger.length - 1] = ring[at(i)];
        }
        ring = larger;
    }

    private void forgetOldest() {
        head += 1 + ring[at(head)];
        remembered--;
    }

    private int at(long position) {
        return (int) position & ring.length - 1;
    }

    /** Returns whether the results of all executed chains from {@code oldest} on are remembered. */
    public boolean remembers(int oldest) {
        int unconfirmed = next - oldest;
        return unconfirmed >= 0 && unconfirmed <= remembered;
    }

    /** Gives the results of all executed chains from {@code oldest} on, in order. */
    public void replay(int oldest, Receiver receiver) {
        int sequence = next - remembered;
        for (long i = head; i < tail; i += 1 + ring[at(i)]) {
            if (sequence - oldest >= 0) {
                receiver.chain(sequence, words(i));
            }
            sequence++;
        }
    }

    private long[] words(long chain) {
        long[] words = new long[(int) ring[at(chain)]];
        Arrays.setAll(words, i -> ring[at(chain + 1 + i)]);
        return words;
    }

    /** Returns the memory that the results take, in bytes; any thread. */
    public long bytes() {
        return (long) ring.length * Long.BYTES;
    }
}
