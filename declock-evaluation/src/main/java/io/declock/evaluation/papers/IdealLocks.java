// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.papers;

import io.declock.LockMode;
import io.declock.protocols.application.Application;
import io.declock.protocols.application.ApplicationClient;
import io.declock.protocols.application.ApplicationWorld;
import io.declock.spi.VerbChain;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;

/**
 * An application under locks that cost nothing: all its clients queue in one machine, first come, first served, readers side by side. For virtual time only: the locks are in this object, and there is one
 * for each run.
 */
final class IdealLocks implements OtherClients {
    private final Application application;
    private final Map<Integer, Ideal> locks = new HashMap<>();

    IdealLocks(Application application) {
        this.application = application;
    }

    @Override
    public Application application() {
        return application;
    }

    @Override
    public ApplicationClient client(int number, ApplicationWorld world) {
        return application.client(number, new Inside(world));
    }

    private record Waiter(ApplicationWorld world, LockMode mode, Runnable granted) {}

    private static final class Ideal {
        private final Queue<Waiter> waiters = new ArrayDeque<>();
        private int readers;
        private boolean isWritten;

        void grant() {
            Waiter first = waiters.peek();
            while (first != null && admits(first.mode)) {
                waiters.remove();
                if (first.mode == LockMode.WRITE) {
                    isWritten = true;
                } else {
                    readers++;
                }
                // In the turn of the client that gets it.
                first.world.after(0, first.granted);
                first = waiters.peek();
            }
        }

        private boolean admits(LockMode mode) {
            return !isWritten && (mode == LockMode.READ || readers == 0);
        }

        void leave() {
            if (isWritten) {
                isWritten = false;
            } else {
                readers--;
            }
            grant();
        }
    }

    private final class Inside implements ApplicationWorld {
        private final ApplicationWorld world;

        Inside(ApplicationWorld world) {
            this.world = world;
        }

        private Ideal ideal(int lock) {
            return locks.computeIfAbsent(lock, any -> new Ideal());
        }

        @Override
        public void acquire(int lock, LockMode mode, Runnable granted) {
            Ideal ideal = ideal(lock);
            ideal.waiters.add(new Waiter(world, mode, granted));
            ideal.grant();
        }

        @Override
        public void release(int lock, Runnable released) {
            ideal(lock).leave();
            world.after(0, released);
        }

        @Override
        public long address(long word) {
            return world.address(word);
        }

        @Override
        public void post(VerbChain chain) {
            world.post(chain);
        }

        @Override
        public long now() {
            return world.now();
        }

        @Override
        public void after(long nanos, Runnable event) {
            world.after(nanos, event);
        }

        @Override
        public long below(long bound) {
            return world.below(bound);
        }

        @Override
        public void done(int kind, long since) {
            world.done(kind, since);
        }

        @Override
        public void aborted() {
            world.aborted();
        }
    }
}
