// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import io.declock.DecLockException;
import io.declock.GrantKind;
import io.declock.LockLostException;
import io.declock.LockMode;
import io.declock.LockNames;
import io.declock.ShuttingDownException;
import io.declock.internal.protocol.CqlEnvironment;
import io.declock.internal.protocol.CqlLock;
import io.declock.internal.protocol.CqlUpper;
import io.declock.internal.protocol.Effects;
import io.declock.spi.PeerMessage;
import io.declock.spi.Resolution;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
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
 * <p>This class takes the mutex for each call from outside and performs the effects after it was released. The parts do the work under the
 * mutex: {@link Holds} (the holders), {@link WaiterQueue} (the waiters), {@link Turn} (the order of grants), {@link Granter} (grants and
 * hand-overs), {@link HoldConversion} (upgrade and downgrade) and {@link SessionBinding} (the {@link CqlLock} of the present session). A
 * process may know 100,000 locks, so a part without state has no object per lock.
 *
 * <p>Thread-safe: its own short mutex guards it, its parts and its {@link CqlLock}; no effect is performed under it.
 */
public final class LocalLock implements CqlUpper {
    private final String name;
    final LocalHost host;
    private final ReentrantLock mutex = new ReentrantLock();
    final WaiterQueue queue = new WaiterQueue();
    final Holds holds;
    final SessionBinding binding = new SessionBinding();
    /** The waiter for an upgrade, and its acquisition, or null. */
    @Nullable
    LocalWaiter upgrader;

    @Nullable
    Acquisition upgrading;

    private boolean used;
    private boolean usedAgain;

    /** Makes an unbound lock. */
    public LocalLock(LocalHost host, String name) {
        this.name = name;
        this.host = host;
        this.holds = new Holds(host);
    }

    /** Returns the name, without a namespace. */
    public String name() {
        return name;
    }

    /** Returns the lock's name for messages, quoted, with control and other invisible characters escaped. */
    public String title() {
        return "lock " + LockNames.quoted(name);
    }

    ReentrantLock mutex() {
        return mutex;
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
        mutex.lock();
        try {
            if (binding.isRetired()) {
                return false;
            }
            session = binding.session();
            usedAgain = used;
            used = true;
            waiter.since = effects.now();
            if (!reenter(waiter, effects)) {
                if (host.isClosed()) {
                    waiter.settle(LocalWaiter.State.FAILED, shuttingDown());
                } else {
                    Granter.enter(this, waiter, effects);
                }
            }
        } finally {
            mutex.unlock();
        }
        perform(effects, session);
        return true;
    }

    /** Decides a caller whose owner has a hold, or has lost one without releasing it since (rule O6); returns false if the owner has neither. */
    private boolean reenter(LocalWaiter waiter, Effects effects) {
        Hold own = holds.of(waiter.owner);
        if (own != null) {
            loseIfOver(own, effects);
            if (own.lost() == null) {
                holds.reenter(own, waiter);
                return true;
            }
        }
        Hold lost = holds.lostBy(waiter.owner);
        LockLostException why = lost == null ? null : lost.lost();
        if (why == null) {
            return false;
        }
        waiter.settle(
                LocalWaiter.State.FAILED,
                new LockLostException(
                        title() + " cannot be acquired by an owner that lost it and has not released it since: "
                                + why.getMessage(),
                        why));
        return true;
    }

    private ShuttingDownException shuttingDown() {
        return new ShuttingDownException(title() + " was not acquired: this process is shutting down");
    }

    /** Fails every waiting caller. Later callers find the host closed. */
    public void shutDown() {
        event(effects -> {
            if (!queue.isEmpty()) {
                Granter.failAll(this, shuttingDown(), effects);
                Granter.advance(this, effects);
            }
        });
    }

    /**
     * Removes a caller that gives up from the queue.
     *
     * @return false if it was granted or failed before; that outcome stands
     */
    public boolean abandon(LocalWaiter waiter) {
        Effects effects = new Effects(host.clock());
        CqlEnvironment session;
        mutex.lock();
        try {
            if (waiter.state() != LocalWaiter.State.WAITING) {
                return false;
            }
            session = binding.session();
            waiter.settle(LocalWaiter.State.ABANDONED, null);
            queue.remove(waiter);
            Granter.advance(this, effects);
        } finally {
            mutex.unlock();
        }
        perform(effects, session);
        return true;
    }

