// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.LockMode;
import io.declock.ShuttingDownException;
import io.declock.internal.local.Acquisition;
import io.declock.internal.local.Ceiling;
import io.declock.internal.local.HeldLock;
import io.declock.internal.local.Hold;
import io.declock.internal.local.LocalLock;
import io.declock.internal.local.LocalWaiter;
import io.declock.internal.node.GuardedStore;
import io.declock.internal.protocol.CqlLock;
import io.declock.spi.StoredValue;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One caller in one compute node: thinks, asks for a lock in one of the possible ways, holds it, perhaps asks for more meanwhile, and
 * releases everything, as often as the workload says.
 */
final class SimulatedClient {
    private final SimulatedCluster cluster;
    private final SimulatedWorld world;
    private final SimulatedComputeNode node;
    private final Checkers checkers;
    private final NameChooser names;
    private final SimulationOptions.Workload workload;
    private final SimulationOptions.Minimums minimums;
    private final int number;
    private int left;
    private boolean finished;
    private boolean got;
    private @Nullable Attempt attempt;

    SimulatedClient(
            SimulatedCluster cluster, SimulatedComputeNode node, int number, Checkers checkers, NameChooser names) {
        this.cluster = cluster;
        this.world = cluster.world();
        this.node = node;
        this.number = number;
        this.checkers = checkers;
        this.names = names;
        this.workload = cluster.options().workload();
        this.minimums = cluster.options().minimums();
        this.left = workload.operations();
    }

    SimulatedComputeNode node() {
        return node;
    }

    boolean isFinished() {
        return finished || !node.isAlive();
    }

    String wants() {
        Attempt current = attempt;
        return current == null ? "nothing" : current.mode() + " " + current.lock;
    }

    /** Thinks, then asks. */
    void start() {
        world.after(1 + world.exponential(workload.think()), node, this::next);
    }

    private void next() {
        if (left-- <= 0 || !node.mayShutDown()) {
            finished = true;
            return;
        }
        LockMode mode = world.chance(workload.readShare()) ? LockMode.READ : LockMode.WRITE;
        ask(names.choose(), mode, null, this::start);
    }

    /** Acquires every name once for writing, to check that no hold or position is left. */
    void probe(int name) {
        finished = false;
        if (name >= cluster.options().cluster().locks()) {
            finished = true;
            return;
        }
        Attempt fresh = new Attempt(NameChooser.name(name), LockMode.WRITE, false, null, () -> probe(name + 1));
        fresh.lasting = false;
        fresh.enter();
    }

    /** Acquires every name once with tries only: a caller that cannot wait must not be blocked for ever by positions of dead nodes. */
    void tryEach(int name, Runnable then) {
        finished = false;
        if (name >= cluster.options().cluster().locks()) {
            then.run();
            return;
        }
        checkers.progress().tries(this, world.now());
        got = false;
        Attempt fresh =
                new Attempt(NameChooser.name(name), LockMode.WRITE, true, null, () -> tryAgainOrNext(name, then));
        fresh.lasting = false;
        fresh.enter();
    }

    /** Makes no more requests. */
    void finish() {
        finished = true;
    }

    private void tryAgainOrNext(int name, Runnable then) {
        if (got) {
            checkers.progress().gets(this);
            tryEach(name + 1, then);
        } else {
            long pause = 2 * cluster.options().cql().selfCheckInterval().toNanos();
            world.after(pause, node, () -> tryEach(name, then));
        }
    }

    // ---------------------------------------------------------------- asking

    private void ask(int name, LockMode mode, @Nullable Attempt around, Runnable whenDone) {
        boolean noWait = world.chance(workload.tryShare());
        new Attempt(NameChooser.name(name), mode, noWait, around, whenDone).enter();
    }

    /** One acquisition, from the request to the release. */
    private final class Attempt extends LocalWaiter {
        private final String name;
        private final @Nullable Attempt around;
        private final Runnable whenDone;
        private boolean lasting = true;
        private boolean told;
        private @Nullable LocalLock lock;
        private @Nullable HoldRecord hold;
        private @Nullable Acquisition acquisition;
        private GuardedStore.@Nullable Ahead ahead;
        private boolean guarded;

        Attempt(String name, LockMode mode, boolean noWait, @Nullable Attempt around, Runnable whenDone) {
            super(SimulatedClient.this, mode, noWait);
            this.name = name;
            this.around = around;
            this.whenDone = whenDone;
        }

