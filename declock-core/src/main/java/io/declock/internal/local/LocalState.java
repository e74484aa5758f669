// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import io.declock.Counters.Event;
import io.declock.LockNames;
import io.declock.internal.protocol.CqlEnvironment;
import io.declock.internal.protocol.CqlLock;
import io.declock.internal.protocol.Effects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The state of one lock name in one compute node: its holders, its waiters, and the session and record that it is bound to. The mechanisms
 * are functions over it; it knows none of them. Guarded by its mutex, except the final fields, {@link #session} and {@link #leaseValid}.
 */
final class LocalState implements Hold.Lock {
    private enum Binding {
        UNBOUND,
        RESOLVING,
        BOUND,
        /** The session broke off; its holds may be restored in the memory node's next life. */
        SUSPENDED,
        RETIRED
    }

    /** The class above, which the outside knows. */
    interface Front {
        /** Finds the lock's record; the caller holds no mutex. */
        void bind();

        /** Returns whether the position may be kept, as far as other locks go. */
        boolean admitKept();

        /** The position is kept no more. */
        void removeKept();
    }

    private final String name;
    final LocalHost host;
    final Front front;
    final ReentrantLock mutex = new ReentrantLock();
    final WaiterQueue queue = new WaiterQueue();
    final Holds holds = new Holds();
    final KeepPolicy keeping = new KeepPolicy();
    /** The waiter for an upgrade, and its acquisition, or null. */
    @Nullable
    LocalWaiter upgrader;

    @Nullable
    Acquisition upgrading;

    private Binding binding = Binding.UNBOUND;
    private volatile @Nullable CqlEnvironment session;
    private @Nullable CqlLock remote;
    /** The session in which a hold was restored that still rests on the former one: until it counts there, it needs both leases. */
    private volatile @Nullable CqlEnvironment next;

    /** The holds leave the session for another memory node, and do not count there yet. */
    private boolean leaving;

    /** What is known of the lock's value, null for a lock that has none as far as this process knows. */
    private @Nullable LockValue value;

    private long suspendedEpoch;
    private boolean restoring;

    LocalState(LocalHost host, Front front, String name) {
        this.host = host;
        this.front = front;
        this.name = name;
    }

    /** Returns the state of the lock that is held. */
    static LocalState of(Hold hold) {
        return (LocalState) hold.lock();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String title() {
        return "lock " + LockNames.quoted(name);
    }

    // ---------------------------------------------------------------- value

    /** Returns what is known of the lock's value, or null. */
    @Nullable
    LockValue knownValue() {
        return value;
    }

    /** Returns what is known of the lock's value, which it has from now on. */
    LockValue value() {
        LockValue known = value;
        if (known == null) {
            known = new LockValue();
            value = known;
        }
        return known;
    }

    // ---------------------------------------------------------------- events

    /** Handles one event under the mutex, and performs its effects after that. */
    void event(Consumer<Effects> handler) {
        Effects effects = new Effects(host.clock());
        CqlEnvironment present;
        mutex.lock();
        try {
            present = postsTo();
            handler.accept(effects);
        } finally {
            mutex.unlock();
        }
        perform(effects, present);
    }

    /**
     * Performs the effects of an event.
     *
     * @param inSession the session to which verbs went when the event came, or null
     */
    void perform(Effects effects, @Nullable CqlEnvironment inSession) {
        assert !mutex.isHeldByCurrentThread() : "effects of " + this + " performed under its mutex";
        effects.perform(inSession);
    }

    // ---------------------------------------------------------------- session and record

    /** Returns the session, or null without one. */
    @Nullable
    CqlEnvironment session() {
        return session;
    }

    /** Returns the session to which verbs go, or null without one: while a hold moves it is not the one that the hold rests on. */
    @Nullable
    CqlEnvironment postsTo() {
        CqlLock side = remote;
        return side == null ? session : side.environment();
    }

    /** Returns the remote side, or null without a session. */
    @Nullable
    CqlLock remote() {
        return remote;
    }

    /** Returns whether the leases that the holds rest on have not run out at the time {@code now} on this process's clock (rules C1 and M2). */
    boolean leaseValid(long now) {
        CqlEnvironment current = session;
        return current != null && current.leaseValid(now) && nextLeaseValid(now);
    }

    private boolean nextLeaseValid(long now) {
        CqlEnvironment other = next;
        return other == null || other.leaseValid(now);
    }

    void count(Event event) {
        CqlEnvironment current = session;
        if (current != null) {
            current.counters().count(event);
        }
    }

    /** Returns whether the caller must look up the record; if so, the look-up counts as begun. */
    boolean beginResolving() {
        if (binding != Binding.UNBOUND) {
            return false;
        }
        binding = Binding.RESOLVING;
        return true;
    }

    boolean isResolving() {
        return binding == Binding.RESOLVING;
    }

    void bind(CqlEnvironment to, CqlLock side) {
        binding = Binding.BOUND;
        session = to;
        remote = side;
    }

    /** Unbinds the lock, because its session ended or its record was not found. */
    void unbind() {
        if (remote != null) {
            remote.kill();
        }
        remote = null;
        session = null;
        next = null;
        leaving = false;
        binding = Binding.UNBOUND;
        restoring = false;
    }

    /** Keeps the holds without a remote side: their session broke off, and they rest on what is left of its lease (rule H3). */
    void suspend() {
        if (remote != null) {
            suspendedEpoch = Math.max(suspendedEpoch, remote.epoch());
            remote.kill();
        }
        remote = null;
        next = null;
        binding = Binding.SUSPENDED;
        restoring = false;
    }

    /** The suspended lock leaves its session for another memory node. */
    void leave() {
        leaving = true;
    }

    /** Returns whether the holds leave their session for another memory node, where they do not count yet. */
    boolean isLeaving() {
        return leaving;
    }

    boolean isSuspended() {
        return binding == Binding.SUSPENDED;
    }

    /** Returns the highest epoch of the lock that this node knew when its session broke off. */
    long suspendedEpoch() {
        return suspendedEpoch;
    }

    /** Returns whether the memory node may have restored a hold of this lock by now. */
    boolean isRestoring() {
        return restoring;
    }

    void restoring(boolean now) {
        restoring = now;
    }

    /** The memory node has restored the hold: the lock has a remote side again, but rests on the former lease until all holds count. */
    void restore(CqlLock side) {
        remote = side;
        next = side.environment();
        binding = Binding.BOUND;
        restoring = false;
    }

    /** The restored holds count: they rest on the next session's lease. */
    void restOn(CqlEnvironment lasting) {
        session = lasting;
        next = null;
        leaving = false;
    }

    /** Returns whether there is no caller, no look-up is under way, and the remote side is not in use. */
    boolean isIdle() {
        return queue.isEmpty()
                && holds.isEmpty()
                && !holds.hasLost()
                && binding != Binding.RESOLVING
                && binding != Binding.SUSPENDED
                && (remote == null || remote.isForgettable());
    }

    void retire() {
        binding = Binding.RETIRED;
    }

    boolean isRetired() {
        return binding == Binding.RETIRED;
    }

    @Override
    public String toString() {
        return title() + " " + binding + " " + remote + ", write hold " + holds.hasWriter() + ", readers "
                + holds.readers() + ", waiting " + queue.size();
    }
}
