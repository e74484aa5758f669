// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Percentage.withPercentage;

import io.declock.FairnessPolicy;
import io.declock.LockMode;
import io.declock.protocols.application.Application;
import io.declock.protocols.application.ApplicationClient;
import io.declock.protocols.application.ApplicationWorld;
import io.declock.protocols.cas.CasLock;
import io.declock.simulation.LockSystem.DecLockSystem;
import io.declock.simulation.LockSystem.HandOver;
import io.declock.simulation.LockSystem.Variation;
import io.declock.simulation.ModelRun.Failures;
import io.declock.simulation.ModelRun.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

/** What experiments vary of DecLock: to whom a compute node hands over, the queue's length, the self-check, and failures. */
class VariationsTest {
    private static final long MILLI = 1_000_000;
    private static final long WORD = Long.BYTES;
    private static final DecLockSystem PAPER = DecLockSystem.AS_IN_THE_PAPER;
    private static final long LEASE = 10 * MILLI;
    private static final Percentage PERCENT = withPercentage(1);

    /** Notes in which compute node each grant is. Clients hold the one lock for a moment and ask again at once. */
    private static final class Grants implements Application {
        private final int nodes;
        private final LockMode mode;
        private final List<Integer> where = new ArrayList<>();

        Grants(int nodes, LockMode mode) {
            this.nodes = nodes;
            this.mode = mode;
        }

        @Override
        public String name() {
            return "grants";
        }

        @Override
        public int locks() {
            return 1;
        }

        @Override
        public long words() {
            return 1;
        }

        @Override
        public ApplicationClient client(int number, ApplicationWorld world) {
            return () -> acquire(number, world);
        }

        private void acquire(int number, ApplicationWorld world) {
            long since = world.now();
            world.acquire(0, mode, () -> {
                where.add(number % nodes);
                world.after(
                        500,
                        () -> world.release(0, () -> {
                            world.done(0, since);
                            world.after(0, () -> acquire(number, world));
                        }));
            });
        }

        /** Returns the most grants in a row in one compute node, once all of them have begun. */
        int longestRun() {
            int longest = 0;
            int run = 0;
            for (int i = where.size() / 4; i < where.size(); i++) {
                run = where.get(i).equals(where.get(i - 1)) ? run + 1 : 1;
                longest = Math.max(longest, run);
            }
            return longest;
        }
    }

    private static int longestRun(HandOver handOver, LockMode mode) {
        Grants grants = new Grants(3, mode);
        run(PAPER.with(FairnessPolicy.PHASE_FAIR).with(handOver), 3, 6, () -> grants, Failures.NONE, 2 * MILLI);
        assertThat(grants.where).hasSizeGreaterThan(300);
        assertThat(grants.where.subList(grants.where.size() / 2, grants.where.size()))
                .as("no compute node starves for half of the run")
                .contains(0, 1, 2);
        return grants.longestRun();
    }

    private static Outcome run(
            LockSystem system,
            int nodes,
            int clientsPerNode,
            Supplier<Application> application,
            Failures failures,
            long window) {
        return run(system, AdapterModel.CONNECT_X4, nodes, clientsPerNode, application, failures, window);
    }

    private static Outcome run(
            LockSystem system,
            AdapterModel model,
            int nodes,
            int clientsPerNode,
            Supplier<Application> application,
            Failures failures,
            long window) {
        return ModelRun.run(
                5, new Setting(system, model, nodes, clientsPerNode, application, MILLI / 5, window, failures));
    }

    private static Outcome alone(Variation variation) {
        return run(PAPER.with(variation), 1, 1, () -> new CountingApplication(1_000), Failures.NONE, 5 * MILLI);
    }

    // ---------------------------------------------------------------- hand-overs

    @Test
    void remotePreferHandsOverToTheOtherComputeNodesOneByOne() {
        assertThat(longestRun(HandOver.REMOTE_PREFER, LockMode.WRITE)).isEqualTo(1);
    }

    @Test
    void localBoundGrantsSoOftenInARowAndNotMoreOften() {
        // The grant that the remote queue makes is the first of them.
        assertThat(longestRun(HandOver.localBound(3), LockMode.WRITE)).isEqualTo(4);
        assertThat(longestRun(HandOver.localBound(1), LockMode.WRITE)).isEqualTo(2);
    }

    @Test
    void localPreferGrantsAsLongAsAPositionHasTokens() {
        assertThat(longestRun(HandOver.LOCAL_PREFER, LockMode.WRITE)).isEqualTo(128);
    }

    @Test
    void timestampsAsPrintedAlternateAmongWaitersThatAllCameBefore() {
        assertThat(longestRun(HandOver.AS_PRINTED, LockMode.WRITE)).isLessThan(20);
    }

    // ---------------------------------------------------------------- what is READ

