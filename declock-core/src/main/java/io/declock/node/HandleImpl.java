// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.node;

import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockMode;
import io.declock.local.Hold;
import io.declock.local.LocalWaiter;
import io.declock.time.TimerService.Timer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/** What a caller holds of one granted request: one hold per name, in the order in which they were taken. Thread-safe. */
final class HandleImpl implements LockHandle {
    private static final AtomicIntegerFieldUpdater<HandleImpl> CLOSED =
            AtomicIntegerFieldUpdater.newUpdater(HandleImpl.class, "closed");
    private static final AtomicReferenceFieldUpdater<HandleImpl, @Nullable Interruption> INTERRUPTION =
            AtomicReferenceFieldUpdater.newUpdater(HandleImpl.class, Interruption.class, "interruption");

    private final ComputeNode node;
    // Nearly all requests have one name.
    private final Hold hold;
    private final LockMode asked;
    private final List<Part> others;
    private final List<Timer> ceilings;
    // By updaters, as every acquisition makes a handle.
    private volatile int closed;
    private volatile @Nullable Interruption interruption;
    /** The mode since an upgrade or downgrade, which only a handle with one name can have. */
    private volatile @Nullable LockMode converted;

    /** A further name of the request. */
    record Part(Hold hold, LockMode mode) {}

    /**
     * Makes one.
     *
     * @param hold of the name that was taken first
     * @param others the further ones, in the order in which they were taken
     * @param ceilings end the holds if they last too long; cancelled when this is closed
     */
    HandleImpl(ComputeNode node, Hold hold, LockMode asked, List<Part> others, List<Timer> ceilings) {
        this.node = node;
        this.hold = hold;
        this.asked = asked;
        this.others = others;
        this.ceilings = ceilings;
    }

    @Override
    public List<Grant> grants() {
        List<Grant> grants = new ArrayList<>(1 + others.size());
        grants.add(grant(hold, mode()));
        for (Part other : others) {
            grants.add(grant(other.hold, other.mode));
        }
        return grants;
    }

    private static Grant grant(Hold hold, LockMode mode) {
        return new Grant(hold.lock().name(), mode, hold.token());
    }

    @Override
    public LockMode mode() {
        LockMode since = converted;
        return since == null ? asked : since;
    }

    @Override
    public long fencingToken() {
        return hold.token();
    }

    @Override
    public long fencingToken(String name) {
        if (hold.lock().name().equals(name)) {
            return hold.token();
        }
        for (Part other : others) {
            if (other.hold.lock().name().equals(name)) {
                return other.hold.token();
            }
        }
        throw new IllegalArgumentException("this handle has no lock '" + name + "', only " + grants());
    }

    @Override
    public boolean isValid() {
        if (isClosed() || !isValid(hold)) {
            return false;
        }
        for (Part other : others) {
            if (!isValid(other.hold)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isValid(Hold hold) {
        return hold.lost() == null && hold.lock().mayTrustLease();
    }

    @Override
    public void onLost(LostListener listener) {
        AtomicBoolean told = new AtomicBoolean();
        tellOnce(hold, told, listener);
        for (Part other : others) {
            tellOnce(other.hold, told, listener);
        }
    }

    private void tellOnce(Hold of, AtomicBoolean told, LostListener listener) {
        of.whenLost(() -> {
            LockLostException why = of.lost();
            if (!isClosed() && why != null && told.compareAndSet(false, true)) {
                listener.lost(this, why);
            }
        });
    }

    @Override
    public void interruptOnLost() {
        Interruption asked = new Interruption(Thread.currentThread());
        if (INTERRUPTION.compareAndSet(this, null, asked)) {
            onLost((handle, why) -> asked.interrupt());
        }
    }

    @Override
    public boolean tryUpgrade() throws InterruptedException {
        checkSingle("tryUpgrade");
        checkOpen();
        if (mode().isExclusive()) {
            return true;
        }
        ThreadWaiter waiter = new ThreadWaiter(hold.owner(), LockMode.WRITE, true);
        hold.lock().tryUpgrade(hold, waiter);
        waiter.await(Long.MAX_VALUE, false, 0, node.counters());
        LockLostException lost = hold.lost();
        if (lost != null) {
            throw lost;
        }
        if (waiter.state() == LocalWaiter.State.GRANTED) {
            converted = LockMode.WRITE;
            return true;
        }
        return false;
    }

    @Override
    public void downgrade() {
        checkSingle("downgrade");
        checkOpen();
        if (mode().isExclusive()) {
            hold.lock().downgrade(hold);
            converted = LockMode.READ;
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
            throw new IllegalStateException("this handle of " + grants() + " is closed");
        }
    }

    @Override
    public void close() {
        if (!CLOSED.compareAndSet(this, 0, 1)) {
            return;
        }
        cancelCeilings();
        Interruption asked = interruption;
        if (asked != null) {
            asked.end();
        }
        LockLostException lost = null;
        for (int i = others.size() - 1; i >= 0; i--) {
            LockLostException why = node.release(others.get(i).hold, others.get(i).mode);
            lost = why != null ? why : lost;
        }
        LockLostException why = node.release(hold, mode());
        lost = why != null ? why : lost;
        if (lost != null) {
            throw new LockLostException(lost.getMessage(), lost);
        }
    }

    void cancelCeilings() {
        for (int i = 0; i < ceilings.size(); i++) {
            ceilings.get(i).cancel();
        }
    }

    @Override
    public String toString() {
        return "LockHandle" + grants() + (isClosed() ? " closed" : isValid() ? "" : " lost");
    }
}
