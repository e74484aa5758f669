// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs.recipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.declock.LockHandle;
import io.declock.LockMode;
import io.declock.LockNotGrantedException;
import io.declock.LockRequest;
import io.declock.spring.DecLocked;
import io.declock.spring.test.DecLockTest;
import io.declock.spring.test.TestLocks;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Service;

@DecLockTest(properties = "declock.wait-time=200ms")
@Import({ReadMostlyTests.Tariffs.class, ReadMostlyTests.Store.class})
class ReadMostlyTests {
    static class Store {
        private final Map<String, Integer> rows = new ConcurrentHashMap<>(Map.of("basic", 5, "plus", 9));

        Map<String, Integer> readAll() {
            return Map.copyOf(rows);
        }

        void write(String tariff, int price) {
            rows.put(tariff, price);
        }
    }

    // tag::read-mostly[]
    @Service
    static class Tariffs {
        private final Store store;

        Tariffs(Store store) {
            this.store = store;
        }

        @DecLocked(name = "tariffs", mode = LockMode.READ)
        public Map<String, Integer> current() {
            return store.readAll();
        }

        @DecLocked(name = "tariffs")
        public void replace(Map<String, Integer> prices) {
            prices.forEach(store::write);
        }
    }
    // end::read-mostly[]

    @Autowired
    private Tariffs tariffs;

    @Autowired
    private TestLocks locks;

    @Test
    void readersShareAndAWriterIsAlone() {
        try (LockHandle reader = locks.holdElsewhere(LockRequest.read("tariffs"))) {
            assertThat(reader.isValid()).isTrue();
            assertThat(tariffs.current()).containsEntry("basic", 5);
            assertThatExceptionOfType(LockNotGrantedException.class)
                    .isThrownBy(() -> tariffs.replace(Map.of("basic", 6)));
        }
        tariffs.replace(Map.of("basic", 6));
        try (LockHandle writer = locks.holdElsewhere("tariffs")) {
            assertThat(List.of(writer.mode())).containsExactly(LockMode.WRITE);
            assertThatExceptionOfType(LockNotGrantedException.class).isThrownBy(tariffs::current);
        }
        assertThat(tariffs.current()).containsEntry("basic", 6);
    }
}
