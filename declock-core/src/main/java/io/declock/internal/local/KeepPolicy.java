// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import org.jspecify.annotations.Nullable;

/**
 * Decides for one lock when it pays to keep its position (rule K5): when this compute node has taken it again and again with nobody else between,
 * and keeping it has paid before. Guarded by the lock's mutex.
 */
final class KeepPolicy {
    /** So many acquisitions in a row are needed at most before a position is kept again that was asked for at once. */
    private static final int HIGHEST_THRESHOLD = 1024;
    /** A position that served so many callers before it was asked for has paid; one that served fewer than {@link #TOO_FEW} has not. */
    private static final int ENOUGH = 100;

    private static final int TOO_FEW = 2;
    /** So many acquisitions in a row are needed where keeping other locks has not paid lately: fewer come by chance if many want a lock. */
    private static final int CAUTIOUS = 16;

    private long lastEpoch;
    private int lastIndex = -1;
    private int inARow;
    /** Null until the position is kept: most locks never are. */
    private @Nullable Keeping kept;

    /** What keeping the lock has brought. */
    private static final class Keeping {
        private int threshold;
        private boolean hasPaid;
        private int served;
        private long unusedSince;
    }

    /**
     * The compute node took a position.
     *
     * @param amongReaders whether it is a shared one that did not wait: other readers may have come between, which does not count
     */
    void acquired(long epoch, int index, boolean amongReaders) {
        if (amongReaders || epoch == lastEpoch && index == lastIndex + 1) {
            inARow++;
        } else {
            endRow();
            inARow = 1;
        }
        lastEpoch = epoch;
        lastIndex = index;
    }

    /**
     * Another compute node took the lock. A row that would have been long enough where keeping has paid, and was not because of former bad luck,
     * lowers the threshold: otherwise a lock that is used in turns shorter than the threshold would never be kept again.
     */
    private void endRow() {
        if (kept != null && inARow >= CAUTIOUS && inARow < kept.threshold) {
            kept.threshold /= 2;
        }
    }

    /** The compute node gives a position back, whose index may be a later one than when it was taken. */
    void leaves(long epoch, int index) {
        lastEpoch = epoch;
        lastIndex = index;
    }

    /**
     * Returns whether the position is to be kept.
     *
     * @param pays whether it has paid lately to keep locks
     */
    boolean isWorthIt(int after, boolean pays) {
        int least = pays || kept != null && kept.hasPaid ? after : CAUTIOUS;
        return inARow >= (kept == null ? least : Math.max(least, kept.threshold));
    }

    /** A caller was granted the lock by a position that is kept. */
    void serves() {
        kept().served++;
    }

    /** The position has no user from now on. */
    void isUnused(long now) {
        kept().unusedSince = now;
    }

    /** Returns since when a kept position has had no user. */
    long unusedSince() {
        return kept().unusedSince;
    }

    boolean isUnusedFor(long nanos, long now) {
        return now - kept().unusedSince >= nanos;
    }

    /**
     * A position that was kept is given back.
     *
     * @param index its present index, which may be a later one than when it was taken
     * @param wanted whether another compute node has asked for the lock
     * @return whether keeping it has paid
     */
    boolean givesBack(long epoch, int index, boolean wanted, int after) {
        leaves(epoch, index);
        if (wanted) {
            inARow = 0;
        }
        Keeping past = kept();
        past.hasPaid = past.served >= TOO_FEW;
        if (!past.hasPaid) {
            past.threshold = Math.min(HIGHEST_THRESHOLD, 2 * Math.max(after, past.threshold));
        } else if (past.served >= ENOUGH) {
            past.threshold = 0;
        }
        past.served = 0;
        return past.hasPaid;
    }

    private Keeping kept() {
        Keeping known = kept;
        if (known == null) {
            known = new Keeping();
            kept = known;
        }
        return known;
    }
}
