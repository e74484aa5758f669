// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.Counters.Event;
import io.declock.GrantKind;
import io.declock.Purpose;
import io.declock.internal.layout.QueueEntry;
import io.declock.internal.protocol.CqlLock.State;
import io.declock.internal.protocol.LockChain.Step;
import io.declock.spi.PeerMessage;
import io.declock.spi.VerbResults;

/**
 * A position that waits (DecLock, section 4.2, workflow 2): its entry in the queue, the grant it accepts, and the self-check on
 * which its liveness rests (rules A3, A4, A5, A6 and A9 of docs/protocol.md). Guarded by the lock's mutex.
 */
final class PendingRequest {
    private final CqlEnvironment env;
    private final CqlLock lock;
    private final Position position;
    private final ResetMember reset;
    private final LockChain probe;
    private final LockChain entryWrite;

    private boolean overflowed;
    private boolean entryOutdated;
    private long waitingSince;
    private long lastAsked;
    private int checks;
    private boolean checkArmed;

    PendingRequest(CqlEnvironment env, CqlLock lock, Position position, ResetMember reset, LockChain probe) {
        this.env = env;
        this.lock = lock;
        this.position = position;
        this.reset = reset;
        this.probe = probe;
        this.entryWrite = new LockChain(lock, 1);
    }

    /**
     * Registers the position as pending, before another node can see its entry (rule A6).
     *
     * @param beyondCapacity whether its slot belongs to another waiter, so that no entry may be written (rule A9)
     */
    void register(boolean beyondCapacity, Effects effects) {
        position.to(State.WAITING);
        overflowed = beyondCapacity;
        waitingSince = effects.now();
        lastAsked = waitingSince;
        checks = 0;
        if (overflowed) {
            lock.requestReset(ResetReason.OVERFLOW, effects);
        } else {
            writeEntry(effects);
        }
        armCheck(effects);
    }

    // ---------------------------------------------------------------- the entry

    private void writeEntry(Effects effects) {
        if (entryWrite.isInFlight()) {
            entryOutdated = true;
            return;
        }
        entryOutdated = false;
        int index = position.index();
        long entry = QueueEntry.pack(
                position.isExclusive(),
                env.nodeId(),
                env.incarnation(),
                position.layout().version(index),
                position.epoch(),
                position.timestamp());
        entryWrite
                .use(Step.ENTRY_WRITTEN, effects)
                .begin(Purpose.ENTRY)
                .write(position.layout().entry(position.record(), index), entry);
    }

    void onEntryWritten(Effects effects) {
        if (entryOutdated && position.is(State.WAITING) && !overflowed) {
            writeEntry(effects);
        }
    }

    boolean isWritingEntry() {
        return entryWrite.isInFlight();
    }

    // ---------------------------------------------------------------- the grant

    /** A grant arrived (rule A5: it counts only on an exact match). */
    void onGrant(PeerMessage grant, Effects effects) {
        if (!accepts(grant)) {
            env.counters().count(Event.GRANT_IGNORED);
            return;
        }
        lock.hold(GrantKind.PEER, grant.entries(), grant.detail() - 1, effects);
    }

    private boolean accepts(PeerMessage grant) {
        return position.isMeantBy(grant);
    }

    // ---------------------------------------------------------------- the self-check

    private void armCheck(Effects effects) {
        if (checkArmed) {
            return;
        }
        checkArmed = true;
        long interval = env.settings().selfCheckInterval().toNanos() << Math.min(checks, 4);
        long delay = interval + env.random().below(interval / 2);
        effects.run(() -> env.timer().schedule(delay, this::checkDue));
    }

    private void checkDue() {
        lock.event(effects -> {
            checkArmed = false;
            if (!position.is(State.WAITING)) {
                return;
            }
            long interval = env.settings().selfCheckInterval().toNanos();
            if (effects.now() - waitingSince >= interval && !probe.isInFlight() && env.leaseValid(effects.now())) {
                checks++;
                env.counters().count(Event.SELF_CHECK);
                probe.about(position.index())
                        .use(Step.CHECKED, effects)
                        .begin(Purpose.SELF_CHECK)
                        .read(position.record(), position.words());
            }
            armCheck(effects);
        });
    }

    void onChecked(VerbResults results, Effects effects) {
        if (!position.is(State.WAITING) || !probe.isAbout(position.index())) {
            return;
        }
        switch (SelfCheck.judge(
                position.layout(), position.epoch(), position.index(), position.isExclusive(), results)) {
            case GRANTED -> {
                env.counters().count(Event.SELF_CHECK_GRANT);
                lock.hold(GrantKind.QUEUED, effects);
            }
            case ENTRY_MISSING -> {
                if (!overflowed) {
                    writeEntry(effects);
                }
                suspect(results, effects);
            }
            case WAIT -> suspect(results, effects);
            case RESET, OTHER_EPOCH -> reset.abort(effects);
        }
    }

    private void suspect(VerbResults results, Effects effects) {
        long now = effects.now();
        if (lock.isSuspicious(results.word(0, 0), now)
                || now - lastAsked >= env.settings().suspectAfter().toNanos()) {
            ask(now, effects);
        }
    }

    /** A compute node died: this waiter asks at once whether any node holds the lock. */
    void memberDied(Effects effects) {
        ask(effects.now(), effects);
    }

    private void ask(long now, Effects effects) {
        lastAsked = now;
        lock.requestReset(ResetReason.SUSPECTED, effects);
    }
}
