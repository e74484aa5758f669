// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.local;

import io.declock.DecLockException;
import io.declock.LockLostException;
import io.declock.LockMode;
import io.declock.fabric.Resolution;
import io.declock.monitor.GrantKind;
import io.declock.protocol.CqlEnvironment;
import io.declock.protocol.CqlLock;
import io.declock.protocol.CqlUpper;
import io.declock.protocol.Effects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One lock name in one compute node: the callers that hold it or wait for it here, on top of the one position this node may have
 * in the lock's remote queue (DecLock, section 5).
 *
 * <ol>
 *   <li><b>Acquire:</b> a reader joins readers unless somebody waits; everybody else queues locally. The first in the queue makes
 *       the node take a remote position.
 *   <li><b>Release:</b> the last holder hands over locally if policy, timestamps, token and bounds allow, else gives the remote
 *       position back (and takes another at the tail for who still waits here).
 *   <li><b>Give up:</b> only local queues hold callers, so a caller leaves at once; a position nobody wants is passed on.
 * </ol>
 *
 * <p>This class takes the mutex for each call from outside and performs the effects after it was released. What happens under it is
 * in the parts: {@link Holds} (who is in), {@link WaiterQueue} (who waits), {@link Turn} (whose turn it is), {@link Granter} (what
 * moves on), {@link HoldConversion} (upgrade and downgrade) and {@link SessionBinding} (the {@link CqlLock} of the present session).
 * A process may know 100,000 locks, so what has no state of its own is no object of each.
 *
 * <p>Thread-safe: its own short mutex guards it, its parts and its {@link CqlLock}; nothing is called under it.
 */
public final class LocalLock implements CqlUpper {
    private final String name;
    final LocalHost host;
    private final ReentrantLock mutex = new ReentrantLock();
    final WaiterQueue queue = new WaiterQueue();
    final Holds holds;
    final SessionBinding binding = new SessionBinding();
    /** Who waits for its hold to be made exclusive. */
    @Nullable
    LocalWaiter upgrader;

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

    ReentrantLock mutex() {
        return mutex;
    }

    // ---------------------------------------------------------------- what callers ask for

    /**
     * Brings a caller before the lock. Afterwards its state is decided, or it is queued and will be.
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
            if (!holds.reenter(waiter)) {
                Granter.enter(this, waiter, effects);
            }
        } finally {
            mutex.unlock();
        }
        perform(effects, session);
        return true;
    }

    /**
     * Takes a caller that gives up out of the queue.
     *
     * @return false if it was granted or failed before; then that stands
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

    /**
     * Gives one acquisition of a hold back.
     *
     * @return why the hold had been lost, or null if it had not
     * @throws IllegalMonitorStateException if the hold has no acquisition in that mode
     */
    public @Nullable LockLostException release(Hold hold, LockMode mode) {
        Effects effects = new Effects(host.clock());
        CqlEnvironment session;
        LockLostException lost;
        mutex.lock();
        try {
            if (!hold.has(mode)) {
                throw new IllegalMonitorStateException(
                        "lock '" + name + "' is not held in mode " + mode + " by " + hold.owner);
            }
            session = binding.session();
            if (!binding.leaseValid(effects.now())) {
                loseToLease(hold, effects);
            }
            hold.subtract(mode);
            lost = hold.lost();
            if (lost == null) {
                afterRelease(hold, mode, effects);
            } else {
                holds.forgetLost(hold);
            }
        } finally {
            mutex.unlock();
        }
        perform(effects, session);
        return lost;
    }

    /** The end of the session, which is on its way, may come too late to tell a caller who wakes from a pause and releases (rule C1). */
    private void loseToLease(Hold hold, Effects effects) {
        lose(
                hold,
                new LockLostException(
                        "lock '" + name + "' was lost before it was released: the lease of its session ran out; "
                                + "only the fencing token protects what its holder did since"),
                effects);
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

    /** Turns a write hold into a read hold; nothing if it is one. */
    public void downgrade(Hold hold) {
        Effects effects = new Effects(host.clock());
        CqlEnvironment session;
        mutex.lock();
        try {
            session = binding.session();
            if (hold.lost() == null && hold.writes > 0) {
                hold.reads += hold.writes;
                hold.writes = 0;
                HoldConversion.toReader(this, hold, effects);
                Granter.advance(this, effects);
            }
        } finally {
            mutex.unlock();
        }
        perform(effects, session);
    }

    /**
     * Tries to turn a read hold into a write hold (rule D3). The waiter's state tells the outcome, at once or later: GRANTED or
     * BUSY.
     */
    public void tryUpgrade(Hold hold, LocalWaiter waiter) {
        Effects effects = new Effects(host.clock());
        CqlEnvironment session;
        mutex.lock();
        try {
            session = binding.session();
            HoldConversion.tryUpgrade(this, hold, waiter, effects);
        } finally {
            mutex.unlock();
        }
        perform(effects, session);
    }

    /** Ends a hold against its owner's will, because its ceiling was reached or its lease ran out. Nothing if it ended before. */
    public void expire(Hold hold, LockLostException why) {
        Effects effects = new Effects(host.clock());
        CqlEnvironment session;
        mutex.lock();
        try {
            session = binding.session();
            lose(hold, why, effects);
        } finally {
            mutex.unlock();
        }
        perform(effects, session);
    }

    private static void perform(Effects effects, @Nullable CqlEnvironment session) {
        if (session == null) {
            effects.performWithoutSession();
        } else {
            effects.perform(session);
        }
    }

    // ---------------------------------------------------------------- what the remote level says

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
    public void settled(Effects effects) {
        Granter.advance(this, effects);
    }

    @Override
    public void upgraded(boolean success, Effects effects) {
        if (HoldConversion.upgraded(this, success, effects)) {
            Granter.advance(this, effects);
        }
    }

    // ---------------------------------------------------------------- sessions

    /** The record was found: remote positions can be taken in that session. */
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
     * @param failure given to every caller that waits, or null to let them wait for the next session
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

    /** Tries to bind again after {@link #bindFailed}, if somebody waits. */
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

    /** The session ended: every hold is lost, whoever waits goes on waiting. */
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

    // ---------------------------------------------------------------- for the node

    /** Returns whether the lease that the holds rest on has not run out by this process's clock (rule C1). Takes no mutex. */
    public boolean mayTrustLease() {
        return binding.leaseValid(host.clock().nanoTime());
    }

    /** Returns the hold of that owner, lost ones included, or null. */
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

    /** Returns whether this node holds the lock in that epoch (rule B10). */
    public boolean holdsIn(long epoch) {
        mutex.lock();
        try {
            CqlLock remote = binding.remote();
            return remote != null && remote.holdsIn(epoch);
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
     * Returns whether the lock was used since the last call, first use not counted: a name that came once is no reason to keep it.
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

    /** Calls back with every hold and every waiter, under the mutex: be quick. */
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

    /** Looks at holds and waiters. */
    public interface Visitor {
        /** One hold. */
        void hold(Hold hold, boolean exclusive);

        /** One waiter. */
        void waiter(LocalWaiter waiter, long since, int position);
    }

    @Override
    public String toString() {
        return "lock '" + name + "' " + binding + ", write hold " + holds.hasWriter() + ", readers " + holds.readers()
                + ", waiting " + queue.size();
    }
}
