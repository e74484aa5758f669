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
    private final List<Part> parts;
    private final List<Timer> ceilings;
    // By updaters, as every acquisition makes a handle.
    private volatile int closed;
    private volatile @Nullable Interruption interruption;

    /** One name of the request. The mode changes only by upgrade and downgrade. */
    static final class Part {
        final Hold hold;
        volatile LockMode mode;

        Part(Hold hold, LockMode mode) {
            this.hold = hold;
            this.mode = mode;
        }
    }

    /**
     * Makes one.
     *
     * @param ceilings end the holds if they last too long; cancelled when this is closed
     */
    HandleImpl(ComputeNode node, List<Part> parts, List<Timer> ceilings) {
        this.node = node;
        this.parts = parts;
        this.ceilings = ceilings;
    }

    @Override
    public List<Grant> grants() {
        List<Grant> grants = new ArrayList<>(parts.size());
        for (Part part : parts) {
            grants.add(new Grant(part.hold.lock().name(), part.mode, part.hold.token()));
        }
        return grants;
    }

    @Override
    public LockMode mode() {
        return parts.get(0).mode;
    }

    @Override
    public long fencingToken() {
        return parts.get(0).hold.token();
    }

    @Override
    public long fencingToken(String name) {
        for (Part part : parts) {
            if (part.hold.lock().name().equals(name)) {
                return part.hold.token();
            }
        }
        throw new IllegalArgumentException("this handle has no lock '" + name + "', only " + grants());
    }

    @Override
    public boolean isValid() {
        if (isClosed()) {
            return false;
        }
        for (Part part : parts) {
            if (part.hold.lost() != null || !part.hold.lock().mayTrustLease()) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void onLost(LostListener listener) {
        AtomicBoolean told = new AtomicBoolean();
        for (Part part : parts) {
            part.hold.whenLost(() -> {
                LockLostException why = part.hold.lost();
                if (!isClosed() && why != null && told.compareAndSet(false, true)) {
                    listener.lost(this, why);
                }
            });
        }
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
        Part part = single("tryUpgrade");
        checkOpen();
        if (part.mode.isExclusive()) {
            return true;
        }
        ThreadWaiter waiter = new ThreadWaiter(part.hold.owner(), LockMode.WRITE, true);
        part.hold.lock().tryUpgrade(part.hold, waiter);
        waiter.await(Long.MAX_VALUE, false, 0, node.counters());
        LockLostException lost = part.hold.lost();
        if (lost != null) {
            throw lost;
        }
        if (waiter.state() == LocalWaiter.State.GRANTED) {
            part.mode = LockMode.WRITE;
            return true;
        }
        return false;
    }

    @Override
    public void downgrade() {
        Part part = single("downgrade");
        checkOpen();
        if (part.mode.isExclusive()) {
            part.hold.lock().downgrade(part.hold);
            part.mode = LockMode.READ;
        }
    }

    private Part single(String what) {
        if (parts.size() != 1) {
            throw new UnsupportedOperationException(
                    what + " needs a handle with one name, this one has " + parts.size());
        }
        return parts.get(0);
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
        for (int i = parts.size() - 1; i >= 0; i--) {
            LockLostException why = releasePart(parts.get(i));
            lost = why != null ? why : lost;
        }
        if (lost != null) {
            throw new LockLostException(lost.getMessage(), lost);
        }
    }

    void cancelCeilings() {
        for (int i = 0; i < ceilings.size(); i++) {
            ceilings.get(i).cancel();
        }
    }

    private @Nullable LockLostException releasePart(Part part) {
        return node.release(part.hold, part.mode);
    }

    @Override
    public String toString() {
        return "LockHandle" + grants() + (isClosed() ? " closed" : isValid() ? "" : " lost");
    }
}
