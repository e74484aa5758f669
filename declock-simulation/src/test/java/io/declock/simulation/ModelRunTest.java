// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.declock.FairnessPolicy;
import io.declock.LockMode;
import io.declock.protocols.Backoff;
import io.declock.protocols.alock.ALock;
import io.declock.protocols.cas.CasLock;
import io.declock.protocols.dslr.Dslr;
import io.declock.protocols.mcs.McsLock;
import io.declock.protocols.shiftlock.ShiftLock;
import io.declock.protocols.soul.Region;
import io.declock.protocols.soul.Soul;
import io.declock.simulation.AdapterModel.Adapter;
import io.declock.simulation.LockSystem.DecLockSystem;
import io.declock.simulation.LockSystem.HandOver;
import io.declock.simulation.LockSystem.Literature;
import io.declock.simulation.LockSystem.Variation;
import io.declock.simulation.ModelRun.Setting;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs of applications with modelled adapters. */
class ModelRunTest {
    private static final long MILLI = 1_000_000;
    private static final Literature CAS = new Literature(CasLock.spinning());

    static Stream<LockSystem> systems() {
        Stream<LockSystem> literature = Stream.of(
                        CasLock.spinning(),
                        CasLock.with(Backoff.truncatedExponential(100, 3_200, 2_000)),
                        new McsLock(),
                        McsLock.exchanging(),
                        McsLock.counting(),
                        new ALock(new ALock.Settings(5, 100, 1_000)),
                        Dslr.plus(
                                new Dslr.Settings(10_000_000, Dslr.TICKETS),
                                Backoff.truncatedExponential(100, 3_200, 2_000)),
                        new ShiftLock(new ShiftLock.Settings(10_000_000, 16, 1_000)),
                        new Soul(List.of(new Region(0, 1))))
                .map(Literature::new);
        return Stream.concat(
                literature,
                Stream.of(
                        DecLockSystem.DEFAULT,
                        DecLockSystem.DEFAULT.with(FairnessPolicy.PHASE_FAIR),
                        DecLockSystem.DEFAULT.keeping(),
                        DecLockSystem.AS_IN_THE_PAPER,
                        DecLockSystem.AS_IN_THE_PAPER.with(HandOver.AS_PRINTED),
                        DecLockSystem.AS_IN_THE_PAPER.with(HandOver.REMOTE_PREFER),
                        DecLockSystem.AS_IN_THE_PAPER.with(HandOver.LOCAL_PREFER),
                        DecLockSystem.AS_IN_THE_PAPER.with(HandOver.localBound(2)),
                        DecLockSystem.AS_IN_THE_PAPER.with(new Variation(false, 32, false))));
    }

    private static Outcome count(LockSystem system, AdapterModel model, int nodes, int clientsPerNode, int locks) {
        return ModelRun.run(
                3,
                new Setting(
                        system, model, nodes, clientsPerNode, () -> new CountingApplication(locks), MILLI / 5, MILLI));
    }

    private static Outcome load(LockSystem system, int nodes, int clientsPerNode) {
        CalibrationLoad load = new CalibrationLoad(100_000, 0.99, 0.5, 1);
        return ModelRun.run(
                1,
                new Setting(system, AdapterModel.CONNECT_X4, nodes, clientsPerNode, () -> load, 2 * MILLI, 4 * MILLI));
    }

