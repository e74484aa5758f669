// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocol;

import io.declock.fabric.Purpose;
import io.declock.fabric.VerbResults;
import io.declock.layout.LockHeader;
import io.declock.protocol.CqlLock.State;
import io.declock.protocol.LockChain.Step;

/**
 * A holder's look at the remote queue, so that its local hand-overs do not pass over who waits there (DecLock, section 5.3).
 * Guarded by the lock's mutex.
 */
final class Prefetch {
    private final CqlEnvironment env;
    private final CqlUpper upper;
    private final Position position;
    private final Tenure tenure;
    private final ResetMember reset;
    private final LockChain probe;

    Prefetch(CqlEnvironment env, CqlUpper upper, Position position, Tenure tenure, ResetMember reset, LockChain probe) {
        this.env = env;
        this.upper = upper;
        this.position = position;
        this.tenure = tenure;
        this.reset = reset;
        this.probe = probe;
    }

    void start(Effects effects) {
        if (!position.is(State.HELD) || tenure.knowsRemote() || probe.isInFlight() || reset.isPending()) {
            return;
        }
        if (!tenure.beginLook(
                env.clock().nanoTime(), env.settings().prefetchInterval().toNanos())) {
            return;
        }
        probe.about(tenure.number())
                .use(Step.PREFETCHED, effects)
                .begin(Purpose.PREFETCH)
                .read(position.record(), position.words());
    }

    void onRead(VerbResults results, Effects effects) {
        long header = results.word(0, 0);
        if (!position.is(State.HELD)
                || !probe.isAbout(tenure.number())
                || LockHeader.resetId(header) != 0
                || !position.isOfEpoch(header)) {
            return;
        }
        boolean exclusive = position.isExclusive();
        boolean someone = exclusive ? LockHeader.size(header) > 1 : LockHeader.writers(header) > 0;
        if (someone) {
            int index = position.index();
            HandOver window = HandOver.behind(position.layout(), position.epoch(), header, index, exclusive);
            long[] entries = exclusive ? window.followers(index + 1, results, 0) : HandOver.NO_ENTRIES;
            tenure.learnWaiter(entries, window.earliest(index + 1, !exclusive, results, 0));
            upper.settled(effects);
        }
    }
}
