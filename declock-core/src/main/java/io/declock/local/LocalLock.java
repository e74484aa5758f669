// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.local;

import io.declock.DecLockException;
import io.declock.LockLostException;
import io.declock.LockMode;
import io.declock.fabric.Resolution;
import io.declock.monitor.Counters.Event;
import io.declock.monitor.GrantKind;
import io.declock.protocol.CqlEnvironment;
import io.declock.protocol.CqlLock;
import io.declock.protocol.CqlUpper;
import io.declock.protocol.Effects;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
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
 * <p>Thread-safe: its own short mutex guards it and its {@link CqlLock}; nothing is called under it.
 */
public final class LocalLock implements CqlUpper {
    private enum Binding {
        UNBOUND,
        RESOLVING,
        BOUND,
        RETIRED
    }

    private final LocalHost host;
    private final String name;
    private final ReentrantLock mutex = new ReentrantLock();
    private final WaiterQueue queue = new WaiterQueue();
    private final Map<Object, Hold> readHolds = new IdentityHashMap<>(2);

    private Binding binding = Binding.UNBOUND;
    private volatile @Nullable CqlEnvironment env;
    private @Nullable CqlLock cql;
    private @Nullable Hold writeHold;
    private @Nullable Map<Object, Hold> lostHolds;
    private @Nullable LocalWaiter upgrader;
    private boolean afterWriter;

    /** Makes an unbound lock. */
    public LocalLock(LocalHost host, String name) {
        this.host = host;
        this.name = name;
    }

    /** Returns the name, without a namespace. */
    public String name() {
        return name;
    }

    ReentrantLock mutex() {
        return mutex;
    }

    // ---------------------------------------------------------------- acquiring

    /**
     * Brings a caller before the lock. Afterwards its state is decided, or it is queued and will be.
     *
     * @return false if this lock was retired: look the name up again
     */
    public boolean acquire(LocalWaiter waiter) {
        Effects effects = new Effects();
        CqlEnvironment session;
        mutex.lock();
        try {
            if (binding == Binding.RETIRED) {
                return false;
            }
            session = env;
            waiter.since = host.clock().nanoTime();
            if (!reenter(waiter)) {
                enter(waiter, effects);
            }
        } finally {
            mutex.unlock();
        }
        perform(effects, session);
        return true;
    }

    private boolean reenter(LocalWaiter waiter) {
        Hold own = holdOf(waiter.owner);
        if (own == null) {
            return false;
        }
        if (waiter.isExclusive() && own.writes == 0) {
            waiter.settle(
                    LocalWaiter.State.FAILED,
                    new UpgradeRefusedException(
                            "lock '" + name + "' is held for reading by the same owner, which would wait for itself; "
                                    + "use LockHandle.tryUpgrade() or release the read lock first"));
            return true;
        }
        own.add(waiter.mode);
        waiter.grant(own, true);
        return true;
    }

    private void enter(LocalWaiter waiter, Effects effects) {
        CqlLock remote = cql;
        if (!waiter.isExclusive() && remote != null && mayJoinReaders(remote)) {
            grant(waiter, remote, GrantKind.UNCONTENDED, null);
            remote.prefetch(effects);
            return;
        }
        if (waiter.noWait && !mayTry(remote)) {
            waiter.settle(LocalWaiter.State.BUSY, null);
            return;
        }
        stamp(waiter, env);
        queue.add(waiter);
        host.waiting(1);
        advance(effects);
        if (waiter.queued && remote != null && remote.state() == CqlLock.State.HELD) {
            remote.prefetch(effects);
        }
    }

    /** Timestamps are on the memory node's clock, so who comes before there is a session is stamped when there is one. */
    private static void stamp(LocalWaiter waiter, @Nullable CqlEnvironment session) {
        if (!waiter.stamped && session != null) {
            waiter.stamped = true;
            waiter.timestamp = session.timestamp();
        }
    }

    private boolean mayJoinReaders(CqlLock remote) {
        return !readHolds.isEmpty()
                && remote.state() == CqlLock.State.HELD
                && !remote.isConverting()
                && !remote.isFrozen()
                && !remote.tenure().knowsRemote()
                && queue.isEmpty()
                && leaseValid();
    }

    private boolean mayTry(@Nullable CqlLock remote) {
        if (!queue.isEmpty() || writeHold != null || !readHolds.isEmpty()) {
            return false;
        }
        return remote == null
                || (remote.state() == CqlLock.State.IDLE || remote.state() == CqlLock.State.LEAVING)
                        && !remote.isFrozen();
    }

