// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockMode;
import io.declock.LockNames;
import io.declock.internal.local.Acquisition;
import io.declock.internal.local.HeldLock;
import io.declock.internal.local.Hold;
import io.declock.internal.local.LocalWaiter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * The handle of one granted request: one acquisition per name, in the order in which they were taken. The handle itself is the acquisition
 * of the first name, because most requests have only one. Thread-safe.
 */
final class HandleImpl extends Acquisition implements LockHandle {
    private static final AtomicIntegerFieldUpdater<HandleImpl> CLOSED =
            AtomicIntegerFieldUpdater.newUpdater(HandleImpl.class, "closed");
    private static final AtomicReferenceFieldUpdater<HandleImpl, @Nullable Interruption> INTERRUPTION =
            AtomicReferenceFieldUpdater.newUpdater(HandleImpl.class, Interruption.class, "interruption");

    private final Acquirer acquirer;
    private final List<Acquisition> others;
    // Field updaters save two objects per handle, and every acquisition makes a handle.
    private volatile int closed;
    private volatile @Nullable Interruption interruption;

    /**
     * Makes one.
     *
     * @param hold hold of the name that was taken first
     * @param others acquisitions of the further names, in the order in which they were taken
     */
    HandleImpl(Acquirer acquirer, Hold hold, LockMode mode, List<Acquisition> others) {
        super(hold, mode);
        this.acquirer = acquirer;
        this.others = others;
    }

    @Override
    public List<Grant> grants() {
        List<Grant> grants = new ArrayList<>(1 + others.size());
        grants.add(grant(this));
        for (Acquisition other : others) {
            grants.add(grant(other));
        }
        return grants;
    }

    /** Returns the holds of its locks, in the order in which they were taken. */
    List<Hold> holds() {
        List<Hold> holds = new ArrayList<>(1 + others.size());
        holds.add(hold());
        others.forEach(other -> holds.add(other.hold()));
        return holds;
    }

    private static Grant grant(Acquisition of) {
        return new Grant(of.hold().lock().name(), of.heldMode(), of.hold().token());
    }

    @Override
    public LockMode mode() {
        return heldMode();
    }

    @Override
    public long fencingToken() {
        return hold().token();
    }

    @Override
    public long fencingToken(String name) {
        if (hold().lock().name().equals(name)) {
            return hold().token();
        }
        for (Acquisition other : others) {
            if (other.hold().lock().name().equals(name)) {
                return other.hold().token();
            }
        }
        throw new IllegalArgumentException(
                "this handle has no lock " + LockNames.quoted(name) + ", only " + describe());
    }

    @Override
    public boolean isValid() {
        if (isClosed()) {
            return false;
        }
        long now = acquirer.clock().nanoTime();
        if (!isValid(this, now)) {
            return false;
        }
        for (Acquisition other : others) {
            if (!isValid(other, now)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isValid(Acquisition of, long now) {
        return of.isWithinCeilings(now) && HeldLock.mayTrustLease(of.hold(), now);
    }

    @Override
    public void onLost(LostListener listener) {
        AtomicBoolean told = new AtomicBoolean();
        tellOnce(this, told, listener);
        for (Acquisition other : others) {
            tellOnce(other, told, listener);
        }
    }

    private void tellOnce(Acquisition of, AtomicBoolean told, LostListener listener) {
        Runnable tell = () -> {
            LockLostException why = of.lost();
            if (!isClosed() && why != null && told.compareAndSet(false, true)) {
                listener.lost(this, why);
            }
        };
        HeldLock.whenLost(of, tell, false);
    }

    @Override
    public void interruptOnLost() {
        Interruption asked = new Interruption(Thread.currentThread());
        if (INTERRUPTION.compareAndSet(this, null, asked)) {
            HeldLock.whenLost(this, asked::interrupt, true);
            for (Acquisition other : others) {
                HeldLock.whenLost(other, asked::interrupt, true);
            }
        }
    }

    @Override
    public boolean tryUpgrade() throws InterruptedException {
        checkSingle("tryUpgrade");
        checkOpen();
        ThreadWaiter waiter = new ThreadWaiter(hold().owner(), LockMode.WRITE, true, false);
        LockLostException lost = HeldLock.tryUpgrade(this, waiter);
        waiter.await(Long.MAX_VALUE, false, 0, acquirer.counters());
        lost = lost != null ? lost : lost();
        if (lost != null) {
            throw new LockLostException(lost.getMessage(), lost);
        }
        return waiter.state() == LocalWaiter.State.GRANTED;
    }

    @Override
    public void downgrade() {
        checkSingle("downgrade");
        checkOpen();
        LockLostException lost = HeldLock.downgrade(this);
        if (lost != null) {
            throw new LockLostException(lost.getMessage(), lost);
        }
    }

    private void checkSingle(String what) {
        if (!others.isEmpty()) {
            throw new UnsupportedOperationException(
                    what + " needs a handle with one name, this one has " + (1 + others.size()));
        }
    }

    private boolean isClosed() {
        return closed != 0;
    }

    private void checkOpen() {
        if (isClosed()) {
            throw new IllegalStateException("this handle of " + describe() + " is closed");
        }
    }

    @Override
    public void close() {
        LockLostException lost = giveBack();
        if (lost != null) {
            throw new LockLostException(lost.getMessage(), lost);
        }
    }

    /** Closes this. Returns why the lock had been lost, or null if it had not been lost or this was closed before. */
    @Nullable
    LockLostException giveBack() {
        if (!CLOSED.compareAndSet(this, 0, 1)) {
            return null;
        }
        Interruption asked = interruption;
        if (asked != null) {
            asked.end();
        }
        LockLostException lost = null;
        for (int i = others.size() - 1; i >= 0; i--) {
            LockLostException why = acquirer.release(others.get(i));
            lost = why != null ? why : lost;
        }
        LockLostException why = acquirer.release(this);
        return why != null ? why : lost;
    }

    private String describe() {
        StringBuilder text = new StringBuilder();
        for (Grant grant : grants()) {
            text.append(text.isEmpty() ? "" : ", ")
                    .append(LockNames.quoted(grant.name()))
                    .append(" (")
                    .append(grant.mode())
                    .append(", token ")
                    .append(grant.fencingToken())
                    .append(')');
        }
        return text.toString();
    }

    @Override
    public String toString() {
        return "LockHandle[" + describe() + "]" + (isClosed() ? " closed" : isValid() ? "" : " lost");
    }
}
