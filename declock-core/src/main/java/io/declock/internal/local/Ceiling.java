// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import io.declock.LockLostException;
import io.declock.internal.time.TimerService.Timer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The end of the lease time that an acquisition asked for. The clock decides when it is reached, even if the timer that ends the
 * acquisition or hold runs late (rule O5 of docs/protocol.md). Thread-safe.
 */
public final class Ceiling {
    private final Duration leaseTime;
    private final long deadline;
    private volatile @Nullable Timer timer;

    /**
     * Makes one without a timer.
     *
     * @param since when the lease time began, in nanoseconds of the node's clock
     * @param nanos the lease time in nanoseconds
     */
    public Ceiling(Duration leaseTime, long since, long nanos) {
        this.leaseTime = leaseTime;
        this.deadline = since + nanos;
    }

    /** Returns whether the lease time is over when the node's clock shows {@code now}. */
    public boolean isReached(long now) {
        return now - deadline >= 0;
    }

    /** Keeps the timer that runs at the deadline, to be cancelled if it is not needed. */
    public void endedBy(Timer started) {
        timer = started;
    }

    /** Cancels the timer. */
    public void cancel() {
        Timer started = timer;
        if (started != null) {
            started.cancel();
        }
    }

    /**
     * Returns the exception for the owner of a hold or an acquisition that reached this ceiling.
     *
     * @param title the lock's name for messages
     */
    LockLostException reached(String title) {
        return new LockLostException(title + " was held longer than its lease time of " + leaseTime
                + " and was released; only the fencing token protects what its holder still does");
    }
}
