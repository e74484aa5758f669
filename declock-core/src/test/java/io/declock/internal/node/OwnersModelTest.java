// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.ComputeNodeSettings;
import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockMode;
import io.declock.LockNotGrantedException;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.UpgradeRefusedException;
import io.declock.internal.inprocess.InProcessFabric;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.spi.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random sequences of everything that owners can do with one lock, without waiting, compared after each step with a plain model of a
 * reentrant reader-writer lock in which each acquisition has a mode and perhaps a ceiling of its own. {@code -Ddeclock.seed=N} replays one.
 */
@Timeout(120)
class OwnersModelTest {
    private static final int SEQUENCES = 4_000;
    private static final int STEPS = 40;
    private static final long SECOND = 1_000_000_000L;

    private final ManualTime time = new ManualTime();
    private MemoryNode memoryNode;
    private int processes;
    private ComputeNode node;
    private ComputeNode other;

    @BeforeEach
    void start() throws Exception {
        memoryNode = MemoryNode.create(
                MemoryNodeSettings.builder("mn")
                        .records(10_000)
                        .queueCapacity(8)
                        .formerLease(Duration.ofDays(300))
                        .maxLease(Duration.ofDays(300))
                        .leaseMargin(Duration.ZERO)
                        .waitOutOldSessions(false)
                        .build(),
                time,
                time,
                new Random(1)::nextLong);
        node = join();
        other = join();
    }

    private ComputeNode join() throws InterruptedException {
        NodeCounters counters = new NodeCounters();
        InProcessFabric fabric = InProcessFabric.open(memoryNode, counters);
        ComputeNode joined = ComputeNode.builder()
                .memoryNodes(List.of(fabric.address()))
                .fabric(fabric)
                .counters(counters)
                .settings(ComputeNodeSettings.builder()
                        .lease(Duration.ofDays(200))
                        .heartbeatInterval(Duration.ofDays(1))
                        .leaseMargin(Duration.ofSeconds(1))
                        .defaultWaitTime(Duration.ZERO)
                        .build())
                .time(time, time, new Random(++processes)::nextLong)
                .build();
        joined.start();
        assertThat(joined.awaitReady(Duration.ofSeconds(20))).isTrue();
        return joined;
    }

    @AfterEach
    void stop() {
        node.close();
        other.close();
        memoryNode.close();
    }