    @ParameterizedTest
    @MethodSource("systems")
    void noCountIsLost(LockSystem system) {
        Outcome outcome = count(system, AdapterModel.CONNECT_X4, 3, 4, 2);
        System.out.println(system.name() + ": " + outcome);
        assertThat(outcome.all().count()).isGreaterThan(50);
        assertThat(outcome.kinds().get(1).count()).isEqualTo(outcome.all().count());
        assertThat(outcome.verbs().data())
                .isBetween(2 * outcome.all().count() - 12, 2 * outcome.all().count() + 12);
        assertThat(outcome.verbs().reset()).isZero();
        assertThat(outcome.waited(LockMode.WRITE).count()).isEqualTo(outcome.acquisitions());
        assertThat(outcome.fairness()).isGreaterThan(0.3).isLessThanOrEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("systems")
    void theSameSeedHasTheSameOutcome(LockSystem system) {
        Outcome first = count(system, AdapterModel.CONNECT_X5, 2, 3, 2);
        Outcome second = count(system, AdapterModel.CONNECT_X5, 2, 3, 2);
        assertThat(second).isEqualTo(first);
        assertThat(second.all().latencies().percentile(99))
                .isEqualTo(first.all().latencies().percentile(99));
    }

    @Test
    void decLockAcquiresWithAtMostElevenTenthsOfAVerb() {
        Outcome outcome = load(DecLockSystem.AS_IN_THE_PAPER, 8, 32);
        System.out.println(outcome);
        assertThat(outcome.acquisitions()).isGreaterThan(5_000);
        assertThat(outcome.acquireVerbsEach()).isBetween(0.5, 1.10);
    }

    @Test
    void aSpinlockCollapsesWithManyClients() {
        Outcome few = load(CAS, 1, 24);
        Outcome many = load(CAS, 8, 32);
        System.out.println(few + "\n" + many);
        assertThat(many.acquisitionsPerSecond()).isLessThan(few.acquisitionsPerSecond() / 3);
        assertThat(many.acquireVerbsEach()).isGreaterThan(4 * few.acquireVerbsEach());
        assertThat(many.fairness()).isLessThan(1);
    }

    /** A client waits for its release: an operation alone takes four ways of the lock's verbs and four of the data's. */
    @ParameterizedTest
    @MethodSource("systems")
    void anOperationLastsUntilItsReleaseHasCompleted(LockSystem system) {
        boolean keeps = system.name().contains("kept") || system.name().contains("Soul");
        // Of many locks: the next acquisition of the same one would wait for the release anyway.
        Outcome alone = count(system, AdapterModel.CONNECT_X4, 1, 1, 1_000);
        long ways = keeps ? 4 : 8;
        assertThat(alone.all().latencies().percentile(50))
                .isGreaterThanOrEqualTo(ways * AdapterModel.CONNECT_X4.verbOneWay());
    }

    @Test
    void aLongerWayBetweenComputeNodesSlowsHandOversDown() {
        AdapterModel far = AdapterModel.CONNECT_X4.withPeerDistance(8);
        assertThat(far.messageOneWay()).isEqualTo(8 * AdapterModel.CONNECT_X4.verbOneWay());
        for (LockSystem system : List.of(DecLockSystem.DEFAULT, new Literature(new McsLock()))) {
            long near = count(system, AdapterModel.CONNECT_X4, 8, 1, 1).acquisitions();
            assertThat(count(system, far, 8, 1, 1).acquisitions()).isLessThan(near * 3 / 4);
        }
        assertThat(count(CAS, far, 8, 1, 1).acquisitions())
                .isEqualTo(count(CAS, AdapterModel.CONNECT_X4, 8, 1, 1).acquisitions());
    }

    /** Verbs of one client of each of many nodes and of many clients of one node: the one adapter of the latter is what limits them. */
    @Test
    void clientsOfOneComputeNodeShareItsAdapter() {
        Adapter slow = new Adapter(500, 500, 500, 500, 0, 1, 0);
        AdapterModel model = new AdapterModel("slow compute nodes", 1_000, 1_000, 0, 0, Adapter.INFINITELY_FAST, slow);
        long apart = count(CAS, model, 16, 1, 10_000).acquisitions();
        long together = count(CAS, model, 1, 16, 10_000).acquisitions();
        assertThat(together).isLessThan(apart / 2);
    }

    @Test
    void whatIsBusyIsTheMemoryNode() {
        Adapter slow = new Adapter(200, 200, 200, 200, 0, 1, 0);
        AdapterModel model = new AdapterModel("slow memory node", 1_000, 1_000, 0, 0, slow, Adapter.INFINITELY_FAST);
        Outcome outcome = count(CAS, model, 8, 8, 10_000);
        assertThat(outcome.utilisation()).isCloseTo(1, within(0.01));
        assertThat((outcome.verbs().acquire()
                                + outcome.verbs().release()
                                + outcome.verbs().data())
                        * 200.0
                        / MILLI)
                .isCloseTo(1, within(0.05));
    }

    @Test
    void fairnessIsJains() {
        assertThat(RunTally.fairness(new long[] {5, 5, 5, 5})).isEqualTo(1);
        assertThat(RunTally.fairness(new long[] {8, 0, 0, 0})).isEqualTo(0.25);
        assertThat(RunTally.fairness(new long[] {0, 0})).isEqualTo(1);
    }
}
