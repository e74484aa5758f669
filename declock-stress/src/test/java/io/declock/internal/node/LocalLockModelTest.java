// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.LockMode;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.local.Acquisition;
import io.declock.internal.local.HeldLock;
import io.declock.internal.local.LocalLock;
import io.declock.internal.local.LocalWaiter;
import io.declock.stress.LoneNode;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jetbrains.lincheck.Lincheck;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/**
 * Lincheck runs threads in schedules of its own choice: switches at every access of shared memory, parks and unparks. The local lock
 * and everything below it is real; verbs are executed at once ({@link LoneNode}).
 */
class LocalLockModelTest {
    private static final boolean QUICK = Boolean.getBoolean("declock.quick");
    private static final int INVOCATIONS = Integer.getInteger("declock.invocations", QUICK ? 100 : 150);

    /** A value that is only correct if writers exclude everybody; a thread that is never woken is a deadlock, which Lincheck reports. */
    public static class GuardedValue {
        private final LoneNode node = new LoneNode();
        private int value;

        /** Adds one under the write lock. */
        @Operation
        public int increment() {
            LocalWaiter waiter = acquire(node, LockMode.WRITE);
            int before = value;
            value = before + 1;
            HeldLock.release(waiter.hold(), LockMode.WRITE);
            return before;
        }

        /** Looks twice under the read lock. */
        @Operation
        public String look() {
            LocalWaiter waiter = acquire(node, LockMode.READ);
            String seen = value + " and " + value;
            HeldLock.release(waiter.hold(), LockMode.READ);
            return seen;
        }

        /** Adds one under the write lock, then looks under a read lock that it became without letting go. */
        @Operation
        public String incrementAndLook() {
            LocalWaiter waiter = acquire(node, LockMode.WRITE);
            int before = value;
            value = before + 1;
            Acquisition acquisition = new Acquisition(waiter.hold(), LockMode.WRITE);
            HeldLock.downgrade(acquisition);
            String seen = before + " and " + value;
            HeldLock.release(acquisition);
            return seen;
        }
    }

    private static ThreadWaiter acquire(LoneNode node, LockMode mode) {
        ThreadWaiter waiter = enter(node, mode);
        waiter.await(Long.MAX_VALUE, false, 0, node.counters());
        return waiter;
    }

    private static ThreadWaiter enter(LoneNode node, LockMode mode) {
        ThreadWaiter waiter = new ThreadWaiter(new Object(), mode, false, false);
        node.lock().acquire(waiter);
        return waiter;
    }

    @Test
    void whatTheLockGuardsIsLinearizable() {
        new ModelCheckingOptions()
                .iterations(QUICK ? 4 : 8)
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(1)
                .invocationsPerIteration(INVOCATIONS * 2)
                .check(GuardedValue.class);
    }

    @Test
    void aWaiterIsGrantedOrGivesUp() {
        Lincheck.runConcurrentTest(INVOCATIONS * 4, () -> race(LockMode.WRITE, LockMode.WRITE));
    }

    @Test
    void aWriterThatGivesUpLetsTheReaderBehindItIn() {
        Lincheck.runConcurrentTest(INVOCATIONS * 4, () -> race(LockMode.READ, LockMode.READ));
    }

    /**
     * A holder releases the lock while the first waiter, a writer, gives up; another waits behind. Either the first has a hold, or it is
     * out of the queue; the waiter behind it gets the lock; and no waiter or hold is left in the end.
     */
    private static void race(LockMode held, LockMode behind) {
        LoneNode node = new LoneNode();
        LocalLock lock = node.lock();
        ThreadWaiter holder = acquire(node, held);
        AtomicInteger inside = new AtomicInteger();
        AtomicReference<String> wrong = new AtomicReference<>();
        Thread givesUp = new Thread(() -> {
            ThreadWaiter waiter = enter(node, LockMode.WRITE);
            if (lock.abandon(waiter)) {
                expect(waiter.state() == LocalWaiter.State.ABANDONED, "gave up but is granted", wrong);
            } else {
                expect(waiter.state() == LocalWaiter.State.GRANTED, "neither gave up nor is granted", wrong);
                passThrough(inside, wrong);
                HeldLock.release(waiter.hold(), LockMode.WRITE);
            }
        });
        Thread waits = new Thread(() -> {
            ThreadWaiter waiter = acquire(node, behind);
            passThrough(inside, wrong);
            HeldLock.release(waiter.hold(), behind);
        });
        givesUp.start();
        waits.start();
        HeldLock.release(holder.hold(), held);
        join(givesUp);
        join(waits);
        expect(node.holds() == 0 && node.waiters() == 0, "a hold or a waiter is left", wrong);
        expect(
                LockHeader.size(node.header()) == 0 && LockHeader.writers(node.header()) == 0,
                "a position is left",
                wrong);
        String what = wrong.get();
        if (what != null) {
            throw new IllegalStateException(what);
        }
    }

    /** Only one of the two is inside at a time, for one of them is a writer. */
    private static void passThrough(AtomicInteger inside, AtomicReference<String> wrong) {
        expect(inside.incrementAndGet() == 1, "a writer is not alone", wrong);
        inside.decrementAndGet();
    }

    // Plain words: Lincheck cannot look into an assertion library.
    private static void expect(boolean holds, String otherwise, AtomicReference<String> wrong) {
        if (!holds) {
            wrong.compareAndSet(null, otherwise);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
