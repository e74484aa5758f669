// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.protocols.soul.Region;
import io.declock.protocols.soul.Soul;
import io.declock.simulation.ProtocolSimulation.Result;
import io.declock.simulation.ProtocolSimulation.Setting;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is particular to Soul: the line is kept, and the data comes with it. {@link ProtocolsTest} runs it as all others. */
class SoulTest {
    private static final int SEEDS = 300;
    private static final int ROUNDS = 20;

    private static final List<Region> REGIONS = List.of(new Region(0, 2), new Region(4, 3));

    private static Result run(long seed, int clients, double readShare, int inside) {
        return ProtocolSimulation.run(
                seed, new Setting(new Soul(REGIONS), clients, 1, ROUNDS, readShare, inside, 1_000, 3_000, 0));
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.5, 0.95, 1})
    void everySeedHoldsEveryPropertyWithOneLock(double readShare) {
        for (long seed = 0; seed < SEEDS; seed++) {
            int clients = 2 + (int) (seed % 7);
            assertThat(run(seed, clients, readShare, (int) (seed % 3)).acquisitions())
                    .as("seed %d", seed)
                    .isEqualTo((long) clients * ROUNDS);
        }
    }

    /** One transaction: a request, the READs of the regions, and the lock with the data. All acquisitions after it find the line kept. */
    @ParameterizedTest
    @ValueSource(doubles = {0, 1})
    void anAcquisitionThatFindsItsLineKeptNeedsNoMessageAndNoVerb(double readShare) {
        Result alone = run(1, 1, readShare, 1);
        assertThat(alone.acquisitions()).isEqualTo(ROUNDS);
        assertThat(alone.messages()).isEqualTo(2);
        assertThat(alone.acquireVerbs()).isEqualTo(REGIONS.size());
        assertThat(alone.releaseVerbs()).isZero();
    }

    /** A client asks for its first read, if that comes before a write, and for its first write: it invalidates nobody, and never asks again. */
    @Test
    void aLineKeptToWriteIsKeptToRead() {
        for (long seed = 0; seed < 20; seed++) {
            assertThat(run(seed, 1, 0.5, 1).messages()).as("seed %d", seed).isLessThanOrEqualTo(4);
        }
    }

    /** With long holds a run takes as long as the holds that follow each other. Those of readers do not. */
    @Test
    void readersHoldTheLineTogether() {
        long writers = run(1, 8, 0, 50).nanos();
        long mostlyReaders = run(1, 8, 0.9, 50).nanos();
        System.out.printf("Soul: %d ns with writers only, %d ns with nine readers of ten%n", writers, mostlyReaders);
        assertThat(mostlyReaders).isLessThan(writers / 2);
    }

    @Test
    void readersKeepTheLineSideBySide() {
        Result readers = run(1, 6, 1, 1);
        assertThat(readers.messages()).isEqualTo(2 * 6);
        assertThat(readers.acquireVerbs()).isEqualTo(6L * REGIONS.size());
    }

    /** The first READs memory; from then on lock and data go from writer to writer in one transaction of four messages at most, and one for each denial more. */
    @Test
    void dataGoesFromWriterToWriterWithTheLock() {
        Result writers = run(1, 2, 0, 1);
        assertThat(writers.acquireVerbs()).isEqualTo(REGIONS.size());
        assertThat(writers.releaseVerbs()).isZero();
    }

    /** A transfer with its answer is two messages more than the four that a transaction takes. */
    @Test
    void aTransferIsDeniedAndTriedAgain() {
        int seeds = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            Result contended = run(seed, 8, 0, 0);
            if (contended.messages() > 4 * contended.acquisitions()) {
                seeds++;
            }
        }
        System.out.printf("Soul: transfers denied in %d of %d seeds%n", seeds, SEEDS);
        assertThat(seeds).isPositive();
    }

    @Test
    void aSeedReplaysExactly() {
        assertThat(run(7, 6, 0.5, 1)).isEqualTo(run(7, 6, 0.5, 1));
    }
}