    /** Gives back one acquisition of a hold that has no {@link Acquisition} yet and was not made through a view. */
    public @Nullable LockLostException release(Hold hold, LockMode mode) {
        return release(hold, mode, false);
    }

    /**
     * Gives back one acquisition of a hold that has no {@link Acquisition}: it was made through a view, or its caller does not know of the
     * grant yet.
     *
     * @param byView whether it was made through a view
     * @return why the hold had been lost, or null if it had not
     * @throws IllegalMonitorStateException if the hold has no acquisition in that mode
     */
    public @Nullable LockLostException release(Hold hold, LockMode mode, boolean byView) {
        Effects effects = new Effects(host.clock());
        CqlEnvironment session;
        LockLostException lost;
        mutex.lock();
        try {
            if (!hold.has(mode)) {
                throw new IllegalMonitorStateException(
                        title() + " is not held in mode " + mode + " by " + hold.owner());
            }
            session = binding.session();
            hold.byView -= byView ? 1 : 0;
            lost = release(hold, mode, effects);
        } finally {
            mutex.unlock();
        }
        perform(effects, session);
        return lost;
    }

    /** Gives an acquisition back, once (rule O8). Returns why it had been lost, with its hold or alone, or null if it had not. */
    public @Nullable LockLostException release(Acquisition acquisition) {
        Effects effects = new Effects(host.clock());
        CqlEnvironment session;
        LockLostException lost;
        mutex.lock();
        try {
            session = binding.session();
            if (!acquisition.isEnded()) {
                Ceiling own = acquisition.ceiling();
                end(acquisition, own != null && own.isReached(effects.now()) ? own.reached(this) : null, effects);
            }
            lost = acquisition.lost();
        } finally {
            mutex.unlock();
        }
        perform(effects, session);
        return lost;
    }

    private void end(Acquisition acquisition, @Nullable LockLostException alone, Effects effects) {
        acquisition.end(alone);
        if (alone != null) {
            holds.tell(acquisition, effects);
        }
        release(acquisition.hold(), acquisition.heldMode(), effects);
    }

    private @Nullable LockLostException release(Hold hold, LockMode mode, Effects effects) {
        loseIfOver(hold, effects);
        hold.subtract(mode);
        LockLostException lost = hold.lost();
        if (lost == null) {
            afterRelease(hold, mode, effects);
        } else {
            holds.forgetLost(hold);
        }
        return lost;
    }

    /**
     * Loses a hold whose lease has run out, or whose ceiling was reached. The end of the session, or the timer, does the same, but may come
     * too late for a caller that wakes from a pause (rule C1).
     */
    private void loseIfOver(Hold hold, Effects effects) {
        Ceiling limit = hold.ceiling();
        if (!binding.leaseValid(effects.now())) {
            lose(
                    hold,
                    new LockLostException(
                            title() + " was lost before it was released: the lease of its session ran out; "
                                    + "only the fencing token protects what its holder did since"),
                    effects);
        } else if (limit != null && limit.isReached(effects.now())) {
            lose(hold, limit.reached(this), effects);
        }
    }

    private void lose(Hold hold, LockLostException why, Effects effects) {
        if (hold.lost() == null && holds.contains(hold)) {
            holds.lose(hold, why, effects);
            Granter.advance(this, effects);
        }
    }

    private void afterRelease(Hold hold, LockMode mode, Effects effects) {
        if (hold.writes > 0 || hold.reads > 0 && !mode.isExclusive()) {
            return;
        }
        if (hold.reads > 0) {
            HoldConversion.toReader(this, hold, effects);
        } else {
            holds.end(hold);
        }
        Granter.advance(this, effects);
    }

    /**
     * Turns an exclusive acquisition into a shared one. Does nothing if it is shared already or was given back. The lock is shared as soon
     * as its owner has no exclusive acquisition left.
     *
     * @return why it was lost, and stays as it was, or null
     */
    public @Nullable LockLostException downgrade(Acquisition acquisition) {
        return change(acquisition, effects -> {
            Hold hold = acquisition.hold();
            if (acquisition.heldMode().isExclusive()) {
                hold.downgradeOne();
                acquisition.toMode(LockMode.READ);
                if (hold.writes == 0) {
                    HoldConversion.toReader(this, hold, effects);
                    Granter.advance(this, effects);
                }
            }
        });
    }