        void enter() {
            attempt = this;
            checkers.progress().waits(SimulatedClient.this, world.now());
            checkers.localOrder().comes(node, name, this);
            checkers.overtaking().comes(this);
            world.note(() -> SimulatedClient.this + " asks for '" + name + "' in mode " + mode());
            LocalLock entered;
            try {
                entered = node.acquire(name, this);
            } catch (ShuttingDownException refused) {
                isTurnedAway();
                return;
            }
            lock = entered;
            double share = cluster.options().valueShare();
            guarded = lasting && share > 0 && world.chance(share);
            ahead = guarded && state() == State.WAITING ? node.values().ahead(entered) : null;
            run();
            if (!told && lasting && world.chance(workload.timedShare())) {
                world.after(1 + world.exponential(workload.patience()), node, () -> giveUp(entered));
            }
        }

        /** The process shuts down: this caller ends its work there. */
        private void isTurnedAway() {
            told = true;
            left = 0;
            checkers.progress().ends(SimulatedClient.this);
            checkers.localOrder().goes(node, name, this);
            checkers.overtaking().goes(this);
            world.note(() -> SimulatedClient.this + " is turned away from '" + name + "'");
            world.after(1, node, this::done);
        }

        private void giveUp(LocalLock entered) {
            if (!told && entered.abandon(this)) {
                run();
            }
        }

        @Override
        public void run() {
            if (told || state() == State.WAITING || lock == null && state() != State.GRANTED) {
                return;
            }
            told = true;
            checkers.progress().ends(SimulatedClient.this);
            world.trace().mix(number * 8L + state().ordinal());
            world.note(() -> SimulatedClient.this + " is told " + state() + " for '" + name + "' in mode " + mode()
                    + (state() == State.GRANTED ? " token " + Long.toHexString(hold().token()) : ""));
            if (state() != State.GRANTED) {
                checkers.localOrder().goes(node, name, this);
                checkers.overtaking().goes(this);
                done();
            } else if (isReentrant()) {
                LastingChecker.reenters(SimulatedClient.this, name, around != null || !lasting);
                checkers.localOrder().goes(node, name, this);
                checkers.overtaking().goes(this);
                world.after(1 + world.exponential(workload.hold() / 4), node, () -> giveBack(mode()));
            } else {
                begins();
            }
        }

        private void begins() {
            got = true;
            HoldRecord fresh = new HoldRecord(node, SimulatedClient.this, hold(), mode().isExclusive(), world.now());
            hold = fresh;
            checkers.localOrder().granted(node, name, this);
            checkers.overtaking().granted(node, this);
            checkers.begins(fresh);
            if (guarded) {
                look(fresh, this::use);
            } else {
                use();
            }
        }

        /** Reads the lock's value, which nobody else can have changed since the last holder stored it. */
        private void look(HoldRecord fresh, Runnable then) {
            node.values().read(hold(), ahead).whenComplete((value, failure) -> {
                MemoryNodeLife life = life();
                if (failure == null && life != null && fresh.counts()) {
                    checkers.values()
                            .sees(fresh, life, value.map(Attempt::number).orElse(0L));
                }
                then.run();
            });
        }

        private @Nullable MemoryNodeLife life() {
            CqlLock remote = HeldLock.remote(hold());
            SimulatedSession session = remote == null ? null : SimulatedSession.of(remote);
            return session == null ? null : session.life();
        }

        private static long number(StoredValue value) {
            return ByteBuffer.wrap(value.bytes()).getLong();
        }

        /** Stores another value, and goes on when the memory node has it, or the lock is lost. */
        private void store(HoldRecord current, Runnable then) {
            long number = checkers.values().begins(current);
            byte[] bytes = ByteBuffer.allocate(Long.BYTES).putLong(number).array();
            node.values().write(hold(), bytes).whenComplete((done, failure) -> {
                MemoryNodeLife life = life();
                if (failure == null && life != null) {
                    checkers.values().stored(current, life, number);
                }
                then.run();
            });
        }

        private void use() {
            if (mode().isExclusive() && lasting && world.chance(minimums.share())) {
                last(hold());
                return;
            }
            goOn();
        }

