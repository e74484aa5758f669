// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.Verb;
import io.declock.spi.RemoteMemory;
import io.declock.spi.VerbChain;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The reservations of one life of a memory node, as the checkers see them, and the verbs by which the memory node gives a position back that it has
 * kept. These take their time, as those of compute nodes do.
 */
final class PositionsInTrust implements RemoteMemory {
    private final SimulatedCluster cluster;
    private final SimulatedWorld world;
    private final MemoryNodeLife life;
    private final WatchedRegion.Observer observer;
    private final Map<Long, Reserved> reserved = new HashMap<>();

    /** A reservation, until an instant of the memory node's clock. */
    private record Reserved(SimulatedSession session, long until) {}

    PositionsInTrust(SimulatedCluster cluster, MemoryNodeLife life, WatchedRegion.Observer observer) {
        this.cluster = cluster;
        this.world = cluster.world();
        this.life = life;
        this.observer = observer;
    }

    /** The memory node has noted a reservation, or its end. */
    void noted(SimulatedSession session, long record, long nanos) {
        world.note(() -> life.place() + " notes that " + session + " reserves record " + record + " for " + nanos);
        Reserved known = reserved.get(record);
        boolean own = known != null && known.session == session;
        if (nanos > 0) {
            long until = life.node().clock().nanoTime() + nanos;
            reserved.put(record, new Reserved(session, known != null && own ? Math.max(known.until, until) : until));
        } else if (own) {
            reserved.remove(record);
        }
    }

    /** A session has ended: what it had reserved until a later instant is kept. */
    void ended(SimulatedSession session) {
        long now = life.node().clock().nanoTime();
        reserved.values().removeIf(each -> each.session == session && each.until <= now);
    }

    /** The record belongs to another name from now on. */
    void passesOn(long record) {
        reserved.remove(record);
    }

    /** Returns the session whose position the memory node keeps since it has ended, or null. */
    @Nullable
    SimulatedSession inTrustFor(long record) {
        Reserved known = reserved.get(record);
        return known != null && known.session.isGone() ? known.session : null;
    }

    @Override
    public void post(VerbChain chain) {
        SimulationOptions.Network network = cluster.options().network();
        world.after(1 + world.exponential(network.jitter()), life.place(), () -> execute(chain));
    }

    private void execute(VerbChain chain) {
        long record = chain.address(0);
        Verb verb = chain.verb(0);
        SimulatedSession session = inTrustFor(record);
        long found = life.node().region().execute(verb, record, chain.operand(0), chain.desired(0));
        if (verb == Verb.COMPARE_AND_SWAP && found == chain.operand(0)) {
            reserved.remove(record);
            observer.givenBack(life, record, session, found, chain.desired(0));
        }
        chain.completed((of, word) -> found);
    }
}
