// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import io.declock.DecLockException;
import io.declock.GrantKind;
import io.declock.LockLostException;
import io.declock.internal.protocol.CqlEnvironment;
import io.declock.internal.protocol.CqlLock;
import io.declock.internal.protocol.CqlUpper;
import io.declock.internal.protocol.Effects;
import io.declock.spi.GrantedValue;
import io.declock.spi.PeerMessage;
import io.declock.spi.Resolution;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One lock name in one compute node: the callers that hold it or wait for it here, on top of the one position this node may have
 * in the lock's remote queue (DecLock, section 5).
 *
 * <ol>
 * <li><b>Acquire:</b> a reader joins readers unless there is a waiter; every other caller queues locally. For the first caller in the queue
 * the node takes a remote position.
 * <li><b>Release:</b> the last holder hands over locally if policy, timestamps, token and bounds allow, else gives the remote position back
 * (and takes another at the tail for the remaining waiters of this node).
 * <li><b>Give up:</b> callers are only in local queues, so a caller leaves at once; a position without a waiter is passed on.
 * </ol>
 *
 * <p>This class takes the mutex for each call from outside and performs the effects after it was released; {@link HeldLock} does the same for
 * holders. The state is a {@link LocalState} of holders ({@link Holds}), waiters ({@link WaiterQueue}), and the {@link CqlLock} of the present
 * session. Functions over it do the work: {@link Arrival} (callers), {@link Granter} (grants and hand-overs, in the order that {@link Turn}
 * decides), {@link HoldConversion} (upgrade and downgrade), {@link Losses}.
 *
 * <p>Thread-safe: one short mutex guards the state and the {@link CqlLock}; no effect is performed under it.
 */
public final class LocalLock implements CqlUpper, LocalState.Front, KeptLocks.Kept {
    private final LocalState lock;
    private final Host host;
    private boolean used;
    private boolean usedAgain;

    /** The compute node of a lock, with what concerns the lock as a whole. */
    public interface Host extends LocalHost {
        /** Finds the lock's record and answers with {@link #bound} or {@link #bindFailed}; the caller holds no mutex. */
        void bind(LocalLock lock);

        /** The lock was retired and will not be bound any more. */
        void forgotten(LocalLock lock);
    }

    /** Makes an unbound lock. */
    public LocalLock(Host host, String name) {
        this.host = host;
        this.lock = new LocalState(host, this, name);
    }

    /** Returns the name, without a namespace. */
    @Override
    public String name() {
        return lock.name();
    }

    /** Returns the lock's name for messages, quoted, with control and other invisible characters escaped. */
    public String title() {
        return lock.title();
    }

    // ---------------------------------------------------------------- requests of callers

    /**
     * Decides a caller at once, or queues it to be decided later.
     *
     * @return false if this lock was retired: look the name up again
     */
    public boolean acquire(LocalWaiter waiter) {
        Effects effects = new Effects(host.clock());
        CqlEnvironment session;
        lock.mutex.lock();
        try {
            if (lock.isRetired()) {
                return false;
            }
            session = lock.postsTo();
            usedAgain = used;
            used = true;
            Arrival.arrive(lock, waiter, effects);
        } finally {
            lock.mutex.unlock();
        }
        lock.perform(effects, session);
        return true;
    }

    /**
     * Removes a caller that gives up from the queue.
     *
     * @return false if it was granted or failed before; that outcome stands
     */
    public boolean abandon(LocalWaiter waiter) {
        Effects effects = new Effects(host.clock());
        CqlEnvironment session;
        lock.mutex.lock();
        try {
            if (waiter.state() != LocalWaiter.State.WAITING) {
                return false;
            }
            session = lock.postsTo();
            waiter.settle(LocalWaiter.State.ABANDONED, null);
            lock.queue.remove(waiter);
            Granter.advance(lock, effects);
        } finally {
            lock.mutex.unlock();
        }
        lock.perform(effects, session);
        return true;
    }

