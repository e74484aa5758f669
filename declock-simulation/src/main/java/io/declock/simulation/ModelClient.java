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
    private final Map<Integer, LockMode> held = new HashMap<>();

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
        run.holders().dies(number, held);
        held.clear();
    }

    /** Returns where its events happen. */
    abstract SimulatedWorld.Place place();

    /** Returns the mode in which a lock is acquired that is asked for in some mode. */
    abstract LockMode modeFor(LockMode asked);

    abstract void acquireLock(int lock, LockMode mode, Runnable granted);

    abstract void releaseLock(int lock, Runnable released);

    abstract void postData(VerbChain chain);

    // ---------------------------------------------------------------- the application's side

    @Override
    public final void acquire(int lock, LockMode asked, Runnable granted) {
        LockMode mode = modeFor(asked);
        long since = world.now();
        soon(told -> acquireLock(lock, mode, told), () -> {
            held.put(lock, mode);
            run.holders().entered(number, lock, mode);
            run.tally().granted(lock, mode, world.now() - since);
            granted.run();
        });
    }

    @Override
    public final void release(int lock, Runnable released) {
        LockMode mode = Objects.requireNonNull(held.remove(lock), "not held");
        run.holders().leaves(number, lock, mode);
        long since = world.now();
        soon(told -> releaseLock(lock, told), () -> {
            run.tally().released(world.now() - since);
            released.run();
        });
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
}
