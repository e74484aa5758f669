// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.spi.FabricException;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;

/** One of a lock's reusable chains, in flight at most once. Guarded by the lock's mutex, except its completion, which takes it. */
final class LockChain extends VerbChain {
    /** The step that a completion ends. */
    enum Step {
        ENQUEUED,
        REQUEUED,
        RELEASED,
        EPOCH_LEARNT,
        ENTRY_WRITTEN,
        TRY_READ,
        TRY_SWAPPED,
        DOWNGRADED,
        UPGRADE_READ,
        UPGRADE_SWAPPED,
        PREFETCHED,
        CHECKED,
        EPOCH_POLLED
    }

    private final CqlLock lock;
    private Step step = Step.ENQUEUED;
    private boolean inFlight;
    private long header;
    private int subject;

    LockChain(CqlLock lock, int mostVerbs) {
        super(mostVerbs);
        this.lock = lock;
    }

    /** Schedules the chain for posting; the caller fills it now. It must not be in flight. */
    LockChain use(Step next, Effects effects) {
        if (inFlight) {
            throw new IllegalStateException(
                    "a chain is in flight already: " + this + ", wanted " + next + " for " + lock);
        }
        step = next;
        inFlight = true;
        effects.post(this);
        return this;
    }

    /** Remembers the tenure or index that the chain is about. The lock may have another one when the chain completes. */
    LockChain about(int tenureOrIndex) {
        subject = tenureOrIndex;
        return this;
    }

    boolean isAbout(int tenureOrIndex) {
        return subject == tenureOrIndex;
    }

    /** Remembers the header that the chain relies on: the expected value of its CAS, or the header before a position was taken. */
    LockChain goingBy(long found) {
        header = found;
        return this;
    }

    long header() {
        return header;
    }

    boolean isInFlight() {
        return inFlight;
    }

    /** Marks the chain as completed and returns its step. */
    Step land() {
        inFlight = false;
        return step;
    }

    @Override
    public void completed(VerbResults results) {
        try {
            lock.completed(this, results);
        } catch (RuntimeException | Error e) {
            lock.environment().broken(e);
            throw e;
        }
    }

    @Override
    public void failed(FabricException cause) {
        lock.event(effects -> inFlight = false);
    }
}