    /** Fails every waiting caller (rule D4). Later callers find the host closed. */
    public void shutDown() {
        lock.event(effects -> {
            if (!lock.queue.isEmpty()) {
                Granter.failAll(lock, Arrival.shuttingDown(lock), effects);
                Granter.advance(lock, effects);
            }
        });
    }

    /**
     * Ends holds as lost, also what is left of one until its minimum is over, and gives them back. As when a ceiling is reached, the owners may still be
     * at work: only their fencing tokens are out of date.
     *
     * @param upTo fencing token of the youngest hold that ends
     */
    public void endHolds(long upTo, String why) {
        lock.event(effects -> endHolds(upTo, why, effects));
    }

    private void endHolds(long upTo, String why, Effects effects) {
        for (Hold hold : lock.holds.all()) {
            Hold.Reserved reserved = hold.reserved();
            if (hold.token() <= upTo) {
                lose(hold, why, effects);
                if (reserved != null) {
                    effects.run(reserved::end);
                }
            }
        }
    }

    /** Ends every hold as lost, as if its ceiling were reached: it is given back unless it is to last a while at least. */
    public void loseHolds(String why) {
        lock.event(effects -> lock.holds.all().forEach(hold -> lose(hold, why, effects)));
    }

    private void lose(Hold hold, String why, Effects effects) {
        Losses.loseToOwner(lock, hold, new LockLostException(lock.title() + " was lost: " + why), effects);
    }

    /**
     * Fails every waiting caller, ends every hold as lost, and forgets the lost holds: the lock is given back, and each owner may acquire it
     * again without releasing what it had. For tests of applications.
     */
    public void vacate(String why) {
        lock.event(effects -> {
            Granter.failAll(lock, new DecLockException(lock.title() + " was not acquired: " + why), effects);
            endHolds(Long.MAX_VALUE, why, effects);
            lock.holds.forgetAllLost();
            Granter.advance(lock, effects);
        });
    }

    // ---------------------------------------------------------------- events of the remote level

    @Override
    public void granted(GrantKind kind, Effects effects) {
        LockValue value = lock.knownValue();
        if (value != null) {
            value.granted(kind);
        }
        Granter.granted(lock, kind, effects);
    }

    @Override
    public void notGranted(Effects effects) {
        Granter.notGranted(lock, effects);
    }

    @Override
    public void mustWait(Effects effects) {
        Granter.refuseTries(lock, effects);
    }

    @Override
    public void settled(Effects effects) {
        Granter.settled(lock, effects);
        LockValue value = lock.knownValue();
        if (value != null) {
            value.settled(effects);
        }
    }

    @Override
    public @Nullable GrantedValue valueToTell() {
        LockValue value = lock.knownValue();
        CqlLock side = lock.remote();
        return value == null || side == null ? null : value.toTell(side);
    }

    @Override
    public boolean mayStoreYet() {
        LockValue value = lock.knownValue();
        CqlLock side = lock.remote();
        return value != null && side != null && value.mayStoreYet(side);
    }

    @Override
    public void told(GrantedValue value) {
        CqlLock side = lock.remote();
        if (side != null) {
            lock.value().told(side, value);
        }
    }

    @Override
    public void upgraded(boolean success, Effects effects) {
        if (HoldConversion.upgraded(lock, success, effects)) {
            Granter.advance(lock, effects);
        }
    }

    @Override
    public boolean giveBack(Effects effects) {
        return Granter.giveBackWanted(lock, effects);
    }

    // ---------------------------------------------------------------- kept positions

    @Override
    public boolean admitKept() {
        return host.kept().admit(this);
    }

    @Override
    public void removeKept() {
        host.kept().remove(this);
    }

    @Override
    public boolean isKeptUnused() {
        lock.mutex.lock();
        try {
            return Granter.isKeptUnused(lock);
        } finally {
            lock.mutex.unlock();
        }
    }

    @Override
    public void giveBackUnused(long nanos) {
        lock.event(effects -> Granter.giveBackUnused(lock, nanos, effects));
    }

    /** Another compute node has joined that does not ask for kept locks: this one looks at the queue again, and keeps nothing. */
    public void stopKeeping() {
        lock.event(effects -> {
            Granter.giveBackUnused(lock, 0, effects);
            CqlLock remote = lock.remote();
            if (remote != null) {
                remote.tenure().unmark();
            }
        });
    }