    @Test
    void aReleaseCarriesTheWholeQueueThatItReads() {
        long atomics = 2 * WORD;
        assertThat(alone(new Variation(true, 8, true)).lockBytesEach()).isCloseTo(atomics + 10 * WORD, PERCENT);
        assertThat(alone(new Variation(true, 8, false)).lockBytesEach()).isCloseTo(atomics + 8 * WORD, PERCENT);
        assertThat(alone(new Variation(true, 256, true)).lockBytesEach()).isCloseTo(atomics + 258 * WORD, PERCENT);
        assertThat(alone(new Variation(true, 2_048, true)).lockBytesEach()).isCloseTo(atomics + 2_050 * WORD, PERCENT);
    }

    @Test
    void aLongerQueueTakesLongerToRelease() {
        double ways = 2.0 * AdapterModel.CONNECT_X4.verbOneWay();
        double few = alone(new Variation(true, 8, true)).locking().releases().mean();
        double many =
                alone(new Variation(true, 2_048, true)).locking().releases().mean();
        assertThat(few).isBetween(ways, 1.3 * ways);
        double words = 2_040 * WORD / AdapterModel.CONNECT_X4.memoryNode().bytesPerNano();
        assertThat(many - few).isBetween(words, 2.2 * words);
    }

    /** With messages that travel long, waiters wait longer than the interval of the self-check. */
    @Test
    void withoutTheSelfCheckNoWaiterLooksItself() {
        AdapterModel far = AdapterModel.CONNECT_X4.withPeerDistance(200);
        for (boolean selfCheck : new boolean[] {true, false}) {
            Outcome outcome = run(
                    PAPER.with(new Variation(selfCheck, 0, true)),
                    far,
                    32,
                    1,
                    () -> new CountingApplication(1),
                    Failures.NONE,
                    20 * MILLI);
            assertThat(outcome.locking().selfChecks() > 0).isEqualTo(selfCheck);
            assertThat(outcome.acquisitions()).isGreaterThan(20);
        }
    }

    // ---------------------------------------------------------------- failures

    private static double mean(List<Long> slices, int from, int to) {
        return slices.subList(from, to).stream()
                .mapToLong(Long::longValue)
                .average()
                .orElseThrow();
    }

    @Test
    void theOthersGoOnAfterAComputeNodeHasFailed() {
        Failures failures = new Failures(LEASE, 5 * MILLI, 0, 0, MILLI);
        Grants grants = new Grants(4, LockMode.WRITE);
        Outcome outcome = run(PAPER, 4, 4, () -> grants, failures, 40 * MILLI);
        assertThat(run(PAPER, 4, 4, () -> new Grants(4, LockMode.WRITE), failures, 40 * MILLI))
                .as("the same seed has the same outcome")
                .isEqualTo(outcome);
        List<Long> slices = outcome.slices();
        assertThat(slices).hasSize(41);
        assertThat(mean(slices, 20, 40)).isGreaterThan(0.8 * mean(slices, 1, 5));
        assertThat(mean(slices, 6, 14))
                .as("its lock is not free before its lease ends")
                .isZero();
        int then = grants.where.size() - grants.where.size() / 4;
        assertThat(grants.where.subList(then, grants.where.size()))
                .contains(0, 1, 2)
                .doesNotContain(3);
    }

    @Test
    void allWaitWhileTheMemoryNodeIsDownAndGoOnWhenItIsBack() {
        Failures failures = new Failures(LEASE, 5 * MILLI, 30 * MILLI, 33 * MILLI, MILLI);
        List<Long> slices = run(PAPER, 4, 4, () -> new Grants(4, LockMode.READ), failures, 200 * MILLI)
                .slices();
        assertThat(mean(slices, 1, 5)).isPositive();
        assertThat(mean(slices, 22, 29)).isGreaterThan(0.4 * mean(slices, 1, 5));
        assertThat(mean(slices, 31, 33)).isZero();
        assertThat(mean(slices, 180, 200)).isCloseTo(mean(slices, 22, 29), withPercentage(20));
    }

    /** With one client in each compute node nobody else would notice that a release has no answer. */
    @Test
    void aReleaseThatTheMemoryNodeDidNotAnswerIsOver() {
        Failures failures = new Failures(LEASE, 0, 5 * MILLI, 8 * MILLI, MILLI);
        List<Long> slices = run(PAPER, 8, 1, () -> new CountingApplication(1_000), failures, 300 * MILLI)
                .slices();
        assertThat(mean(slices, 280, 300)).isCloseTo(mean(slices, 1, 5), withPercentage(3));
    }

    @Test
    void aLockOfTheLiteratureRefusesFailures() {
        Failures failures = new Failures(LEASE, MILLI, 0, 0, MILLI);
        assertThatThrownBy(() -> run(
                        new LockSystem.Literature(CasLock.spinning()),
                        2,
                        1,
                        () -> new CountingApplication(1),
                        failures,
                        MILLI))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("CAS");
    }
}
