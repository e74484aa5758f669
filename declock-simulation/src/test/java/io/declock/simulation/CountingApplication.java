// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.LockMode;
import io.declock.Purpose;
import io.declock.protocols.application.Application;
import io.declock.protocols.application.ApplicationClient;
import io.declock.protocols.application.ApplicationWorld;
import io.declock.spi.FabricException;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;

/** Clients count under few locks, by a READ and a WRITE, and check that no count is lost. Operations are of kind 1. */
final class CountingApplication implements Application {
    private static final long FIRST = 40;

    private final long[] counts;

    CountingApplication(int locks) {
        this.counts = new long[locks];
    }

    @Override
    public String name() {
        return "counting";
    }

    @Override
    public int locks() {
        return counts.length;
    }

    @Override
    public long words() {
        return counts.length;
    }

    @Override
    public void load(Loader loader) {
        for (int i = 0; i < counts.length; i++) {
            loader.write(i, new long[] {FIRST});
            counts[i] = FIRST;
        }
    }

    @Override
    public ApplicationClient client(int number, ApplicationWorld world) {
        return new Client(world)::next;
    }

    private final class Client extends VerbChain {
        private final ApplicationWorld world;
        private int lock;
        private long since;
        private boolean written;

        Client(ApplicationWorld world) {
            super(1);
            this.world = world;
        }

        void next() {
            since = world.now();
            written = false;
            lock = (int) world.below(counts.length);
            world.acquire(
                    lock,
                    LockMode.WRITE,
                    () -> world.post(begin(Purpose.INSPECT).read(world.address(lock), 1)));
        }

        @Override
        public void completed(VerbResults results) {
            if (written) {
                world.release(lock, () -> {
                    world.done(1, since);
                    next();
                });
                return;
            }
            long count = results.value(0);
            assertThat(count).isEqualTo(counts[lock]++);
            written = true;
            world.post(begin(Purpose.INSPECT).write(world.address(lock), count + 1));
        }

        @Override
        public void failed(FabricException cause) {
            throw new IllegalStateException(cause);
        }
    }
}