    // ---------------------------------------------------------------- sessions

    @Override
    public void bind() {
        host.bind(this);
    }

    /** The record was found: remote positions can be taken in this session. */
    public void bound(CqlEnvironment session, Resolution resolution) {
        Effects effects = new Effects(host.clock());
        lock.mutex.lock();
        try {
            if (!lock.isResolving()) {
                return;
            }
            lock.bind(session, CqlLock.resolved(session, this, lock.mutex, resolution));
            for (LocalWaiter waiter = lock.queue.first(); waiter != null; waiter = waiter.next) {
                waiter.stamp(session, effects.now());
            }
            Granter.advance(lock, effects);
        } finally {
            lock.mutex.unlock();
        }
        lock.perform(effects, session);
    }

    /**
     * The record was not found.
     *
     * @param failure exception for every waiting caller, or null to let them wait for the next session
     */
    public void bindFailed(@Nullable DecLockException failure) {
        lock.event(effects -> {
            if (lock.isResolving()) {
                lock.unbind();
                if (failure != null) {
                    Granter.failAll(lock, failure, effects);
                }
            }
        });
    }

    /** Tries to bind again after {@link #bindFailed}, if there is a waiter. */
    public void retryBinding() {
        lock.event(effects -> Granter.advance(lock, effects));
    }

    /** The session ended: every hold is lost, and the waiters go on waiting. */
    public void sessionLost(CqlEnvironment session, LockLostException why) {
        lock.event(effects -> Moving.sessionLost(lock, session, why, effects));
    }

    // ---------------------------------------------------------------- the memory node's next life

    /**
     * The session broke off. The holds are kept for as long as its lease lasts, and nothing is granted any more (rule H3); without holds the
     * lock is as after {@link #sessionLost}.
     *
     * @return whether there are holds that the memory node's next life may restore
     */
    public boolean suspend(CqlEnvironment session, LockLostException why) {
        AtomicBoolean kept = new AtomicBoolean();
        lock.event(effects -> kept.set(Moving.suspend(lock, session, why, effects)));
        return kept.get();
    }

    /**
     * The lock leaves a session for another memory node. As {@link #suspend}, but the holds are lost if the session in which they are restored
     * ends before they count there.
     *
     * @return whether there are holds to be restored
     */
    public boolean leave(CqlEnvironment session, LockLostException why) {
        AtomicBoolean kept = new AtomicBoolean();
        lock.event(effects -> kept.set(Moving.leave(lock, session, why, effects)));
        return kept.get();
    }

    /** Returns what is to be restored, or null if there is no hold left whose lease is valid; then the lock is as after {@link #sessionLost}. */
    public Moving.@Nullable Held toRestore(LockLostException why) {
        AtomicReference<Moving.@Nullable Held> held = new AtomicReference<>();
        lock.event(effects -> held.set(Moving.toRestore(lock, why, effects)));
        return held.get();
    }

    /** The memory node restored the hold in a record. It counts after {@link #moved}. */
    public void restored(CqlEnvironment next, long record, boolean exclusive) {
        lock.event(effects -> Moving.restored(
                lock, CqlLock.restored(next, this, lock.mutex, record, lock.suspendedEpoch(), exclusive)));
    }

    /** The memory node did not restore the hold: it is lost if the memory node said so, else another session may restore it. */
    public void notRestored(@Nullable LockLostException why) {
        lock.event(effects -> Moving.notRestored(lock, why, effects));
    }

    /** The holds that were restored in a session count: they rest on its lease. */
    public void moved(CqlEnvironment next, LockLostException why) {
        lock.event(effects -> Moving.moved(lock, next, why, effects));
    }

    /** Positions can be taken in a session's memory node again; it has written the record of a restored hold with that epoch. */
    public void graceOver(CqlEnvironment next, long epoch) {
        CqlLock remote = remote();
        if (remote != null && remote.environment() == next) {
            remote.graceOver(epoch);
        }
    }

