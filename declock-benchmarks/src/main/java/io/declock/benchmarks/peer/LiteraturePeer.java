// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.peer;

import io.declock.LockMode;
import io.declock.MemoryNodeAddress;
import io.declock.internal.monitor.NodeCounters;
import io.declock.protocols.Backoff;
import io.declock.protocols.LockProtocol;
import io.declock.protocols.alock.ALock;
import io.declock.protocols.cas.CasLock;
import io.declock.protocols.dslr.Dslr;
import io.declock.protocols.fabric.FabricClients;
import io.declock.protocols.mcs.McsLock;
import io.declock.protocols.shiftlock.ShiftLock;
import io.declock.protocols.soul.Region;
import io.declock.protocols.soul.Soul;
import io.declock.spi.Fabric;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A lock of the literature over DecLock's fabric, one client for each thread. Pauses and back-offs are those of the papers where they say some; leases are so
 * long that none runs out.
 */
final class LiteraturePeer implements LockUnderTest {
    /** As in SMART and in DecLock's paper. */
    private static final Backoff BACKOFF = Backoff.truncatedExponential(100, 3_200, 2_000);

    private static final Duration SESSION = Duration.ofSeconds(10);
    private static final long LEASE = Duration.ofMinutes(10).toNanos();
    /** As long as a waiter pauses for each one before it, in DSLR's paper. */
    private static final long PER_TICKET = 5_000;
    /** Where a paper spins on remote memory: the round trip of this fabric is a pause of its own. */
    private static final long SPIN = 1_000;

    private final Fabric fabric;
    private final NodeCounters counters;
    private final FabricClients clients;
    private final AtomicInteger threads = new AtomicInteger();
    private final ThreadLocal<Integer> client = ThreadLocal.withInitial(threads::getAndIncrement);

    private LiteraturePeer(LockProtocol protocol, String address, String name, Tuning tuning) {
        this.counters = new NodeCounters();
        this.fabric = tuning.openFabric(counters);
        this.clients = FabricClients.join(
                protocol, fabric, MemoryNodeAddress.parse(address), name, SESSION, FabricClients.MOST);
    }

    static LiteraturePeer joined(Peer peer, String address, String name, Tuning tuning) {
        return new LiteraturePeer(protocol(peer), address, name, tuning);
    }

    /** Returns the protocol of a lock of the literature. */
    static LockProtocol protocol(Peer peer) {
        return switch (peer) {
            case CAS_LOCK -> CasLock.spinning();
            case CAS_LOCK_BACKOFF -> CasLock.with(BACKOFF);
            case MCS -> new McsLock();
            case DSLR -> Dslr.polling(new Dslr.Settings(LEASE, Dslr.TICKETS), PER_TICKET);
            case DSLR_PLUS -> Dslr.plus(new Dslr.Settings(LEASE, Dslr.TICKETS), BACKOFF);
            case SHIFTLOCK -> new ShiftLock(new ShiftLock.Settings(LEASE, ShiftLock.WRITERS_IN_A_ROW, SPIN));
            // The budget of lock cohorting's evaluation is larger; with remote clients only it has no effect.
            case ALOCK -> new ALock(new ALock.Settings(64, SPIN, SPIN));
            case SOUL -> new Soul(List.of(new Region(0, 1)));
            default -> throw new IllegalArgumentException(peer.label() + " is no lock of the literature");
        };
    }

    @Override
    public Held lock(String name, LockMode mode) {
        int own = client.get();
        clients.lock(own, name, mode);
        return () -> clients.unlock(own, name);
    }

    @Override
    public Map<String, Long> counters() {
        return DecLockPeer.counters(counters);
    }

    @Override
    public void close() {
        clients.close();
        fabric.close();
    }
}
