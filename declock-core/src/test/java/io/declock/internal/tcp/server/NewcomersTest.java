// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Which connection makes room for the next. */
class NewcomersTest {
    private final Newcomers<String> newcomers = new Newcomers<>(4, 3);

    @Test
    void theOldestOfAnAddressMakesRoomForTheNextOfThatAddress() {
        assertThat(newcomers.add("a1", "a")).isNull();
        assertThat(newcomers.add("b1", "b")).isNull();
        assertThat(newcomers.add("a2", "a")).isNull();
        newcomers.remove("b1");
        assertThat(newcomers.add("a3", "a")).isNull();
        assertThat(newcomers.add("a4", "a")).isEqualTo("a1");
        assertThat(newcomers.size()).isEqualTo(3);
    }

    @Test
    void theOldestOfAllMakesRoomWhenAllPlacesAreTaken() {
        newcomers.add("a1", "a");
        newcomers.add("b1", "b");
        newcomers.add("c1", "c");
        newcomers.add("d1", "d");
        assertThat(newcomers.add("e1", "e")).isEqualTo("a1");
        assertThat(newcomers.add("f1", "f")).isEqualTo("b1");
    }

    @Test
    void whatHasProvedItselfKeepsItsPlaceLonger() {
        newcomers.add("a1", "a");
        newcomers.add("b1", "b");
        newcomers.add("c1", "c");
        newcomers.add("d1", "d");
        newcomers.proved("a1");
        newcomers.proved("c1");
        assertThat(newcomers.add("e1", "e")).isEqualTo("b1");
        newcomers.proved("d1");
        newcomers.proved("e1");
        assertThat(newcomers.evict()).isEqualTo("a1");
        newcomers.remove("c1");
        newcomers.remove("d1");
        newcomers.remove("e1");
        assertThat(newcomers.evict()).isNull();
        newcomers.proved("gone");
        assertThat(newcomers.size()).isZero();
    }

    @Test
    void anAddressWithOnePlaceKeepsItsNewest() {
        Newcomers<Integer> one = new Newcomers<>(8, 1);
        assertThat(one.add(1, "a")).isNull();
        assertThat(one.add(2, "a")).isEqualTo(1);
        assertThat(one.add(3, "a")).isEqualTo(2);
        assertThat(one.add(4, "b")).isNull();
        assertThat(one.size()).isEqualTo(2);
    }

    @Test
    void theBoundsHoldWhateverComesAndGoes() {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            Newcomers<Integer> some = new Newcomers<>(6, 4);
            Map<Integer, Integer> model = new LinkedHashMap<>();
            for (int i = 0; i < 300; i++) {
                List<Integer> present = new ArrayList<>(model.keySet());
                int which = present.isEmpty() ? -1 : present.get(random.nextInt(present.size()));
                switch (random.nextInt(4)) {
                    case 0 -> {
                        some.remove(which);
                        model.remove(which);
                    }
                    case 1 -> some.proved(which);
                    default -> {
                        int address = random.nextInt(3);
                        Integer evicted = some.add(i, address);
                        model.put(i, address);
                        if (evicted != null) {
                            assertThat(model.remove(evicted))
                                    .as("seed %d", seed)
                                    .isNotNull();
                        }
                    }
                }
                assertThat(some.size())
                        .as("seed %d", seed)
                        .isEqualTo(model.size())
                        .isLessThanOrEqualTo(6);
                for (int address = 0; address < 3; address++) {
                    int mine = address;
                    assertThat(model.values().stream().filter(a -> a == mine).count())
                            .as("seed %d", seed)
                            .isLessThanOrEqualTo(4);
                }
            }
        }
    }
}