    /**
     * Takes a caller that gives up out of the queue.
     *
     * @return false if it was granted or failed before; then that stands
     */
    public boolean abandon(LocalWaiter waiter) {
        Effects effects = new Effects();
        CqlEnvironment session;
        mutex.lock();
        try {
            if (waiter.state() != LocalWaiter.State.WAITING) {
                return false;
            }
            session = env;
            waiter.settle(LocalWaiter.State.ABANDONED, null);
            dequeue(waiter);
            advance(effects);
        } finally {
            mutex.unlock();
        }
        perform(effects, session);
        return true;
    }

    private void dequeue(LocalWaiter waiter) {
        if (waiter.queued) {
            queue.remove(waiter);
            host.waiting(-1);
        }
    }

    // ---------------------------------------------------------------- releasing

    /**
     * Gives one acquisition of a hold back.
     *
     * @return why the hold had been lost, or null if it had not
     * @throws IllegalMonitorStateException if the hold has no acquisition in that mode
     */
    public @Nullable LockLostException release(Hold hold, LockMode mode) {
        Effects effects = new Effects();
        CqlEnvironment session;
        mutex.lock();
        try {
            if ((mode.isExclusive() ? hold.writes : hold.reads) <= 0) {
                throw new IllegalMonitorStateException(
                        "lock '" + name + "' is not held in mode " + mode + " by " + hold.owner);
            }
            session = env;
            if (mode.isExclusive()) {
                hold.writes--;
            } else {
                hold.reads--;
            }
            LockLostException lost = hold.lost();
            if (lost != null) {
                forgetLost(hold);
                return lost;
            }
            afterRelease(hold, mode, effects);
        } finally {
            mutex.unlock();
        }
        perform(effects, session);
        return null;
    }

    private void afterRelease(Hold hold, LockMode mode, Effects effects) {
        if (hold.writes > 0 || hold.reads > 0 && !mode.isExclusive()) {
            return;
        }
        if (hold.reads > 0) {
            toReader(hold, effects);
            return;
        }
        if (writeHold == hold) {
            writeHold = null;
            afterWriter = true;
        } else {
            readHolds.remove(hold.owner);
            afterWriter = false;
        }
        host.held(-1);
        advance(effects);
    }

    private void toReader(Hold hold, Effects effects) {
        writeHold = null;
        readHolds.put(hold.owner, hold);
        CqlLock remote = cql;
        if (remote != null
                && remote.state() == CqlLock.State.HELD
                && remote.isExclusive()
                && !remote.isConverting()
                && !remote.isFrozen()) {
            remote.downgrade(effects);
        }
        advance(effects);
    }