        /** Uses the lock when the memory node has noted that the hold lasts a while. */
        private void last(Hold held) {
            long from = world.now();
            long nanos = 1 + world.exponential(minimums.mean());
            CqlLock remote = HeldLock.remote(held);
            SimulatedSession session = remote == null ? null : SimulatedSession.of(remote);
            node.last(held, nanos).whenComplete((noted, failure) -> {
                if (failure == null && session != null) {
                    checkers.lasting().lasts(held, node, session.life(), from, nanos);
                }
                goOn();
            });
        }

        private void goOn() {
            world.after(1 + world.exponential(workload.hold() / 2), node, this::halfway);
            if (lasting && world.chance(workload.ceilingShare())) {
                Hold held = hold();
                world.after(
                        1 + world.exponential(workload.hold()),
                        node,
                        () -> HeldLock.expire(held, new Ceiling(Duration.ofNanos(1), held.grantedAt(), 1)));
            }
        }

        /** Returns the acquisition for a conversion, which converts this acquisition alone. */
        Acquisition acquisition() {
            Acquisition known = acquisition;
            if (known == null) {
                known = new Acquisition(hold(), mode());
                acquisition = known;
            }
            return known;
        }

        private void halfway() {
            HoldRecord current = hold;
            if (current == null) {
                return;
            }
            checkers.uses(current);
            long rest = 1 + world.exponential(workload.hold() / 2);
            if (!lasting) {
                giveBack(mode());
            } else if (world.chance(workload.reenterShare())) {
                LockMode again = mode().isExclusive() && world.chance(0.5) ? LockMode.WRITE : LockMode.READ;
                new Attempt(name, again, false, this, () -> world.after(rest, node, () -> giveBack(mode()))).enter();
            } else if (hold().lost() == null && world.chance(workload.convertShare())) {
                convert(current, rest);
            } else if (world.chance(workload.nestShare()) && names.hasAfter(name)) {
                LockMode next = world.chance(workload.readShare()) ? LockMode.READ : LockMode.WRITE;
                ask(names.chooseAfter(name), next, this, () -> world.after(rest, node, () -> giveBack(mode())));
            } else {
                world.after(rest, node, () -> giveBack(mode()));
            }
        }

        private void convert(HoldRecord current, long rest) {
            if (mode().isExclusive()) {
                HeldLock.downgrade(acquisition());
                current.become(false);
                world.note(() -> SimulatedClient.this + " downgraded '" + name + "'");
                world.after(rest, node, () -> giveBack(LockMode.READ));
            } else {
                new Upgrade(this, current, rest).begin();
            }
        }

        /** Releases one acquisition of the hold, and continues. */
        private void giveBack(LockMode as) {
            HoldRecord current = hold;
            if (guarded && current != null && current.isExclusive() && hold().lost() == null) {
                guarded = false;
                store(current, () -> giveBack(as));
                return;
            }
            if (current != null) {
                checkers.ends(current);
                if (!as.isExclusive()) {
                    checkers.localOrder().readerLeaves(node, name);
                }
            }
            world.note(() -> SimulatedClient.this + " releases '" + name + "' in mode " + as);
            Acquisition converted = acquisition;
            if (converted == null) {
                HeldLock.release(hold(), as);
            } else {
                HeldLock.release(converted);
            }
            LocalLock entered = lock;
            if (world.chance(workload.forgetShare()) && entered != null) {
                node.forget(entered);
            }
            done();
        }

        private void done() {
            attempt = around;
            whenDone.run();
        }
    }

    /** An attempt to upgrade a read hold to a write hold. */
    private final class Upgrade extends LocalWaiter {
        private final Attempt of;
        private final HoldRecord record;
        private final long rest;
        private boolean told;

        Upgrade(Attempt of, HoldRecord record, long rest) {
            super(SimulatedClient.this, LockMode.WRITE, true);
            this.of = of;
            this.record = record;
            this.rest = rest;
        }

        void begin() {
            HeldLock.tryUpgrade(of.acquisition(), this);
            run();
        }

        @Override
        public void run() {
            if (told || state() == State.WAITING) {
                return;
            }
            told = true;
            boolean upgraded = state() == State.GRANTED;
            world.note(() -> SimulatedClient.this + " tried to upgrade '" + of.name + "': " + state());
            if (upgraded) {
                record.become(true);
                checkers.begins(record);
            }
            world.after(rest, node, () -> of.giveBack(upgraded ? LockMode.WRITE : LockMode.READ));
        }
    }

    @Override
    public String toString() {
        return node + "/client" + number;
    }
}
