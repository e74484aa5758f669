// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.LockMode;
import io.declock.protocols.application.ApplicationWorld;
import io.declock.spi.VerbChain;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/** What a client of an application has around it in a {@link ModelRun}, whatever the lock is. */
abstract class ModelClient implements ApplicationWorld {
    /** How long the client's processor takes for an acquisition or a release that needs nothing of anybody. */
    static final long LOCAL_NANOS = 100;

    private final ApplicationRun run;
    private final SimulatedWorld world;
    private final int number;
    private final Map<Integer, Hold> held = new HashMap<>();

    /** A lock that the client has, and when its lease ends. */
    private record Hold(LockMode mode, long until) {}

    ModelClient(ApplicationRun run, int number) {
        this.run = run;
        this.world = run.world();
        this.number = number;
    }

    final int number() {
        return number;
    }

    /** It dies with its compute node. */
    final void dies() {
        held.forEach((lock, hold) -> run.holders().leaves(number, lock, hold.mode, hold.until <= world.now()));
        held.clear();
    }

    /** Returns where its events happen. */
    abstract SimulatedWorld.Place place();

    /** Returns the mode in which a lock is acquired that is asked for in some mode. */
    abstract LockMode modeFor(LockMode asked);

    abstract void acquireLock(int lock, LockMode mode, int leases, Runnable granted);

    /** Returns when the lease of a lock that was granted ends. */
    abstract long leaseEnds(int lock);

    /** Returns how often the client waited in vain before it was granted a lock. */
    abstract int lostTurns(int lock);

    abstract void abandonLock(int lock);

    abstract void releaseLock(int lock, Runnable released);

    abstract void postData(VerbChain chain);

    // ---------------------------------------------------------------- the application's side

    @Override
    public final void acquire(int lock, LockMode asked, Runnable granted) {
        acquire(lock, asked, 1, granted);
    }

    @Override
    public final void acquire(int lock, LockMode asked, int leases, Runnable granted) {
        LockMode mode = modeFor(asked);
        long since = world.now();
        soon(told -> acquireLock(lock, mode, leases, told), () -> {
            Hold hold = new Hold(mode, leaseEnds(lock));
            held.put(lock, hold);
            run.holders().entered(number, lock, mode, world.now(), hold.until);
            run.tally().granted(lock, mode, world.now() - since);
            granted.run();
        });
    }

    @Override
    public final void release(int lock, Runnable released) {
        leave(lock);
        long since = world.now();
        soon(told -> releaseLock(lock, told), () -> {
            run.tally().released(world.now() - since);
            released.run();
        });
    }

    @Override
    public final long heldUntil(int lock) {
        return Objects.requireNonNull(held.get(lock), "not held").until;
    }

    @Override
    public final int turnsLost(int lock) {
        return lostTurns(lock);
    }

    @Override
    public final void abandon(int lock) {
        leave(lock);
        abandonLock(lock);
    }

    private void leave(int lock) {
        Hold hold = Objects.requireNonNull(held.remove(lock), "not held");
        run.holders().leaves(number, lock, hold.mode, hold.until <= world.now());
    }

    /** A step that ends before it returns takes the processor's time nevertheless: else a client would do any number of them at one instant. */
    private void soon(Consumer<Runnable> step, Runnable then) {
        Step call = new Step(then);
        step.accept(call);
        call.returned = true;
    }

    private final class Step implements Runnable {
        private final Runnable then;
        private boolean returned;

        Step(Runnable then) {
            this.then = then;
        }

        @Override
        public void run() {
            if (returned) {
                then.run();
            } else {
                world.after(LOCAL_NANOS, place(), then);
            }
        }
    }

    @Override
    public final long address(long word) {
        return (run.firstDataWord() + word) * Long.BYTES;
    }

    @Override
    public final void post(VerbChain chain) {
        postData(chain);
    }

    @Override
    public final long now() {
        return world.now();
    }

    @Override
    public final void after(long nanos, Runnable event) {
        world.after(nanos, place(), event);
    }

    @Override
    public final long below(long bound) {
        return world.below(bound);
    }

    @Override
    public final void done(int kind, long since) {
        run.tally().done(number, kind, world.now() - since, world.now());
    }

    @Override
    public final void aborted() {
        run.tally().aborted();
    }
}