    /**
     * Tries to make a shared acquisition exclusive (rule D3). The waiter's state tells the outcome, at once or later: GRANTED or BUSY.
     *
     * @return why it was lost, and stays as it was, or null
     */
    public @Nullable LockLostException tryUpgrade(Acquisition acquisition, LocalWaiter waiter) {
        LockLostException lost = change(acquisition, effects -> {
            if (acquisition.heldMode().isExclusive()) {
                waiter.grant(acquisition.hold(), true);
            } else {
                HoldConversion.tryUpgrade(this, acquisition, waiter, effects);
            }
        });
        if (lost != null || acquisition.isEnded()) {
            giveUp(waiter);
        }
        return lost;
    }

    private void giveUp(LocalWaiter waiter) {
        mutex.lock();
        try {
            if (waiter.state() == LocalWaiter.State.WAITING && upgrader != waiter) {
                waiter.settle(LocalWaiter.State.BUSY, null);
            }
        } finally {
            mutex.unlock();
        }
    }

    /** Ends a hold, with all its acquisitions, because its ceiling was reached. Does nothing if it ended before. */
    public void expire(Hold hold, Ceiling reached) {
        event(effects -> lose(hold, reached.reached(this), effects));
    }

    /** Ends an acquisition because its own ceiling was reached; others of its hold go on. Does nothing if it ended before. */
    public void expire(Acquisition acquisition, Ceiling reached) {
        event(effects -> {
            if (!acquisition.isEnded() && acquisition.lost() == null) {
                end(acquisition, reached.reached(this), effects);
            }
        });
    }

    /** Changes an acquisition unless it was given back or lost; returns why it was lost, or null. */
    private @Nullable LockLostException change(Acquisition acquisition, Consumer<Effects> change) {
        event(effects -> {
            loseIfOver(acquisition.hold(), effects);
            if (!acquisition.isEnded() && acquisition.lost() == null) {
                change.accept(effects);
            }
        });
        return acquisition.lost();
    }

    private void event(Consumer<Effects> handler) {
        Effects effects = new Effects(host.clock());
        CqlEnvironment session;
        mutex.lock();
        try {
            session = binding.session();
            handler.accept(effects);
        } finally {
            mutex.unlock();
        }
        perform(effects, session);
    }

    private void perform(Effects effects, @Nullable CqlEnvironment session) {
        assert !mutex.isHeldByCurrentThread() : "effects of " + this + " performed under its mutex";
        if (session == null) {
            effects.performWithoutSession();
        } else {
            effects.perform(session);
        }
    }

    // ---------------------------------------------------------------- events of the remote level

    @Override
    public void granted(GrantKind kind, Effects effects) {
        Granter.granted(this, kind, effects);
    }

    @Override
    public void vacant(Effects effects) {
        Granter.advance(this, effects);
    }

    @Override
    public void notGranted(Effects effects) {
        Granter.notGranted(this, effects);
    }

    @Override
    public void mustWait(Effects effects) {
        Granter.refuseTries(this, effects);
    }

    @Override
    public void settled(Effects effects) {
        Granter.settled(this, effects);
    }

    @Override
    public void upgraded(boolean success, Effects effects) {
        if (HoldConversion.upgraded(this, success, effects)) {
            Granter.advance(this, effects);
        }
    }

    // ---------------------------------------------------------------- sessions

    /** The record was found: remote positions can be taken in this session. */
    public void bound(CqlEnvironment session, Resolution resolution) {
        Effects effects = new Effects(host.clock());
        mutex.lock();
        try {
            if (!binding.isResolving()) {
                return;
            }
            binding.bind(session, new CqlLock(session, this, mutex, resolution.record(), resolution.epoch()));
            for (LocalWaiter waiter = queue.first(); waiter != null; waiter = waiter.next) {
                waiter.stamp(session, effects.now());
            }
            Granter.advance(this, effects);
        } finally {
            mutex.unlock();
        }
        effects.perform(session);
    }

