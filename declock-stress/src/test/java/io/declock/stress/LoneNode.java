// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.stress;

import io.declock.LocalSettings;
import io.declock.LockMode;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.QueueEntry;
import io.declock.internal.local.Hold;
import io.declock.internal.local.LocalLock;
import io.declock.internal.local.LocalWaiter;
import io.declock.internal.protocol.ResetReason;
import io.declock.internal.protocol.StillNode;
import io.declock.spi.Member;
import io.declock.spi.PeerMessage;
import io.declock.spi.Resolution;
import io.declock.spi.VerbChain;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A compute node alone with one lock record, whose verbs are executed by the thread that posts them: everything that happens is a
 * step of one of the threads under test. Time stands still; nothing is ever due.
 */
public final class LoneNode extends StillNode implements LocalLock.Host {
    private static final long EPOCH = 40_000;

    private final AtomicLongArray words = new AtomicLongArray(layout().words());
    private final AtomicInteger held = new AtomicInteger();
    private final LocalLock lock = new LocalLock(this, "lock");

    /** Makes a node whose lock is free. */
    public LoneNode() {
        super(2, 1);
        for (int i = 0; i < words.length(); i++) {
            words.set(i, QueueEntry.INITIAL);
        }
        words.set(0, LockHeader.pack(EPOCH, 0, 0, 0));
        words.set(1, EPOCH);
    }

    /** Returns the lock. */
    public LocalLock lock() {
        return lock;
    }

    /** Returns the record's header. */
    public long header() {
        return words.get(0);
    }

    /** Returns holds that have not ended. */
    public int holds() {
        return held.get();
    }

    /** Returns callers in the queue. */
    public int waiters() {
        Waiters counted = new Waiters();
        lock.visit(counted);
        return counted.count;
    }

    private static final class Waiters implements LocalLock.Visitor {
        private int count;

        @Override
        public void hold(Hold hold, boolean exclusive) {}

        @Override
        public void waiter(LocalWaiter waiter, long since, int position) {
            count++;
        }
    }

    @Override
    public void post(VerbChain chain) {
        long[][] results = new long[chain.size()][];
        for (int i = 0; i < chain.size(); i++) {
            results[i] = execute(chain, i);
        }
        chain.completed((verb, word) -> results[verb][word]);
    }

    private long[] execute(VerbChain chain, int verb) {
        long[] result = new long[chain.words(verb)];
        for (int i = 0; i < result.length; i++) {
            int word = (int) (chain.address(verb) / Long.BYTES) + i;
            switch (chain.verb(verb)) {
                case FETCH_AND_ADD -> result[i] = words.getAndAdd(word, chain.operand(verb));
                case COMPARE_AND_SWAP ->
                    result[i] = words.compareAndExchange(word, chain.operand(verb), chain.desired(verb));
                case READ -> result[i] = words.get(word);
                case WRITE -> words.set(word, chain.writeWord(verb, i));
                case MASKED_COMPARE_AND_SWAP, MASKED_FETCH_AND_ADD ->
                    throw new IllegalStateException(chain + " has a verb that the lock does not use");
            }
        }
        return result;
    }

    @Override
    public void bind(LocalLock of) {
        of.bound(this, new Resolution(0, EPOCH, false));
    }

    @Override
    public boolean isClosed() {
        return false;
    }

    @Override
    public void held(int change) {
        held.addAndGet(change);
    }

    @Override
    public LocalSettings localSettings() {
        return LocalSettings.DEFAULTS;
    }

    @Override
    public void forgotten(LocalLock of) {}

    @Override
    public void holdLost(String name, LockMode mode) {}

    @Override
    public void tellOfLoss(Runnable listener) {
        listener.run();
    }

    @Override
    public void sawEpoch(long epoch) {}

    @Override
    public void send(Member to, PeerMessage message) {
        throw new IllegalStateException("there is nobody to send " + message);
    }

    @Override
    public void requestReset(long record, long epoch, ResetReason reason) {
        throw new IllegalStateException("there is no reason for a reset: " + reason);
    }
}
