// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.internal.layout.RecordLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DirectoryTest {
    private final RecordQuota unlimited = new RecordQuota(Integer.MAX_VALUE);

    private static Directory directory(int total) {
        RecordLayout layout = new RecordLayout(8);
        Region region = Region.direct(total, layout.strideBytes());
        return new Directory(new RecordAllocator(region, layout, new HighWaterMark(1), total), 42);
    }

    private static byte[] name(int i) {
        return ("default:order-" + i).getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void everyNameHasItsOwnRecordUntilTheTableIsFull() {
        Directory directory = directory(50_000);
        Set<Integer> records = new HashSet<>();
        for (int i = 0; i < 50_000; i++) {
            assertThat(records.add(directory.resolve(name(i), unlimited))).isTrue();
        }
        assertThat(directory.resolve(name(50_000), unlimited)).isEqualTo(Directory.FULL);
        assertThat(directory.find(name(50_000))).isEqualTo(-1);
        for (int i = 0; i < 50_000; i++) {
            int record = directory.find(name(i));
            assertThat(directory.names().get(record)).isEqualTo(name(i));
        }
    }

    @Test
    void behavesAsAMapUnderRandomChanges() {
        for (long seed = 1; seed <= 5; seed++) {
            Random random = new Random(seed);
            Directory directory = directory(400);
            Map<Integer, Integer> model = new HashMap<>();
            for (int step = 0; step < 20_000; step++) {
                int n = random.nextInt(600);
                switch (random.nextInt(3)) {
                    case 0 -> {
                        int record = directory.resolve(name(n), unlimited);
                        if (record == Directory.FULL) {
                            assertThat(model).as("seed %d", seed).hasSize(400).doesNotContainKey(n);
                        } else {
                            Integer before = model.put(n, record);
                            assertThat(before == null || before == record).isTrue();
                        }
                    }
                    case 1 -> assertThat(directory.find(name(n))).isEqualTo(model.getOrDefault(n, -1));
                    default -> {
                        Integer record = model.remove(n);
                        if (record != null) {
                            directory.forget(record);
                        }
                    }
                }
            }
            assertThat(new HashSet<>(model.values())).hasSameSizeAs(model.values());
        }
    }

    @Test
    void namesWithOneHashAreToldApart() {
        Names names = new Names(16);
        DirectoryStripe stripe = new DirectoryStripe(names);
        for (int i = 0; i < 10; i++) {
            names.set(i, name(i), unlimited);
            stripe.add(7, i);
        }
        for (int i = 0; i < 10; i++) {
            assertThat(stripe.find(name(i), 7)).isEqualTo(i);
        }
        assertThat(stripe.find(name(10), 7)).isEqualTo(-1);
        assertThat(stripe.remove(7, 3)).isTrue();
        assertThat(stripe.remove(7, 3)).isFalse();
        assertThat(stripe.find(name(3), 7)).isEqualTo(-1);
        assertThat(stripe.find(name(9), 7)).isEqualTo(9);
    }

    @Test
    void manyThreadsAgreeOnTheRecordOfAName() throws Exception {
        int names = 5_000;
        Directory directory = directory(names);
        Map<Integer, Integer> agreed = new ConcurrentHashMap<>();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                int seed = t;
                all.add(threads.submit(() -> {
                    Random random = new Random(seed);
                    for (int i = 0; i < 40_000; i++) {
                        int n = random.nextInt(names);
                        int record = directory.resolve(name(n), unlimited);
                        Integer other = agreed.putIfAbsent(n, record);
                        assertThat(other == null || other == record).isTrue();
                    }
                    return null;
                }));
            }
            for (Future<?> each : all) {
                each.get(30, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(new HashSet<>(agreed.values())).hasSameSizeAs(agreed.values());
    }
}