    /**
     * The record was not found.
     *
     * @param failure exception for every waiting caller, or null to let them wait for the next session
     */
    public void bindFailed(@Nullable DecLockException failure) {
        Effects effects = new Effects(host.clock());
        mutex.lock();
        try {
            if (!binding.isResolving()) {
                return;
            }
            binding.unbind();
            if (failure != null) {
                Granter.failAll(this, failure, effects);
            }
        } finally {
            mutex.unlock();
        }
        effects.performWithoutSession();
    }

    /** Tries to bind again after {@link #bindFailed}, if there is a waiter. */
    public void retryBinding() {
        Effects effects = new Effects(host.clock());
        mutex.lock();
        try {
            Granter.advance(this, effects);
        } finally {
            mutex.unlock();
        }
        effects.performWithoutSession();
    }

    /** The session ended: every hold is lost, and the waiters go on waiting. */
    public void sessionLost(CqlEnvironment session, LockLostException why) {
        Effects effects = new Effects(host.clock());
        mutex.lock();
        try {
            if (binding.session() != session) {
                return;
            }
            binding.unbind();
            HoldConversion.giveUp(this, effects);
            holds.loseAll(why, effects);
            Granter.advance(this, effects);
        } finally {
            mutex.unlock();
        }
        effects.performWithoutSession();
    }

    // ---------------------------------------------------------------- queries of the node

    /** Returns whether the lease that the holds rest on has not run out by this process's clock (rule C1). Takes no mutex. */
    public boolean mayTrustLease() {
        return mayTrustLease(host.clock().nanoTime());
    }

    /** Returns the same, for the time {@code now} on this process's clock. */
    public boolean mayTrustLease(long now) {
        return binding.leaseValid(now);
    }

    /** Returns the hold of this owner, lost ones included, or null. */
    public @Nullable Hold findHold(Object owner) {
        mutex.lock();
        try {
            Hold hold = holds.of(owner);
            return hold != null ? hold : holds.lostBy(owner);
        } finally {
            mutex.unlock();
        }
    }

    /** Returns the remote side, or null without a session. */
    public @Nullable CqlLock remote() {
        mutex.lock();
        try {
            return binding.remote();
        } finally {
            mutex.unlock();
        }
    }

    /** Returns this node's claim in that epoch, in the terms of a HOLD_ANSWER (rule B10). */
    public int claimIn(long epoch) {
        mutex.lock();
        try {
            CqlLock remote = binding.remote();
            return remote == null ? PeerMessage.NO_POSITION : remote.claimIn(epoch);
        } finally {
            mutex.unlock();
        }
    }

    /** Returns whether this node has a position in the remote queue, or is giving one back. */
    public boolean hasPosition() {
        mutex.lock();
        try {
            CqlLock remote = binding.remote();
            return remote != null && !remote.isForgettable();
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Returns whether the lock was used since the last call, not counting its first use: a name that was used only once is not worth
     * keeping.
     */
    public boolean spare() {
        mutex.lock();
        try {
            boolean spared = usedAgain;
            usedAgain = false;
            return spared;
        } finally {
            mutex.unlock();
        }
    }

    /** Forgets the lock if it is idle; a retired lock refuses every caller. */
    public boolean retire() {
        mutex.lock();
        try {
            boolean idle = queue.isEmpty() && holds.isEmpty() && !holds.hasLost() && binding.isIdle();
            if (idle) {
                binding.retire();
            }
            return idle;
        } finally {
            mutex.unlock();
        }
    }

    /** Calls the visitor with every hold and every waiter, under the mutex: the visitor must be quick. */
    public void visit(Visitor visitor) {
        mutex.lock();
        try {
            holds.visit(visitor);
            int position = 0;
            for (LocalWaiter waiter = queue.first(); waiter != null; waiter = waiter.next) {
                visitor.waiter(waiter, waiter.since, position++);
            }
        } finally {
            mutex.unlock();
        }
    }

    /** Visits holds and waiters. */
    public interface Visitor {
        /** One hold. */
        void hold(Hold hold, boolean exclusive);

        /** One waiter. */
        void waiter(LocalWaiter waiter, long since, int position);
    }

    @Override
    public String toString() {
        return title() + " " + binding + ", write hold " + holds.hasWriter() + ", readers " + holds.readers()
                + ", waiting " + queue.size();
    }
}