    // ---------------------------------------------------------------- queries of the node

    /** Returns the hold of this owner, lost ones included, or null. */
    public @Nullable Hold findHold(Object owner) {
        lock.mutex.lock();
        try {
            Hold hold = lock.holds.of(owner);
            return hold != null ? hold : lock.holds.lostBy(owner);
        } finally {
            lock.mutex.unlock();
        }
    }

    /** Returns the session that the lock is bound in, or null. */
    public @Nullable CqlEnvironment session() {
        return lock.session();
    }

    /** Returns the remote side, or null without a session. */
    public @Nullable CqlLock remote() {
        lock.mutex.lock();
        try {
            return lock.remote();
        } finally {
            lock.mutex.unlock();
        }
    }

    /** Returns the key under which holds know this lock. */
    public Hold.Lock key() {
        return lock;
    }

    /** Returns the remote side if it is worth asking for the lock's value before a caller is granted the lock, or null (rule V3). */
    public @Nullable CqlLock toReadAhead() {
        lock.mutex.lock();
        try {
            LockValue value = lock.value();
            CqlLock side = lock.remote();
            return side != null && lock.session() == side.environment() && value.isWorthReading(side) ? side : null;
        } finally {
            lock.mutex.unlock();
        }
    }

    /** Returns this node's claim in that epoch, in the terms of a HOLD_ANSWER (rule B10). */
    public int claimIn(long epoch) {
        lock.mutex.lock();
        try {
            CqlLock remote = lock.remote();
            return remote == null ? PeerMessage.NO_POSITION : remote.claimIn(epoch);
        } finally {
            lock.mutex.unlock();
        }
    }

    /** Returns whether this node has a position in the remote queue, or is giving one back. */
    public boolean hasPosition() {
        lock.mutex.lock();
        try {
            CqlLock remote = lock.remote();
            return lock.isSuspended() || remote != null && !remote.isForgettable() && !isReserved();
        } finally {
            lock.mutex.unlock();
        }
    }

    /** Returns whether the position only lasts a while for nobody: the memory node keeps it when this node leaves (rule R2). */
    private boolean isReserved() {
        return lock.holds.all().stream().anyMatch(hold -> {
            Hold.Reserved reserved = hold.reserved();
            return hold.isOnlyReserved() && reserved != null && reserved.lasts();
        });
    }

    /**
     * Returns whether the lock was used since the last call, not counting its first use: a name that was used only once is not worth
     * keeping.
     */
    public boolean spare() {
        lock.mutex.lock();
        try {
            boolean spared = usedAgain;
            usedAgain = false;
            return spared;
        } finally {
            lock.mutex.unlock();
        }
    }

    /** Forgets the lock if it is idle; a retired lock refuses every caller. */
    public boolean retire() {
        lock.mutex.lock();
        try {
            boolean idle = lock.isIdle();
            if (idle) {
                lock.retire();
            }
            return idle;
        } finally {
            lock.mutex.unlock();
        }
    }

    /** Calls the visitor with every hold and every waiter, or the kept position, under the mutex: the visitor must be quick. */
    public void visit(Visitor visitor) {
        lock.mutex.lock();
        try {
            for (Hold hold : lock.holds.all()) {
                visitor.hold(hold, hold.isExclusive());
            }
            int position = 0;
            for (LocalWaiter waiter = lock.queue.first(); waiter != null; waiter = waiter.next) {
                visitor.waiter(waiter, waiter.since, position++);
            }
            CqlLock remote = lock.remote();
            if (remote != null && Granter.isKeptUnused(lock)) {
                visitor.kept(remote.isExclusive(), lock.keeping.unusedSince());
            }
        } finally {
            lock.mutex.unlock();
        }
    }

    /** Visits holds and waiters, or the kept position. */
    public interface Visitor {
        /** One hold. */
        void hold(Hold hold, boolean exclusive);

        /** One waiter. */
        void waiter(LocalWaiter waiter, long since, int position);

        /** The position that is kept without a user. */
        default void kept(boolean exclusive, long since) {}
    }

    @Override
    public String toString() {
        return lock.toString();
    }
}
