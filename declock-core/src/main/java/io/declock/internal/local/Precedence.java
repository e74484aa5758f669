// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import io.declock.LocalSettings;
import io.declock.internal.protocol.Tenure;

/**
 * Chooses between callers of this compute node and remote waiters (DecLock, sections 5.3 and 6.3): by timestamps, within the bounds of rule E5. The
 * library has no other choice. An evaluation overrides it, to compare the paper's other policies on the same classes; {@link Turn} decides what no
 * choice may change. Its methods are called under the lock's mutex.
 */
public class Precedence {
    /** The library's choice. */
    public static final Precedence BY_TIMESTAMPS = new Precedence();

    /**
     * For how long local callers may pass a known remote waiter because they came earlier according to the clocks. The clocks may be wrong.
     */
    private static final long TRUST = 1_000_000_000L;

    /** The ways in which ownership may pass to a caller inside this node. */
    public enum Passing {
        /** It may. */
        ALLOWED,
        /** It may only if a look at the remote queue shows no earlier waiter. */
        AFTER_LOOK,
        /** The lock must go through the remote queue. */
        FORBIDDEN
    }

    /** Makes one, for a class that overrides it. */
    protected Precedence() {}

    /**
     * Returns whether a local caller may pass the remote waiters, as far as their order goes: it passes earlier ones only within bounds (rule E5),
     * which are narrower if they are known. Timestamps decide which is earlier, but no longer than for {@link #TRUST}.
     *
     * @param now the node's clock
     */
    public Passing passing(Tenure tenure, LocalWaiter next, LocalSettings settings, long now) {
        if (tenure.passesKnownBeyond(TRUST, now)) {
            return Passing.FORBIDDEN;
        }
        if (tenure.remoteIsEarlierThan(next.timestamp, next.since)) {
            return mayPassKnown(tenure, settings, now) ? Passing.ALLOWED : Passing.FORBIDDEN;
        }
        return mustLook(tenure, next.since, settings, now) ? Passing.AFTER_LOOK : Passing.ALLOWED;
    }

    private static boolean mayPassKnown(Tenure tenure, LocalSettings settings, long now) {
        return tenure.mayPassKnown(
                settings.localHandOverLimit(), settings.localHandOverTime().toNanos(), now);
    }

    /** Returns whether a reader that comes now may join the readers inside this node. */
    public boolean mayJoin(Tenure tenure, LocalSettings settings, long now) {
        return !tenure.knowsRemote() && !mustLook(tenure, now, settings, now);
    }

    private static boolean mustLook(Tenure tenure, long since, LocalSettings settings, long now) {
        return tenure.mayBePreceded(since)
                && tenure.isUnsureBeyond(
                        settings.localHandOverLimit(),
                        settings.localHandOverTime().toNanos(),
                        now);
    }

    /**
     * Returns whether a waiting reader may share the lock with the readers of this node.
     *
     * @param passesWriters whether a phase begins in which readers pass waiting local writers, and with them the remote waiters
     */
    public Passing sharing(Tenure tenure, LocalWaiter reader, boolean passesWriters, LocalSettings settings, long now) {
        return passesWriters ? Passing.ALLOWED : passing(tenure, reader, settings, now);
    }

    /** Returns whether it matters who waits remotely, so that it is worth looking ahead. */
    public boolean looksAhead() {
        return true;
    }

    /** Notes that a caller of this node is granted the lock locally. */
    public void grantsLocally(Tenure tenure) {}
}
