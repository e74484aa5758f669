// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.papers;

import io.declock.FairnessPolicy;
import io.declock.protocols.Backoff;
import io.declock.protocols.cas.CasLock;
import io.declock.protocols.dslr.Dslr;
import io.declock.protocols.mcs.McsLock;
import io.declock.protocols.shiftlock.ShiftLock;
import io.declock.protocols.soul.Region;
import io.declock.protocols.soul.Soul;
import io.declock.simulation.LockSystem;
import io.declock.simulation.LockSystem.DecLockSystem;
import io.declock.simulation.LockSystem.HandOver;
import io.declock.simulation.LockSystem.Literature;
import io.declock.simulation.LockSystem.Variation;
import java.util.List;

/**
 * A lock as the papers set it.
 *
 * @param name its name in the figures
 * @param system the lock
 */
record Lock(String name, LockSystem system) {
    /** Ten milliseconds in the papers of DSLR and ShiftLock. */
    static final long LEASE = 10_000_000;

    /**
     * How long a waiter of ShiftLock pauses between two READs, and one of the locks beside it in its paper. The papers do not say; this is what ShiftLock's published code has: 4,096 cycles of the
     * testbed's processors.
     */
    private static final long SHIFTLOCK_PAUSE = 1_862;

    /** How long a waiter of DSLR pauses for each ticket before its own. */
    static final long DSLR_PAUSE = 5_000;

    /** SMART's as DecLock's paper sets it for DSLR+ (2.3). */
    static final Backoff BACKOFF = Backoff.truncatedExponential(100, 3_200, 2_000);

    static final Lock CASLOCK = new Lock("CASLock", new Literature(CasLock.spinning()));
    /** CAS and MCS have no readers in ShiftLock's paper (table 1). */
    static final Lock CAS = new Lock("CAS-NB", new Literature(CasLock.exclusive(Backoff.NONE)));

    static final Lock CAS_BACKOFF = new Lock("CAS-B", new Literature(CasLock.exclusive(Backoff.SMART)));
    /** The limit of its pauses follows the share of retries; that takes a while. */
    static final Lock CAS_ADAPTIVE =
            new Lock("CAS-B, adaptive", new Literature(CasLock.exclusive(Backoff.adaptive(SHIFTLOCK_PAUSE, 10))));

    static final Lock DSLR_PLUS = dslrPlus(BACKOFF);
    static final Lock DSLR =
            new Lock("DSLR", new Literature(Dslr.polling(new Dslr.Settings(LEASE, Dslr.TICKETS), DSLR_PAUSE)));
    /** As ShiftLock's published code sets it: a waiter pauses less than in DSLR's paper. */
    static final Lock DSLR_BESIDE_SHIFTLOCK =
            new Lock("DSLR", new Literature(Dslr.polling(new Dslr.Settings(LEASE, Dslr.TICKETS), SHIFTLOCK_PAUSE)));

    static final Lock MCS = new Lock("MCS", new Literature(McsLock.exchanging()));
    static final Lock MCS_COUNTING = new Lock("MCS, counting", new Literature(McsLock.counting()));
    static final Lock SHIFTLOCK = shiftLock("ShiftLock", ShiftLock.WRITERS_IN_A_ROW);
    /** DecLock without what this library has and the paper does not print: bounds on local hand-overs, self-checks, and the epoch in what is READ. */
    static final DecLockSystem DECLOCK_AS_PRINTED =
            DecLockSystem.AS_IN_THE_PAPER.with(HandOver.AS_PRINTED).with(new Variation(false, 0, false));

    static final Lock DECLOCK_TF = new Lock("DecLock-TF", DecLockSystem.AS_IN_THE_PAPER);
    static final Lock DECLOCK_PF =
            new Lock("DecLock-PF", DecLockSystem.AS_IN_THE_PAPER.with(FairnessPolicy.PHASE_FAIR));

    /** Returns ShiftLock with another number of writers in a row. */
    static Lock shiftLock(String name, int writersInARow) {
        return shiftLock(name, writersInARow, 1);
    }

    /** Returns ShiftLock with so many writers in a row, and so many eras side by side. */
    static Lock shiftLock(String name, int writersInARow, int eras) {
        return shiftLock(name, writersInARow, eras, SHIFTLOCK_PAUSE);
    }

    /** Returns ShiftLock with so many writers in a row, eras side by side, and nanoseconds between two READs of a waiter. */
    static Lock shiftLock(String name, int writersInARow, int eras, long pause) {
        return new Lock(name, new Literature(new ShiftLock(new ShiftLock.Settings(LEASE, writersInARow, pause, eras))));
    }

    /** Returns DSLR+ with a back-off. */
    static Lock dslrPlus(Backoff backoff) {
        return new Lock("DSLR+", new Literature(Dslr.plus(new Dslr.Settings(LEASE, Dslr.TICKETS), backoff)));
    }

    /** Returns Soul with so many words behind each lock. */
    static Lock soul(int words) {
        return new Lock("Soul", new Literature(new Soul(List.of(new Region(0, words)))));
    }

    /** Returns the names of locks. */
    static List<String> names(List<Lock> locks) {
        return locks.stream().map(Lock::name).toList();
    }

    /** Returns the lock of a name. */
    static Lock named(List<Lock> locks, String name) {
        return locks.stream()
                .filter(lock -> lock.name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
