// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.Purpose;
import io.declock.simulation.AdapterModel.Adapter;
import io.declock.spi.FabricException;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import org.junit.jupiter.api.Test;

/** What takes an adapter's time, and what waits for what. */
class SimulatedNicTest {
    private static final long NOW = 1_000;
    private static final int WORDS = 125;

    /** A READ takes 10 ns, a WRITE 20, an atomic 30, a message 40; atomics of a bucket follow each other by 400. */
    private final SimulatedNic nic = new SimulatedNic(new Adapter(10, 20, 30, 40, 400, 4_096, 1));

    @Test
    void atomicsOfOneWordFollowEachOther() {
        assertThat(execution(add(64), NOW)).isEqualTo(NOW);
        assertThat(execution(add(64), NOW)).isEqualTo(NOW + 400);
        assertThat(execution(add(64), NOW)).isEqualTo(NOW + 800);
    }

    @Test
    void atomicsOfOtherWordsOnlyShareThePipeline() {
        assertThat(execution(add(64), NOW)).isEqualTo(NOW);
        assertThat(execution(add(128), NOW)).isEqualTo(NOW + 30);
    }

    @Test
    void aReadDoesNotWaitForTheAtomicsOfItsWord() {
        execution(add(64), NOW);
        execution(add(64), NOW);
        assertThat(execution(read(64, 1), NOW)).isEqualTo(NOW + 60);
    }

    @Test
    void eachVerbOccupiesThePipelineForItsOwnTime() {
        execution(read(0, 1), NOW);
        assertThat(execution(read(8, 1), NOW)).isEqualTo(NOW + 10);
        assertThat(execution(add(64), NOW)).isEqualTo(NOW + 20);
        assertThat(execution(read(16, 1), NOW)).isEqualTo(NOW + 50);
    }

    @Test
    void severalMemoryNodesServeAsManyTimesTheAtomics() {
        long one = lastOfManyAtomics(AdapterModel.CONNECT_X3);
        long sixteen = lastOfManyAtomics(AdapterModel.CONNECT_X3.withMemoryNodes(16));
        assertThat((double) one / sixteen).isBetween(14.0, 18.0);
    }

    private static long lastOfManyAtomics(AdapterModel model) {
        SimulatedNic adapter = new SimulatedNic(model.memoryNode());
        long last = 0;
        for (int i = 0; i < 20_000; i++) {
            last = Math.max(last, adapter.execution(add(i * 64L), 0, 0));
        }
        return last;
    }

    @Test
    void anIdleAdapterBeginsAtOnce() {
        execution(read(0, 1), NOW);
        assertThat(execution(read(8, 1), 2 * NOW)).isEqualTo(2 * NOW);
    }

    @Test
    void whatIsWrittenArrivesWithTheBandwidth() {
        assertThat(execution(write(0, WORDS), NOW)).isEqualTo(NOW + 1_000);
        assertThat(execution(write(0, WORDS), NOW)).isEqualTo(NOW + 2_000);
    }

    @Test
    void whatIsReadLeavesWithTheBandwidth() {
        assertThat(nic.sent(1_000, NOW)).isEqualTo(NOW + 1_000);
        assertThat(nic.sent(1_000, NOW)).isEqualTo(NOW + 2_000);
        assertThat(SimulatedNic.resultBytes(read(0, WORDS))).isEqualTo(1_000);
        assertThat(SimulatedNic.resultBytes(write(0, WORDS))).isZero();
    }

    @Test
    void theTwoDirectionsDoNotWaitForEachOther() {
        assertThat(nic.sent(1_000, NOW)).isEqualTo(NOW + 1_000);
        assertThat(nic.received(1_000, NOW)).isEqualTo(NOW + 1_000);
    }

    @Test
    void messagesOccupyThePipeline() {
        assertThat(nic.messageSent(0, NOW)).isEqualTo(NOW + 40);
        assertThat(nic.messageReceived(0, NOW)).isEqualTo(NOW + 80);
        assertThat(execution(read(0, 1), NOW)).isEqualTo(NOW + 80);
    }

    @Test
    void aPostedWriteLeavesWithTheBandwidth() {
        assertThat(nic.posted(read(0, WORDS), NOW)).isEqualTo(NOW + 10);
        assertThat(nic.posted(write(0, WORDS), NOW)).isEqualTo(NOW + 30 + 1_000);
    }

    @Test
    void itIsBusyAsLongAsItsBusiestPart() {
        execution(read(0, 1), NOW);
        assertThat(nic.busyNanos()).isEqualTo(10);
        nic.sent(1_000, NOW);
        assertThat(nic.busyNanos()).isEqualTo(1_000);
    }

    @Test
    void anInfinitelyFastOneTakesNoTime() {
        SimulatedNic fast = SimulatedNic.infinitelyFast();
        for (int i = 0; i < 3; i++) {
            assertThat(fast.execution(add(64), 0, NOW)).isEqualTo(NOW);
            assertThat(fast.execution(write(0, WORDS), 0, NOW)).isEqualTo(NOW);
            assertThat(fast.posted(write(0, WORDS), NOW)).isEqualTo(NOW);
            assertThat(fast.sent(1_000, NOW)).isEqualTo(NOW);
            assertThat(fast.messageReceived(1_000, NOW)).isEqualTo(NOW);
        }
    }

    private long execution(VerbChain chain, long now) {
        return nic.execution(chain, 0, now);
    }

    private static VerbChain add(long address) {
        return chain().fetchAndAdd(address, 1);
    }

    private static VerbChain read(long address, int words) {
        return chain().read(address, words);
    }

    private static VerbChain write(long address, int words) {
        return chain().write(address, new long[words]);
    }

    private static VerbChain chain() {
        return new VerbChain() {
            @Override
            public void completed(VerbResults results) {}

            @Override
            public void failed(FabricException cause) {}
        }.begin(Purpose.INSPECT);
    }
}
