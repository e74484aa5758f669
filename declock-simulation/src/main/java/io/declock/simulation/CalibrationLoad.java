// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.LockMode;
import io.declock.Purpose;
import io.declock.protocols.application.Application;
import io.declock.protocols.application.ApplicationClient;
import io.declock.protocols.application.ApplicationWorld;
import io.declock.spi.FabricException;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;

/**
 * The microbenchmark of <i>DecLock</i> (section 6.2) and of <i>ShiftLock</i> (FAST 2025, section 4.2): a client acquires a lock, does remote operations on the object of the lock,
 * and releases it. An operation is of kind 0 if it is for reading, else of kind 1.
 */
final class CalibrationLoad implements Application {
    private final int locks;
    private final double readShare;
    private final int operationsInside;
    private final double[] weights;

    /**
     * Makes one.
     *
     * @param zipf skew of the choice of locks
     * @param operationsInside remote operations while a lock is held
     */
    CalibrationLoad(int locks, double zipf, double readShare, int operationsInside) {
        this.locks = locks;
        this.readShare = readShare;
        this.operationsInside = operationsInside;
        this.weights = NameChooser.weights(locks, zipf);
    }

    @Override
    public String name() {
        return "microbenchmark";
    }

    @Override
    public int locks() {
        return locks;
    }

    @Override
    public long words() {
        return locks;
    }

    @Override
    public ApplicationClient client(int number, ApplicationWorld world) {
        NameChooser chooser = new NameChooser(world::below, locks, weights);
        return new Client(world, chooser)::next;
    }

    private final class Client extends VerbChain {
        private static final int PER_MILLE = 1_000;

        private final ApplicationWorld world;
        private final NameChooser chooser;
        private LockMode mode = LockMode.READ;
        private long since;
        private int lock;
        private int left;

        Client(ApplicationWorld world, NameChooser chooser) {
            super(1);
            this.world = world;
            this.chooser = chooser;
        }

        void next() {
            since = world.now();
            lock = chooser.choose();
            mode = world.below(PER_MILLE) < readShare * PER_MILLE ? LockMode.READ : LockMode.WRITE;
            left = operationsInside;
            world.acquire(lock, mode, this::inside);
        }

        private void inside() {
            if (left-- == 0) {
                world.release(lock, this::released);
                return;
            }
            begin(Purpose.INSPECT);
            long address = world.address(lock);
            world.post(mode == LockMode.READ ? read(address, 1) : write(address, since));
        }

        private void released() {
            world.done(mode == LockMode.READ ? 0 : 1, since);
            next();
        }

        @Override
        public void completed(VerbResults results) {
            inside();
        }

        @Override
        public void failed(FabricException cause) {
            throw new IllegalStateException(cause);
        }
    }
}
