// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.evaluation.data.TornWorld;
import io.declock.evaluation.load.Chance;
import io.declock.evaluation.store.CacheRequest.Operation;
import io.declock.evaluation.store.CacheWorkload.Figures;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ObjectStoreTest {
    private static final Figures MIXED = new Figures("mixed", 12, 200, .5, .2, .1, .2, 0.9);
    private static final int PREPENDED = 12;

    private static StoreHistory run(long seed, Figures figures, ObjectStore.Settings settings, boolean lockless) {
        CacheLoad load = new EndingCacheLoad(new CacheWorkload(figures, 20), 60);
        StoreHistory history = new StoreHistory(load, PREPENDED);
        TornWorld.run(seed, new ObjectStore(settings, load, history), 8, lockless);
        return history;
    }

    @Test
    void neitherTearsNorLosesAValue() {
        for (long seed = 0; seed < 200; seed++) {
            StoreHistory history = run(seed, MIXED, new ObjectStore.Settings(10, 16, 7), false);
            history.check();
            assertThat(history.reads()).isGreaterThan(100);
        }
    }

    @Test
    void withoutLocksTheRunEndsOrTheCheckerSeesIt() {
        int seen = 0;
        for (long seed = 0; seed < 50; seed++) {
            try {
                run(seed, MIXED, new ObjectStore.Settings(10, 16, 7), true).check();
            } catch (AssertionError | IllegalStateException e) {
                seen++;
            }
        }
        assertThat(seen).isGreaterThan(45);
    }

    @Test
    void evictsWhereABucketIsFull() {
        for (long seed = 0; seed < 100; seed++) {
            CacheLoad load = new EndingCacheLoad(new CacheWorkload(MIXED, 20), 60);
            ObjectStore.Settings small = new ObjectStore.Settings(2, 4, 2);
            // Not all objects of the load have room, so it is the history's beginning only in part: none here.
            StoreHistory history = new StoreHistory(new Empty(load), PREPENDED);
            TornWorld.run(seed, new ObjectStore(small, new Empty(load), history), 8);
            history.check();
        }
    }

    /** The same load without objects at first. */
    private record Empty(CacheLoad load) implements CacheLoad {
        @Override
        public String name() {
            return load.name();
        }

        @Override
        public int keyBytes() {
            return load.keyBytes();
        }

        @Override
        public int valueBytes() {
            return load.valueBytes();
        }

        @Override
        public int usualValueBytes() {
            return load.usualValueBytes() / 2;
        }

        @Override
        public void objects(Consumer<CacheRequest> each) {}

        @Override
        public Requests requests(int client, Chance chance) {
            return load.requests(client, chance);
        }
    }

    @Test
    void drawsThePublishedShares() {
        CacheWorkload workload = new CacheWorkload(Figures.CLUSTER_14, 1_000);
        SplittableRandom random = new SplittableRandom(1);
        CacheLoad.Requests requests = workload.requests(0, random::nextLong);
        int[] counts = new int[Operation.values().length];
        for (int i = 0; i < 100_000; i++) {
            CacheRequest request = requests.next();
            assertThat(request.key().length()).isEqualTo(96);
            counts[request.operation().ordinal()]++;
        }
        assertThat(counts[Operation.GET.ordinal()]).isBetween(64_000, 66_000);
        assertThat(counts[Operation.DELETE.ordinal()]).isBetween(21_000, 23_000);
        assertThat(counts[Operation.SET.ordinal()]).isBetween(12_000, 14_000);
        assertThat(counts[Operation.PREPEND.ordinal()]).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 53})
    void storesObjectsOfThePublishedSizes(int cluster) {
        Figures figures = cluster == 14 ? Figures.CLUSTER_14 : Figures.CLUSTER_53;
        CacheLoad load = new EndingCacheLoad(new CacheWorkload(figures, 20), 30);
        StoreHistory history = new StoreHistory(load, figures.valueBytes() / 16);
        TornWorld world =
                TornWorld.run(cluster, new ObjectStore(new ObjectStore.Settings(10, 16, 10), load, history), 6);
        history.check();
        assertThat(world.done(Operation.GET.ordinal())).isPositive();
        assertThat(world.inParts()).isPositive();
    }

    @Test
    void tornObjectsAreSeen() {
        CacheKey key = CacheKey.of("a key");
        StoredObject object = new StoredObject(key, 3, ObjectStore.value(100, 1));
        StoredObject other = new StoredObject(key, 3, ObjectStore.value(100, 2));
        long[] words = object.words();
        assertThat(StoredObject.read(key, object.state(), words).value()).isEqualTo(object.value());
        words[words.length - 1] = other.words()[words.length - 1];
        assertThatThrownBy(() -> StoredObject.read(key, object.state(), words)).hasMessageContaining("torn");
        assertThatThrownBy(() -> StoredObject.read(CacheKey.of("no key"), object.state(), object.words()))
                .isInstanceOf(IllegalStateException.class);
    }
}
