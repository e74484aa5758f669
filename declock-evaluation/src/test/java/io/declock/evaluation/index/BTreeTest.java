// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.evaluation.data.TornWorld;
import io.declock.evaluation.index.IndexRequest.Operation;
import io.declock.evaluation.index.IndexWorkload.Keys;
import io.declock.evaluation.index.IndexWorkload.Shares;
import java.util.SortedMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BTreeTest {
    private static final Shares ALL = new Shares("all", .45, .1, .05);
    private static final int CLIENTS = 8;
    private static final int SMALL_NODE = 32;

    private static TreeHistory run(long seed, BTree.Settings settings, Shares shares, Keys keys, int requests) {
        IndexLoad load = new EndingLoad(new IndexWorkload(shares, keys), requests);
        TreeHistory history = new TreeHistory(load, keys.count());
        TornWorld world = TornWorld.run(seed, new BTree(settings, load, history), CLIENTS);
        history.check();
        history.checkAtRest(TreeCheck.entries(settings, world::word));
        return history;
    }

    /** From an empty tree on, so that nearly each level splits and grows while others are there. */
    @ParameterizedTest
    @CsvSource({"1, false", "4, false", "4, true"})
    void growsFromNothingUnderAllOperations(int computeNodeClients, boolean localLocks) {
        BTree.Settings settings = new BTree.Settings(SMALL_NODE, 1_000, 1_000, 2, computeNodeClients, localLocks);
        for (long seed = 0; seed < 200; seed++) {
            run(seed, settings, ALL, new Keys(300, 0, 0, 30), 80);
        }
    }

    /** Leaves have three slots, and each client fetches each node, so that several clients want to make a root at the same time. */
    @Test
    void manyClientsGrowATree() {
        BTree.Settings settings = new BTree.Settings(16, 2_000, 2_000, 1, 1, false);
        IndexLoad load = new EndingLoad(new IndexWorkload(Shares.WRITE_ONLY, new Keys(100, 0, 0, 1)), 4);
        for (long seed = 0; seed < 500; seed++) {
            TreeHistory history = new TreeHistory(load, 100);
            TornWorld world = TornWorld.run(seed, new BTree(settings, load, history), 4 * CLIENTS);
            history.check();
            history.checkAtRest(TreeCheck.entries(settings, world::word));
        }
    }

    @Test
    void nodesMayShareALock() {
        BTree.Settings settings = new BTree.Settings(SMALL_NODE, 1_000, 3, 2, 4, false);
        for (long seed = 0; seed < 100; seed++) {
            run(seed, settings, ALL, new Keys(300, 0, 0, 30), 60);
        }
    }

    @Test
    void aFewHotKeys() {
        BTree.Settings settings = new BTree.Settings(SMALL_NODE, 100, 100, 1, 4, true);
        for (long seed = 0; seed < 200; seed++) {
            TreeHistory history = run(seed, settings, ALL, new Keys(6, 50, 0.99, 3), 100);
            assertThat(history.reads()).isGreaterThan(CLIENTS * 20);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void runsTheLoadsOfThePaper(boolean localLocks) {
        for (Shares shares : new Shares[] {Shares.WRITE_ONLY, Shares.WRITE_INTENSIVE, Shares.READ_MOSTLY}) {
            BTree.Settings settings = BTree.Settings.forKeys(5_000, 4, localLocks);
            run(1, settings, shares, Keys.of(5_000), 200);
        }
    }

    @Test
    void countsWhatItDoes() {
        IndexLoad load = new EndingLoad(new IndexWorkload(Shares.WRITE_INTENSIVE, Keys.of(1_000)), 500);
        TornWorld world = TornWorld.run(1, new BTree(BTree.Settings.forKeys(1_000, 1, false), load), CLIENTS);
        assertThat(world.done(Operation.PUT.ordinal())).isBetween(1_800, 2_200);
        assertThat(world.done(Operation.PUT.ordinal()) + world.done(Operation.LOOK_UP.ordinal()))
                .isEqualTo(CLIENTS * 500);
        assertThat(world.inParts()).isPositive();
    }

    @Test
    void saysWhenItIsFull() {
        IndexLoad load = new EndingLoad(new IndexWorkload(Shares.WRITE_ONLY, new Keys(300, 0, 0, 1)), 100);
        BTree.Settings settings = new BTree.Settings(SMALL_NODE, 10, 10, 1, 1, false);
        assertThatThrownBy(() -> TornWorld.run(1, new BTree(settings, load), CLIENTS))
                .hasMessageContaining("no node left");
    }

    @Test
    void theSameSeedHasTheSameRun() {
        SortedMap<Long, Long> first = entries();
        assertThat(first).isNotEmpty().isEqualTo(entries());
    }

    private static SortedMap<Long, Long> entries() {
        IndexLoad load = new EndingLoad(new IndexWorkload(ALL, new Keys(200, 50, 0.5, 5)), 100);
        BTree.Settings settings = new BTree.Settings(SMALL_NODE, 1_000, 100, 1, 4, true);
        return TreeCheck.entries(settings, TornWorld.run(7, new BTree(settings, load), CLIENTS)::word);
    }
}
