// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.declock.protocols.cas.CasLock;
import io.declock.protocols.mcs.McsLock;
import io.declock.protocols.shiftlock.ShiftLock;
import io.declock.simulation.AdapterModel.Adapter;
import io.declock.simulation.AdapterModel.Processor;
import io.declock.simulation.LockSystem.DecLockSystem;
import io.declock.simulation.LockSystem.Literature;
import io.declock.simulation.ModelRun.Setting;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the time of the compute nodes' processors does in runs of applications. */
class ProcessorTest {
    private static final long MILLI = 1_000_000;
    private static final int MANY = 10_000;
    private static final Literature CAS = new Literature(CasLock.spinning());
    /** Ways without chance, and adapters without times: what is added is the processor's. */
    private static final AdapterModel WAYS =
            new AdapterModel("ways", 1_000, 1_000, 0, 0, Adapter.INFINITELY_FAST, Adapter.INFINITELY_FAST);

    static Stream<LockSystem> systems() {
        return Stream.of(
                CAS,
                new Literature(new McsLock()),
                new Literature(new ShiftLock(new ShiftLock.Settings(10_000_000, 16, 1_000))),
                DecLockSystem.DEFAULT,
                DecLockSystem.AS_IN_THE_PAPER);
    }

    private static Outcome run(LockSystem system, AdapterModel model, int nodes, int clientsPerNode, int locks) {
        return ModelRun.run(
                5,
                new Setting(
                        system, model, nodes, clientsPerNode, () -> new CountingApplication(locks), MILLI / 5, MILLI));
    }

    private static double alone(LockSystem system, Processor processor) {
        return run(system, WAYS.with(processor), 1, 1, MANY).all().latencies().mean();
    }

    @ParameterizedTest
    @MethodSource("systems")
    void aProcessorWithoutTimesChangesNothing(LockSystem system) {
        AdapterModel cores = AdapterModel.CONNECT_X4.with(Processor.of(2, 0));
        assertThat(run(system, cores, 3, 4, 2)).isEqualTo(run(system, AdapterModel.CONNECT_X4, 3, 4, 2));
    }

    @ParameterizedTest
    @MethodSource("systems")
    void theSameSeedHasTheSameOutcome(LockSystem system) {
        AdapterModel model = AdapterModel.CONNECT_X4.with(new Processor(2, 300, 200, 400, 500, 100));
        assertThat(run(system, model, 3, 4, 2)).isEqualTo(run(system, model, 3, 4, 2));
    }

    /** Acquire, READ, WRITE, release: four chains of one verb. */
    @Test
    void aCorePostsEachVerbAndTakesEachCompletion() {
        double none = alone(CAS, Processor.INFINITELY_FAST);
        assertThat(alone(CAS, new Processor(0, 300, 0, 0, 0, 0))).isCloseTo(none + 4 * 300, within(10.0));
        assertThat(alone(CAS, new Processor(0, 0, 500, 0, 0, 0))).isCloseTo(none + 4 * 500, within(10.0));
    }

    /** A release of DecLock as in the paper is one chain of two verbs. */
    @Test
    void decLocksReleaseIsOneVerbMoreButNoCompletion() {
        DecLockSystem declock = DecLockSystem.AS_IN_THE_PAPER;
        double none = alone(declock, Processor.INFINITELY_FAST);
        assertThat(alone(declock, new Processor(0, 300, 0, 0, 0, 0))).isCloseTo(none + 5 * 300, within(10.0));
        assertThat(alone(declock, new Processor(0, 0, 500, 0, 0, 0))).isCloseTo(none + 4 * 500, within(10.0));
    }

    @Test
    void onlyDecLockHasALocalLock() {
        Processor local = new Processor(0, 0, 0, 0, 0, 400);
        double none = alone(DecLockSystem.AS_IN_THE_PAPER, Processor.INFINITELY_FAST);
        assertThat(alone(DecLockSystem.AS_IN_THE_PAPER, local)).isCloseTo(none + 2 * 400, within(10.0));
        assertThat(alone(CAS, local)).isEqualTo(alone(CAS, Processor.INFINITELY_FAST));
    }

    /** Where one core is the limit, its clients have together what it can do, and twice as much with two cores. */
    @ParameterizedTest
    @MethodSource("systems")
    void clientsShareCores(LockSystem system) {
        Outcome one = run(system, WAYS.with(new Processor(1, 1_000, 1_000, 0, 0, 0)), 1, 16, MANY);
        double verbs =
                one.verbs().acquire() + one.verbs().release() + one.verbs().data();
        // Each verb is posted for 1 µs; DecLock's releases need no completion for their second verb.
        assertThat(verbs * 1_000 / MILLI).isBetween(0.45, 0.6);
        Outcome two = run(system, WAYS.with(new Processor(2, 1_000, 1_000, 0, 0, 0)), 1, 16, MANY);
        assertThat((double) two.all().count() / one.all().count()).isCloseTo(2, within(0.15));
    }

    @Test
    void clientsOfOtherComputeNodesHaveOtherCores() {
        Processor one = new Processor(1, 1_000, 1_000, 0, 0, 0);
        long together = run(CAS, WAYS.with(one), 1, 8, MANY).all().count();
        assertThat(run(CAS, WAYS.with(one), 8, 1, MANY).all().count()).isGreaterThan(3 * together);
    }

    /** One lock, so that each acquisition follows a message: its time at sender and receiver is added to each hand-over. */
    @Test
    void messagesTakeTimeAtBothEnds() {
        for (LockSystem system : List.of(DecLockSystem.AS_IN_THE_PAPER, new Literature(new McsLock()))) {
            double none = nanosOfAHandOver(system, Processor.INFINITELY_FAST);
            assertThat(nanosOfAHandOver(system, new Processor(0, 0, 0, 3_000, 0, 0)))
                    .isGreaterThan(none + 2_500);
            assertThat(nanosOfAHandOver(system, new Processor(0, 0, 0, 0, 3_000, 0)))
                    .isGreaterThan(none + 2_500);
        }
    }

    private static double nanosOfAHandOver(LockSystem system, Processor processor) {
        return (double) MILLI / run(system, WAYS.with(processor), 8, 1, 1).acquisitions();
    }
}