    /** Turns a write hold into a read hold; nothing if it is one. */
    public void downgrade(Hold hold) {
        Effects effects = new Effects();
        CqlEnvironment session;
        mutex.lock();
        try {
            session = env;
            if (hold.lost() == null && hold.writes > 0) {
                hold.reads += hold.writes;
                hold.writes = 0;
                toReader(hold, effects);
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
        Effects effects = new Effects();
        CqlEnvironment session;
        mutex.lock();
        try {
            session = env;
            CqlLock remote = cql;
            boolean alone = remote != null
                    && hold.lost() == null
                    && hold.writes == 0
                    && readHolds.size() == 1
                    && queue.isEmpty()
                    && upgrader == null
                    && remote.state() == CqlLock.State.HELD
                    && !remote.isConverting()
                    && !remote.isFrozen()
                    && leaseValid();
            if (!alone || remote == null) {
                waiter.settle(LocalWaiter.State.BUSY, null);
            } else if (remote.isExclusive()) {
                upgradeLocally(hold, waiter, remote);
            } else {
                upgrader = waiter;
                remote.tryUpgrade(effects);
            }
        } finally {
            mutex.unlock();
        }
        perform(effects, session);
    }

    private void upgradeLocally(Hold hold, LocalWaiter waiter, CqlLock remote) {
        if (!remote.tenure().hasNextToken(remote.isExclusive())) {
            waiter.settle(LocalWaiter.State.BUSY, null);
            return;
        }
        remote.tenure().nextToken();
        toWriter(hold, remote);
        waiter.grant(hold, true);
    }

    private void toWriter(Hold hold, CqlLock remote) {
        hold.writes += hold.reads;
        hold.reads = 0;
        hold.toToken(remote.token());
        readHolds.remove(hold.owner);
        writeHold = hold;
    }

    @Override
    public void upgraded(boolean success, Effects effects) {
        LocalWaiter waiter = upgrader;
        upgrader = null;
        CqlLock remote = cql;
        if (waiter == null || remote == null) {
            return;
        }
        Hold hold = readHolds.get(waiter.owner);
        if (success && hold != null && leaseValid()) {
            toWriter(hold, remote);
            waiter.grant(hold, true);
        } else {
            waiter.settle(LocalWaiter.State.BUSY, null);
        }
        effects.run(waiter);
        advance(effects);
    }

    // ---------------------------------------------------------------- who is next

    /** Does whatever can be done now; called after every change. */
    private void advance(Effects effects) {
        CqlLock remote = cql;
        if (remote == null) {
            if (!queue.isEmpty() && binding == Binding.UNBOUND) {
                binding = Binding.RESOLVING;
                effects.run(() -> host.bind(this));
            }
            return;
        }
        if (remote.state() == CqlLock.State.IDLE) {
            takePosition(remote, effects);
        } else if (remote.state() == CqlLock.State.HELD && !remote.isConverting() && writeHold == null) {
            if (!readHolds.isEmpty()) {
                shareWithReaders(remote, false, effects);
            } else if (remote.isFrozen()) {
                remote.release(effects);
            } else {
                handOver(remote, effects);
            }
        }
    }

    private void takePosition(CqlLock remote, Effects effects) {
        LocalWaiter first = preferred(afterWriter);
        if (first == null || !leaseValid()) {
            return;
        }
        if (first.noWait) {
            if (remote.isFrozen()) {
                notGranted(effects);
            } else {
                remote.tryAcquire(first.isExclusive(), first.timestamp, effects);
            }
        } else {
            remote.acquire(first.isExclusive(), first.timestamp, effects);
        }
    }

    private void handOver(CqlLock remote, Effects effects) {
        LocalWaiter next = preferred(afterWriter);
        if (next == null) {
            remote.release(effects);
        } else if (!leaseValid()) {
            // The session is over by our own clock (rule C1); its loss is on the way and starts everybody anew.
            return;
        } else if (mayStay(remote, next)) {
            remote.tenure().handOver();
            grant(next, remote, GrantKind.LOCAL, effects);
            beginReadPhase(next, remote, effects);
        } else {
            remote.requeue(next.isExclusive(), next.timestamp, effects);
        }
    }

    /** Whether ownership may pass inside this node, without the remote queue (DecLock, section 5.3). */
    private boolean mayStay(CqlLock remote, LocalWaiter next) {
        if (mustReacquire(remote, next) || !remote.tenure().hasNextToken(remote.isExclusive()) || !leaseValid()) {
            return false;
        }
        return !remote.tenure().knowsRemote()
                || isWithinBound(remote) && !remote.tenure().remoteIsEarlierThan(next.timestamp);
    }

    /** Other compute nodes' readers may hold a shared position too (rule E1). */
    private static boolean mustReacquire(CqlLock remote, LocalWaiter next) {
        return next.isExclusive() && !remote.isExclusive();
    }

    /** The hard bound on grants inside this node, whatever the timestamps say (rule E5). */
    private boolean isWithinBound(CqlLock remote) {
        LocalSettings settings = host.localSettings();
        return remote.tenure().localGrants() < settings.localHandOverLimit()
                && host.clock().nanoTime() - remote.tenure().since()
                        < settings.localHandOverTime().toNanos();
    }

    /** The waiter whose turn it is: the first, or under phase-fairness the first reader once a writer has left. */
    private @Nullable LocalWaiter preferred(boolean writerLeft) {
        LocalWaiter first = queue.first();
        if (first == null
                || !first.isExclusive()
                || !writerLeft
                || host.localSettings().policy() != FairnessPolicy.PHASE_FAIR) {
            return first;
        }
        if (!first.mayBePassed(host.localSettings().readerPhases())) {
            return first;
        }
        for (LocalWaiter waiter = first.next; waiter != null; waiter = waiter.next) {
            if (!waiter.isExclusive()) {
                return waiter;
            }
        }
        return first;
    }

    /** A reader was granted: the readers that may share with it join, at the start of a phase also past waiting writers. */
    private void beginReadPhase(LocalWaiter granted, CqlLock remote, Effects effects) {
        if (granted.isExclusive()) {
            return;
        }
        LocalWaiter passed = queue.first();
        boolean passWriters = host.localSettings().policy() == FairnessPolicy.PHASE_FAIR
                && passed != null
                && passed.isExclusive()
                && passed.mayBePassed(host.localSettings().readerPhases());
        if (passWriters && passed != null) {
            passed.passedBy++;
        }
        shareWithReaders(remote, passWriters, effects);
    }

    private void shareWithReaders(CqlLock remote, boolean passWriters, Effects effects) {
        if (writeHold != null || remote.isFrozen() || remote.isConverting() || !leaseValid()) {
            return;
        }
        LocalWaiter waiter = queue.first();
        while (waiter != null) {
            LocalWaiter following = waiter.next;
            boolean stops = waiter.isExclusive()
                    ? !passWriters
                    : !passWriters && remote.tenure().remoteIsEarlierThan(waiter.timestamp);
            if (stops) {
                return;
            }
            if (!waiter.isExclusive()) {
                grant(waiter, remote, GrantKind.LOCAL, effects);
            }
            waiter = following;
        }
    }

    private void grant(LocalWaiter waiter, CqlLock remote, GrantKind kind, @Nullable Effects effects) {
        dequeue(waiter);
        Hold hold = new Hold(
                this, waiter.owner, waiter.mode, remote.token(), host.clock().nanoTime(), kind);
        if (waiter.isExclusive()) {
            writeHold = hold;
        } else {
            readHolds.put(waiter.owner, hold);
        }
        host.held(1);
        waiter.grant(hold, false);
        if (effects != null) {
            effects.run(waiter);
        }
    }

    // ---------------------------------------------------------------- what the remote level says

    @Override
    public void granted(GrantKind kind, Effects effects) {
        CqlLock remote = cql;
        if (remote == null) {
            return;
        }
        LocalWaiter next = preferred(afterWriter);
        if (next == null) {
            count(Event.ORPHAN);
            if (remote.isFrozen()) {
                advance(effects);
            } else {
                remote.release(effects);
            }
        } else if (next.isExclusive() && !remote.isExclusive()) {
            advance(effects);
        } else if (!remote.isFrozen() && leaseValid()) {
            grant(next, remote, kind, effects);
            beginReadPhase(next, remote, effects);
        } else {
            advance(effects);
        }
    }

    @Override
    public void vacant(Effects effects) {
        advance(effects);
    }

    @Override
    public void notGranted(Effects effects) {
        LocalWaiter first = queue.first();
        if (first != null && first.noWait) {
            dequeue(first);
            first.settle(LocalWaiter.State.BUSY, null);
            effects.run(first);
        }
        advance(effects);
    }

    @Override
    public void settled(Effects effects) {
        advance(effects);
    }

    private void count(Event event) {
        if (env != null) {
            env.counters().count(event);
        }
    }

    private boolean leaseValid() {
        return env != null && env.leaseValid();
    }

    // ---------------------------------------------------------------- sessions

    /** The record was found: remote positions can be taken in that session. */
    public void bound(CqlEnvironment session, Resolution resolution) {
        Effects effects = new Effects();
        mutex.lock();
        try {
            if (binding != Binding.RESOLVING) {
                return;
            }
            binding = Binding.BOUND;
            env = session;
            cql = new CqlLock(session, this, mutex, resolution.record(), resolution.epoch());
            for (LocalWaiter waiter = queue.first(); waiter != null; waiter = waiter.next) {
                stamp(waiter, session);
            }
            advance(effects);
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
        Effects effects = new Effects();
        mutex.lock();
        try {
            if (binding != Binding.RESOLVING) {
                return;
            }
            binding = Binding.UNBOUND;
            for (LocalWaiter waiter = queue.first(); waiter != null; waiter = queue.first()) {
                if (failure == null) {
                    break;
                }
                dequeue(waiter);
                waiter.settle(LocalWaiter.State.FAILED, failure);
                effects.run(waiter);
            }
        } finally {
            mutex.unlock();
        }
        effects.performWithoutSession();
    }

    /** Tries to bind again after {@link #bindFailed}, if somebody waits. */
    public void retryBinding() {
        Effects effects = new Effects();
        mutex.lock();
        try {
            advance(effects);
        } finally {
            mutex.unlock();
        }
        effects.performWithoutSession();
    }

    /** The session ended: every hold is lost, whoever waits goes on waiting. */
    public void sessionLost(CqlEnvironment session, LockLostException why) {
        Effects effects = new Effects();
        mutex.lock();
        try {
            if (env != session) {
                return;
            }
            if (cql != null) {
                cql.kill();
            }
            cql = null;
            env = null;
            binding = Binding.UNBOUND;
            LocalWaiter upgrading = upgrader;
            upgrader = null;
            if (upgrading != null) {
                upgrading.settle(LocalWaiter.State.BUSY, null);
                effects.run(upgrading);
            }
            loseAll(why, effects);
            advance(effects);
        } finally {
            mutex.unlock();
        }
        effects.performWithoutSession();
    }

    private void loseAll(LockLostException why, Effects effects) {
        List<Hold> holds = new ArrayList<>(readHolds.values());
        if (writeHold != null) {
            holds.add(writeHold);
        }
        readHolds.clear();
        writeHold = null;
        for (Hold hold : holds) {
            lose(hold, why, effects);
        }
    }

    private void lose(Hold hold, LockLostException why, Effects effects) {
        host.held(-1);
        count(Event.HOLD_LOST);
        hold.lose(why);
        Map<Object, Hold> lost = lostHolds;
        if (lost == null) {
            lost = new IdentityHashMap<>(2);
            lostHolds = lost;
        }
        lost.put(hold.owner, hold);
        Runnable listeners = hold.takeOnLost();
        effects.run(() -> host.holdLost(hold, listeners == null ? () -> {} : listeners));
    }

    private void forgetLost(Hold hold) {
        Map<Object, Hold> lost = lostHolds;
        if (lost != null && hold.reads == 0 && hold.writes == 0 && lost.get(hold.owner) == hold) {
            lost.remove(hold.owner);
        }
    }

    /** Ends a hold against its owner's will, because its ceiling was reached. Nothing if it ended before. */
    public void expire(Hold hold, LockLostException why) {
        Effects effects = new Effects();
        CqlEnvironment session;
        mutex.lock();
        try {
            session = env;
            if (hold.lost() != null || writeHold != hold && readHolds.get(hold.owner) != hold) {
                return;
            }
            afterWriter = writeHold == hold;
            if (writeHold == hold) {
                writeHold = null;
            } else {
                readHolds.remove(hold.owner);
            }
            lose(hold, why, effects);
            advance(effects);
        } finally {
            mutex.unlock();
        }
        perform(effects, session);
    }

    // ---------------------------------------------------------------- for the node

    /** Returns whether the lease that the holds rest on has not run out by this process's clock (rule C1). Takes no mutex. */
    public boolean mayTrustLease() {
        CqlEnvironment session = env;
        return session != null && session.leaseValid();
    }

    /** Returns the hold of that owner, lost ones included, or null. */
    public @Nullable Hold findHold(Object owner) {
        mutex.lock();
        try {
            Hold hold = holdOf(owner);
            return hold != null || lostHolds == null ? hold : lostHolds.get(owner);
        } finally {
            mutex.unlock();
        }
    }

    private @Nullable Hold holdOf(Object owner) {
        Hold writer = writeHold;
        return writer != null && writer.owner == owner ? writer : readHolds.get(owner);
    }

    /** Returns the remote side, or null without a session. */
    public @Nullable CqlLock remote() {
        mutex.lock();
        try {
            return cql;
        } finally {
            mutex.unlock();
        }
    }

    /** Returns whether this node holds the lock in that epoch (rule B10). */
    public boolean holdsIn(long epoch) {
        mutex.lock();
        try {
            return cql != null && cql.holdsIn(epoch);
        } finally {
            mutex.unlock();
        }
    }

    /** Returns whether this node has a position in the remote queue, or is giving one back. */
    public boolean hasPosition() {
        mutex.lock();
        try {
            return cql != null && !cql.isForgettable();
        } finally {
            mutex.unlock();
        }
    }

    /** Forgets the lock if it is idle; a retired lock refuses every caller. */
    public boolean retire() {
        mutex.lock();
        try {
            boolean idle = queue.isEmpty()
                    && writeHold == null
                    && readHolds.isEmpty()
                    && (lostHolds == null || lostHolds.isEmpty())
                    && binding != Binding.RESOLVING
                    && (cql == null || cql.isForgettable());
            if (idle) {
                binding = Binding.RETIRED;
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
            if (writeHold != null) {
                visitor.hold(writeHold, writeHold.isExclusive());
            }
            for (Hold hold : readHolds.values()) {
                visitor.hold(hold, false);
            }
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

    private static void perform(Effects effects, @Nullable CqlEnvironment session) {
        if (session == null) {
            effects.performWithoutSession();
        } else {
            effects.perform(session);
        }
    }

    @Override
    public String toString() {
        return "lock '" + name + "' " + binding + " " + cql + ", write hold " + (writeHold != null) + ", readers "
                + readHolds.size() + ", waiting " + queue.size();
    }
}