    @Test
    void everySequenceDoesWhatTheModelSays() throws Exception {
        Long replayed = Long.getLong("declock.seed");
        long first = replayed == null ? 1 : replayed;
        long last = replayed == null ? SEQUENCES : replayed;
        for (long seed = first; seed <= last; seed++) {
            Sequence sequence = new Sequence(seed);
            try {
                sequence.run();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + " after " + sequence.steps, e);
            }
        }
    }

    /** One acquisition as the model sees it. */
    private static final class Acquired {
        final Owner owner;
        final @Nullable LockHandle handle;
        LockMode mode;
        long deadline = Long.MAX_VALUE;
        boolean lost;

        Acquired(Owner owner, @Nullable LockHandle handle, LockMode mode) {
            this.owner = owner;
            this.handle = handle;
            this.mode = mode;
        }
    }

    /** An owner: a thread, which may use views too, or an explicit one. */
    private static final class Owner {
        final @Nullable LockOwner explicit;
        final List<Acquired> acquired = new ArrayList<>();
        long deadline = Long.MAX_VALUE;
        boolean lost;

        Owner(@Nullable LockOwner explicit) {
            this.explicit = explicit;
        }

        boolean holds() {
            return !lost && acquired.stream().anyMatch(one -> !one.lost);
        }

        boolean has(LockMode mode) {
            return !lost && acquired.stream().anyMatch(one -> !one.lost && one.mode == mode);
        }
    }

    private final class Sequence {
        final List<String> steps = new ArrayList<>();
        private final Random random;
        private final String name;
        private final Lock[] views;
        private final List<Owner> owners = new ArrayList<>();

        Sequence(long seed) {
            random = new Random(seed);
            name = "model " + seed;
            views = new Lock[] {node.lock(name).readLock(), node.lock(name).writeLock()};
            owners.add(new Owner(null));
            owners.add(new Owner(LockOwner.named("one")));
            owners.add(new Owner(LockOwner.named("two")));
        }

        void run() throws Exception {
            for (int i = 0; i < STEPS; i++) {
                step();
                check();
            }
            while (owners.stream().anyMatch(owner -> !owner.acquired.isEmpty())) {
                release();
                check();
            }
            try (LockHandle everything = other.acquire(LockRequest.write(name))) {
                assertThat(everything.isValid()).isTrue();
            }
            assertThat(node.monitor().heldNow()).isZero();
        }

        private void step() throws Exception {
            int choice = random.nextInt(10);
            if (choice < 5) {
                acquire();
            } else if (choice < 7) {
                convert();
            } else if (choice < 9) {
                release();
            } else {
                advance();
            }
        }

        private <T> @Nullable T any(List<T> all) {
            return all.isEmpty() ? null : all.get(random.nextInt(all.size()));
        }

        private boolean othersHold(Owner owner, @Nullable LockMode mode) {
            return owners.stream().anyMatch(one -> one != owner && (mode == null ? one.holds() : one.has(mode)));
        }

        private String expected(Owner owner, LockMode mode) {
            if (owner.lost) {
                return "lost";
            }
            if (owner.holds()) {
                return mode == LockMode.READ || owner.has(LockMode.WRITE) ? "granted" : "refused";
            }
            return othersHold(owner, mode == LockMode.READ ? LockMode.WRITE : null) ? "busy" : "granted";
        }

        private void acquire() throws Exception {
            Owner owner = owners.get(random.nextInt(owners.size()));
            LockMode mode = random.nextBoolean() ? LockMode.READ : LockMode.WRITE;
            boolean byView = owner.explicit == null && random.nextBoolean();
            Duration lease = byView || random.nextInt(3) > 0 ? null : Duration.ofSeconds(1 + random.nextInt(5));
            String expected = expected(owner, mode);
            boolean begins = !owner.holds();
            steps.add(owners.indexOf(owner) + " asks " + mode + (byView ? " by view" : "") + " lease " + lease + ": "
                    + expected);
            LockHandle handle = null;
            String outcome;
            try {
                if (byView) {
                    outcome = views[mode.ordinal()].tryLock()
                            ? "granted"
                            : expected.equals("refused") ? "refused" : "busy";
                } else {
                    LockRequest request = LockRequest.of(name, mode);
                    request = lease == null ? request : request.leaseTime(lease);
                    handle = owner.explicit == null ? node.acquire(request) : node.acquire(request, owner.explicit);
                    outcome = "granted";
                }
            } catch (UpgradeRefusedException e) {
                outcome = "refused";
            } catch (LockNotGrantedException e) {
                outcome = "busy";
            } catch (LockLostException e) {
                outcome = "lost";
            }
            assertThat(outcome).isEqualTo(expected);
            if (outcome.equals("granted")) {
                Acquired acquired = new Acquired(owner, handle, mode);
                long deadline = lease == null ? Long.MAX_VALUE : time.nanoTime() + lease.toNanos();
                if (begins) {
                    owner.deadline = deadline;
                } else {
                    acquired.deadline = deadline;
                }
                owner.acquired.add(acquired);
            }
        }

        private @Nullable Acquired choose(boolean withHandle) {
            List<Acquired> all = new ArrayList<>();
            owners.forEach(owner -> all.addAll(owner.acquired));
            all.removeIf(one -> withHandle && one.handle == null);
            return any(all);
        }

        private void convert() throws Exception {
            Acquired chosen = choose(true);
            if (chosen == null || chosen.handle == null) {
                return;
            }
            boolean lost = chosen.lost || chosen.owner.lost;
            boolean up = random.nextBoolean();
            steps.add(owners.indexOf(chosen.owner) + (up ? " upgrades " : " downgrades ") + chosen.mode);
            try {
                if (up) {
                    boolean may = chosen.mode == LockMode.WRITE
                            || chosen.owner.has(LockMode.WRITE)
                            || !othersHold(chosen.owner, null);
                    boolean done = chosen.handle.tryUpgrade();
                    assertThat(lost).isFalse();
                    assertThat(done).isEqualTo(may);
                    chosen.mode = done ? LockMode.WRITE : chosen.mode;
                } else {
                    chosen.handle.downgrade();
                    assertThat(lost).isFalse();
                    chosen.mode = LockMode.READ;
                }
            } catch (LockLostException e) {
                assertThat(lost).isTrue();
            }
        }

        private void release() {
            Acquired chosen = choose(false);
            if (chosen == null) {
                return;
            }
            boolean lost = chosen.lost || chosen.owner.lost;
            steps.add(owners.indexOf(chosen.owner) + " gives back " + chosen.mode);
            try {
                if (chosen.handle == null) {
                    views[chosen.mode.ordinal()].unlock();
                } else {
                    chosen.handle.close();
                }
                assertThat(lost).isFalse();
            } catch (LockLostException e) {
                assertThat(lost).isTrue();
            }
            if (chosen.handle != null) {
                chosen.handle.close();
            }
            chosen.owner.acquired.remove(chosen);
            // An acquisition that was lost alone is no part of its owner's hold any more.
            chosen.owner.lost &= chosen.owner.acquired.stream().anyMatch(one -> !one.lost);
        }

        private void advance() {
            time.advance(Duration.ofNanos(1 + random.nextInt(4) * SECOND));
            long now = time.nanoTime();
            steps.add("time goes on to " + now);
            for (Owner owner : owners) {
                if (!owner.holds()) {
                    continue;
                }
                for (Acquired one : owner.acquired) {
                    // Whichever deadline is first decides.
                    one.lost |= one.deadline <= now && one.deadline < owner.deadline;
                }
                owner.lost = owner.holds() && owner.deadline <= now;
            }
        }

        private void check() {
            for (Owner owner : owners) {
                for (Acquired one : owner.acquired) {
                    if (one.handle != null) {
                        assertThat(one.handle.isValid()).isEqualTo(!one.lost && !owner.lost);
                        assertThat(one.handle.mode()).isEqualTo(one.mode);
                    }
                }
            }
            long held = owners.stream().filter(Owner::holds).count();
            assertThat(node.monitor().heldNow()).isEqualTo(held);
        }
    }
}
