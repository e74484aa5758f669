// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.stress;

import io.declock.LockMode;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.local.HeldLock;
import io.declock.internal.local.LocalWaiter;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/** The state of a waiter, on which a grant and a caller that gives up race. */
public class WaiterStateStress {
    private WaiterStateStress() {}

    private static final class Waiter extends LocalWaiter {
        Waiter() {
            super(new Object(), LockMode.WRITE, false);
        }

        @Override
        public void run() {}
    }

    private static Waiter enter(LoneNode node) {
        Waiter waiter = new Waiter();
        node.lock().acquire(waiter);
        return waiter;
    }

    /** The holder leaves while the waiter gives up. In order: it gave up, it was granted, holds left, positions left. */
    @JCStressTest
    @State
    @Outcome(id = "1, 0, 0, 0", expect = Expect.ACCEPTABLE, desc = "it gave up, nobody holds the lock")
    @Outcome(id = "0, 1, 1, 1", expect = Expect.ACCEPTABLE, desc = "it was granted")
    @Outcome(expect = Expect.FORBIDDEN, desc = "both, or neither, or something is left behind")
    public static class GrantOrGiveUp {
        private final LoneNode node = new LoneNode();
        private final Waiter holder = enter(node);
        private final Waiter waiter = enter(node);

        @Actor
        public void release() {
            HeldLock.release(holder.hold(), LockMode.WRITE);
        }

        @Actor
        public void giveUp(IIII_Result r) {
            r.r1 = node.lock().abandon(waiter) ? 1 : 0;
        }

        @Arbiter
        public void after(IIII_Result r) {
            r.r2 = waiter.state() == LocalWaiter.State.GRANTED ? 1 : 0;
            r.r3 = node.holds();
            r.r4 = LockHeader.size(node.header());
        }
    }

    /** A waiter looks at its state without the mutex: once it is granted, its hold is there. */
    @JCStressTest
    @State
    @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "not granted yet, or with its hold")
    @Outcome(id = "false", expect = Expect.FORBIDDEN, desc = "granted, and its hold or token cannot be seen")
    public static class HoldIsSeenWithTheState {
        private final LoneNode node = new LoneNode();
        private final Waiter holder = enter(node);
        private final Waiter waiter = enter(node);

        @Actor
        public void release() {
            HeldLock.release(holder.hold(), LockMode.WRITE);
        }

        @Actor
        public void look(Z_Result r) {
            r.r1 = waiter.state() != LocalWaiter.State.GRANTED || isWhole();
        }

        private boolean isWhole() {
            try {
                return waiter.hold().token() > 0 && waiter.hold().owner() == waiter.owner();
            } catch (IllegalStateException notThere) {
                return false;
            }
        }
    }
}
