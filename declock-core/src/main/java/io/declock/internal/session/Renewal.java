// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import io.declock.MemoryNodeAddress;
import io.declock.internal.monitor.Isolated;
import io.declock.spi.FabricException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Keeps one session alive: sends its heartbeats, and notices when its lease has run out by this process's own clock (rule C1). It ends with
 * the session. Used once; thread-safe.
 */
final class Renewal {
    /**
     * How often the lease is renewed at least where a stand-by may take over: a candidate that falls silent is noticed by what it leaves
     * unanswered (rule G5).
     */
    private static final long LONGEST_WITH_STANDBYS_NANOS = 1_000_000_000;

    private final NodeSession session;
    private final MemoryNodeAddress address;
    private final BooleanSupplier isPresent;
    private final Consumer<FabricException> whenRunOut;
    private final long intervalNanos;

    /**
     * Makes one, which begins with {@link #start}.
     *
     * @param isPresent whether the session is still the one that is used: others need no heartbeat
     * @param whenRunOut receives the end of the lease
     */
    Renewal(
            NodeSession session,
            MemoryNodeAddress address,
            BooleanSupplier isPresent,
            Consumer<FabricException> whenRunOut) {
        this.session = session;
        this.address = address;
        this.isPresent = isPresent;
        this.whenRunOut = whenRunOut;
        this.intervalNanos = address.mayHaveStandbys()
                ? Math.min(session.lease().heartbeatNanos(), LONGEST_WITH_STANDBYS_NANOS)
                : session.lease().heartbeatNanos();
    }

    void start() {
        beat();
        watch();
    }

    private void beatIfDue() {
        long left = intervalNanos - session.lease().sinceRenewalNanos();
        // More than an interval is left only if the clock went back.
        if (left > 0 && left <= intervalNanos && !session.isOver()) {
            session.timer().schedule(left, this::beatIfDue);
        } else {
            beat();
        }
    }

    private void beat() {
        if (session.isOver() || !isPresent.getAsBoolean()) {
            return;
        }
        Isolated.run("Sending a heartbeat to memory node " + address, session::heartbeat);
        session.timer().schedule(intervalNanos, this::beatIfDue);
    }

    private void watch() {
        if (session.isOver()) {
            return;
        }
        long left = session.leaseLeftNanos();
        if (left > 0) {
            session.timer().schedule(left, this::watch);
        } else {
            whenRunOut.accept(new FabricException(
                    "the lease of " + Duration.ofNanos(session.joined().leaseNanos())
                            + " ran out without an answered heartbeat from " + address));
        }
    }
}
