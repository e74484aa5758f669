// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import io.declock.internal.protocol.ResetReason;
import io.declock.internal.protocol.StillNode;
import io.declock.internal.time.Clock;
import io.declock.internal.time.TimerService;
import io.declock.spi.ManualTime;
import io.declock.spi.Member;
import io.declock.spi.PeerMessage;
import io.declock.spi.VerbChain;
import java.util.ArrayDeque;
import java.util.Deque;

/** A session whose verbs complete, and whose lease ends, when a test says so. */
public class SteppedSession extends StillNode {
    /** The chains that have not completed. */
    public final Deque<VerbChain> posted = new ArrayDeque<>();

    /** Whether the lease lasts. */
    public boolean leaseLasts = true;

    private final ManualTime time;

    /** Makes one with the lease lasting. */
    public SteppedSession(ManualTime time) {
        super(8, 2);
        this.time = time;
    }

    @Override
    public Clock clock() {
        return time;
    }

    @Override
    public TimerService timer() {
        return time;
    }

    @Override
    public boolean leaseValid(long now) {
        return leaseLasts;
    }

    @Override
    public void sawEpoch(long epoch) {}

    @Override
    public void post(VerbChain chain) {
        posted.add(chain);
    }

    @Override
    public void send(Member to, PeerMessage message) {}

    @Override
    public void requestReset(long record, long epoch, ResetReason reason) {}
}
