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
 * Without state of its own: {@link CqlLock} has it. Guarded by the lock's mutex.
 */
final class Prefetch {
    private Prefetch() {}

    static void start(CqlLock lock, Effects effects) {
        if (!lock.position.is(State.HELD)
                || lock.tenure.knowsRemote()
                || lock.probe.isInFlight()
                || lock.reset.isPending()) {
            return;
        }
        if (!lock.tenure.beginLook(
                effects.now(), lock.env.settings().prefetchInterval().toNanos())) {
            return;
        }
        lock.probe
                .about(lock.tenure.number())
                .use(Step.PREFETCHED, effects)
                .begin(Purpose.PREFETCH)
                .read(lock.position.record(), lock.position.words());
    }

    static void onRead(CqlLock lock, VerbResults results, Effects effects) {
        long header = results.word(0, 0);
        if (!lock.position.is(State.HELD)
                || !lock.probe.isAbout(lock.tenure.number())
                || LockHeader.resetId(header) != 0
                || !lock.position.isOfEpoch(header)) {
            return;
        }
        boolean exclusive = lock.position.isExclusive();
        boolean someone = exclusive ? LockHeader.size(header) > 1 : LockHeader.writers(header) > 0;
        if (someone) {
            int index = lock.position.index();
            HandOver window = HandOver.behind(lock.position.layout(), lock.position.epoch(), header, index, exclusive);
            long[] entries = exclusive ? window.followers(index + 1, results, 0) : HandOver.NO_ENTRIES;
            lock.tenure.learnWaiter(entries, window.earliest(index + 1, !exclusive, results, 0));
            lock.upper.settled(effects);
        }
    }
}
