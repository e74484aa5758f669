// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.fabric;

import io.declock.protocols.Backoff;
import io.declock.protocols.LockProtocol;
import io.declock.protocols.alock.ALock;
import io.declock.protocols.cas.CasLock;
import io.declock.protocols.dslr.Dslr;
import io.declock.protocols.mcs.McsLock;
import io.declock.protocols.shiftlock.ShiftLock;
import io.declock.protocols.soul.Region;
import io.declock.protocols.soul.Soul;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** The protocols that these tests run on a fabric. */
final class LocksOfTheLiterature {
    /** How long a client holds a lock at most, where the protocol has leases: far longer than a machine under load makes a test wait. */
    static final Duration LEASE = Duration.ofSeconds(1);

    private static final Backoff BACKOFF = Backoff.truncatedExponential(100, 3_200, 2_000);
    private static final Dslr.Settings DSLR = new Dslr.Settings(LEASE.toNanos(), Dslr.TICKETS);
    private static final long PAUSE = 1_000;

    private LocksOfTheLiterature() {}

    static Stream<LockProtocol> all() {
        return Stream.of(
                CasLock.spinning(),
                CasLock.with(BACKOFF),
                new McsLock(),
                McsLock.exchanging(),
                Dslr.polling(DSLR, 5_000),
                Dslr.plus(DSLR, BACKOFF),
                new ALock(new ALock.Settings(3, PAUSE, PAUSE)),
                new Soul(List.of(new Region(0, 2))),
                new ShiftLock(new ShiftLock.Settings(LEASE.toNanos(), 2, PAUSE)));
    }

    static LockProtocol named(String name) {
        return all().filter(protocol -> protocol.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Returns whether a protocol needs verbs that not every fabric has. */
    static boolean needsExtendedAtomics(LockProtocol protocol) {
        return protocol instanceof ShiftLock
                || protocol.name().equals(McsLock.exchanging().name());
    }
}
