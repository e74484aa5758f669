// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.Purpose;
import io.declock.simulation.SimulatedMemory.Executed;
import io.declock.simulation.SimulatedMemory.Unwritten;
import io.declock.spi.FabricException;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What is atomic to what, by table 1 of ALock's paper. */
class SimulatedMemoryTest {
    private static final int WORD = 2;
    private static final long ADDRESS = (long) WORD * Long.BYTES;

    private final SimulatedMemory memory = new SimulatedMemory(4);
    private final List<String> changes = new ArrayList<>();

    @Test
    void anAtomicOfTheProcessorBetweenReadAndWriteOfAnAdaptersAtomicIsLost() {
        Executed added = remote(add(1));
        assertThat(local(add(10))).isZero();
        writeBack(added);
        assertThat(word()).isEqualTo(1);
    }

    @Test
    void aWriteOfTheProcessorBetweenReadAndWriteOfAnAdaptersAtomicIsLost() {
        Executed added = remote(add(1));
        local(write(7));
        writeBack(added);
        assertThat(word()).isEqualTo(1);
    }

    @Test
    void theProcessorReadsTheFormerValueUntilAnAtomicIsWritten() {
        Executed added = remote(add(1));
        assertThat(local(read())).isZero();
        writeBack(added);
        assertThat(local(read())).isEqualTo(1);
    }

    @Test
    void atomicsOfTheAdapterAreAtomicToEachOther() {
        Executed first = remote(add(1));
        Executed second = remote(add(1));
        assertThat(second.former()[0]).isEqualTo(1);
        assertThat(remote(read()).former()[0]).isEqualTo(2);
        writeBack(first);
        assertThat(word()).isEqualTo(1);
        writeBack(second);
        assertThat(word()).isEqualTo(2);
    }

    @Test
    void aRemoteWriteIsNotUndoneByAnAtomicBeforeIt() {
        Executed added = remote(add(1));
        remote(write(9));
        assertThat(local(read())).isEqualTo(9);
        writeBack(added);
        assertThat(word()).isEqualTo(9);
    }

    @Test
    void aRemoteWriteIsAtomicToWhatTheProcessorDoes() {
        local(add(1));
        remote(write(9));
        assertThat(local(add(1))).isEqualTo(9);
        assertThat(remote(read()).former()[0]).isEqualTo(10);
    }

    @Test
    void anAtomicThatFailsWritesNothing() {
        Executed failed = remote(chain().compareAndSwap(ADDRESS, 5, 6));
        assertThat(failed.unwritten()).isNull();
        assertThat(changes).isEmpty();
    }

    @Test
    void eachChangeIsTold() {
        local(add(3));
        remote(write(3));
        remote(chain().compareAndSwap(ADDRESS, 3, 4));
        assertThat(changes).containsExactly("2: 0 to 3", "2: 3 to 3", "2: 3 to 4");
    }

    private Executed remote(VerbChain chain) {
        return memory.execute(chain, 0, this::changed, true);
    }

    private long local(VerbChain chain) {
        return memory.executeLocally(chain, 0, this::changed)[0];
    }

    private void changed(long word, long before, long after) {
        changes.add(word + ": " + before + " to " + after);
    }

    private void writeBack(Executed executed) {
        Unwritten unwritten = Objects.requireNonNull(executed.unwritten());
        memory.writeBack(unwritten);
    }

    private long word() {
        return memory.words()[WORD];
    }

    private static VerbChain add(long addend) {
        return chain().fetchAndAdd(ADDRESS, addend);
    }

    private static VerbChain write(long value) {
        return chain().write(ADDRESS, value);
    }

    private static VerbChain read() {
        return chain().read(ADDRESS, 1);
    }

    private static VerbChain chain() {
        return new VerbChain() {
            @Override
            public void completed(VerbResults results) {}

            @Override
            public void failed(FabricException cause) {}
        }.begin(Purpose.ACQUIRE);
    }
}
