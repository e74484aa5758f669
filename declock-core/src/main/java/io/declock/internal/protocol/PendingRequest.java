// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.Counters.Event;
import io.declock.GrantKind;
import io.declock.Purpose;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.protocol.LockChain.Step;
import io.declock.spi.GrantedValue;
import io.declock.spi.PeerMessage;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;

/**
 * A position that waits (DecLock, section 4.2, workflow 2): its entry in the queue, the grant it accepts, and the self-check on
 * which its liveness rests (rules A3, A4, A5, A6 and A9 of docs/protocol.md).
 */
final class PendingRequest {
    private PendingRequest() {}

    /**
     * Registers the position as pending, before another node can see its entry (rule A6).
     *
     * @param before the header to which the position was added
     */
    static void register(LockState lock, long before, Effects effects) {
        lock.position.to(PositionState.WAITING);
        lock.waiting().begin(effects.now());
        if (lock.position.isExclusive()) {
            lock.tenure.waitsBehind(lock.position.index() - LockHeader.head(before));
        }
        lock.wish().begin(before, lock.position.isExclusive());
        if (LockHeader.isOverfull(before)) {
            lock.requestReset(ResetReason.OVERFLOW, effects);
        }
        if (hasSlot(lock, before, effects)) {
            writeEntry(lock, effects);
        }
        armCheck(lock, effects);
    }

    // ---------------------------------------------------------------- the entry

    /**
     * Returns whether the slot of the position is free in a header. It belongs to another waiter as long as there are more positions before
     * this one than slots; until then the position waits without an entry (rule A9).
     */
    private static boolean hasSlot(LockState lock, long header, Effects effects) {
        int head = LockHeader.head(header);
        int beforeTurn = lock.position.index() - head;
        int beforeSlot = beforeTurn - lock.position.layout().capacity() + 1;
        lock.waiting().sees(head, beforeSlot, beforeTurn, effects.now());
        return isFree(beforeSlot);
    }

    private static boolean isFree(int beforeSlot) {
        return beforeSlot <= 0;
    }

    private static void writeEntry(LockState lock, Effects effects) {
        boolean writing = lock.isWritingEntry();
        lock.waiting().toEntryOutdated(writing);
        if (writing) {
            return;
        }
        Position position = lock.position;
        int index = position.index();
        long entry = lock.ownEntry();
        VerbChain chain = lock.entryWrite()
                .about(index)
                .use(Step.ENTRY_WRITTEN, effects)
                .begin(Purpose.ENTRY)
                .write(position.layout().entry(position.record(), index), entry);
        Wanting.lookForMark(lock, chain);
    }

    static void onEntryWritten(LockState lock, LockChain chain, VerbResults results, Effects effects) {
        if (chain.size() > 1 && chain.isAbout(lock.position.index())) {
            Wanting.onMark(lock, results.value(1), effects);
        }
        if (lock.waiting().isEntryOutdated()
                && lock.position.is(PositionState.WAITING)
                && lock.waiting().hasSlot()) {
            writeEntry(lock, effects);
        }
    }

    // ---------------------------------------------------------------- the grant

    /** A grant arrived (rule A5: it counts only on an exact match). */
    static void onGrant(LockState lock, PeerMessage grant, Effects effects) {
        if (!accepts(lock, grant)) {
            lock.env.counters().count(Event.GRANT_IGNORED);
            return;
        }
        Wanting.takeReadersMarkAway(lock, effects);
        believe(lock, grant);
        lock.hold(GrantKind.PEER, grant.entries(), grant.detail() - 1, effects);
    }

    /** Believes what a grant tells of the lock's value: only of the grant that is accepted (rule V5). */
    private static void believe(LockState lock, PeerMessage grant) {
        GrantedValue told = grant.value();
        if (told != null) {
            lock.upper.told(told);
        }
    }

    private static boolean accepts(LockState lock, PeerMessage grant) {
        return lock.position.isMeantBy(grant);
    }

    // ---------------------------------------------------------------- the self-check

    private static void armCheck(LockState lock, Effects effects) {
        if (lock.waiting().armCheck()) {
            long interval = lock.waiting()
                    .untilCheck(lock.env.settings().selfCheckInterval().toNanos(), effects.now());
            lock.start(LockTimer.SELF_CHECK, interval + lock.env.random().below(interval / 2), effects);
        }
    }

    static void onCheckDue(LockState lock, Effects effects) {
        lock.waiting().checkDue();
        if (!lock.position.is(PositionState.WAITING)) {
            return;
        }
        long interval = lock.waiting()
                .firstCheck(lock.env.settings().selfCheckInterval().toNanos());
        if (lock.waiting().hasLasted(interval, effects.now())
                && !lock.isProbing()
                && lock.env.leaseValid(effects.now())) {
            lock.waiting().countCheck();
            lock.env.counters().count(Event.SELF_CHECK);
            lock.probe()
                    .about(lock.position.index())
                    .use(Step.CHECKED, effects)
                    .begin(Purpose.SELF_CHECK)
                    .read(lock.position.record(), lock.position.words());
            Wanting.lookForReadersMark(lock, lock.probe());
        } else {
            armCheck(lock, effects);
        }
    }

    static void onChecked(LockState lock, LockChain chain, VerbResults results, Effects effects) {
        Position position = lock.position;
        if (!position.is(PositionState.WAITING) || !lock.probe().isAbout(position.index())) {
            return;
        }
        switch (SelfCheck.judge(
                position.layout(), position.epoch(), position.index(), position.isExclusive(), results)) {
            case GRANTED -> {
                lock.env.counters().count(Event.SELF_CHECK_GRANT);
                Wanting.takeReadersMarkAway(lock, effects);
                lock.hold(GrantKind.QUEUED, effects);
            }
            case ENTRY_MISSING -> {
                if (hasSlot(lock, results.word(0, 0), effects)) {
                    writeEntry(lock, effects);
                }
                suspect(lock, results, effects);
            }
            case WAIT -> {
                hasSlot(lock, results.word(0, 0), effects);
                Wanting.onCheck(lock, chain, results, effects);
                suspect(lock, results, effects);
            }
            case RESET, OTHER_EPOCH -> Freeze.abort(lock, effects);
        }
        if (position.is(PositionState.WAITING)) {
            armCheck(lock, effects);
        }
    }

    private static void suspect(LockState lock, VerbResults results, Effects effects) {
        long now = effects.now();
        if (lock.isSuspicious(results.word(0, 0), now)
                || lock.waiting()
                        .hasNotAskedFor(lock.env.settings().suspectAfter().toNanos(), now)) {
            ask(lock, effects);
        }
    }

    /** Asks at once whether any node holds the lock. */
    static void ask(LockState lock, Effects effects) {
        lock.waiting().ask(effects.now());
        lock.requestReset(ResetReason.SUSPECTED, effects);
    }
}
