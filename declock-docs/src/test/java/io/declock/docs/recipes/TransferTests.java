// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs.recipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.declock.LockHandle;
import io.declock.LockNotGrantedException;
import io.declock.LockRequest;
import io.declock.LockTemplate;
import io.declock.spring.DecLocked;
import io.declock.spring.test.DecLockTest;
import io.declock.spring.test.TestLocks;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Service;

@DecLockTest
@Import({TransferTests.Accounts.class, TransferTests.Balances.class})
class TransferTests {
    /** Fails if two transfers are inside at once. */
    static class Balances {
        private final Map<String, Long> amounts = new ConcurrentHashMap<>(Map.of("a", 1_000L, "b", 1_000L));
        private final Map<String, Boolean> inside = new ConcurrentHashMap<>();

        void move(String from, String to, long amount) {
            assertThat(inside.put("now", true)).isNull();
            LockSupport.parkNanos(500_000);
            amounts.merge(from, -amount, Long::sum);
            amounts.merge(to, amount, Long::sum);
            inside.clear();
        }
    }

    @Service
    static class Accounts {
        private final LockTemplate template;
        private final Balances balances;

        Accounts(LockTemplate template, Balances balances) {
            this.template = template;
            this.balances = balances;
        }

        // tag::transfer[]
        @DecLocked(
                name = "account",
                key = {"#from", "#to"})
        public void transfer(String from, String to, long amount) {
            balances.move(from, to, amount);
        }
        // end::transfer[]

        // tag::transfer-plain[]
        void transferAll(Map<String, Long> amounts, String to) {
            LockRequest request = LockRequest.writeAll(
                            amounts.keySet().stream().map("account:"::concat).toList())
                    .andWrite("account:" + to)
                    .waitTime(Duration.ofSeconds(2));
            template.run(request, handle -> amounts.forEach((from, amount) -> balances.move(from, to, amount)));
        }
        // end::transfer-plain[]
    }

    /** The common pool has one thread on a machine with two cores. */
    private static final Executor OWN_THREADS = task -> new Thread(task).start();

    @Autowired
    private Accounts accounts;

    @Autowired
    private Balances balances;

    @Autowired
    private TestLocks locks;

    @Test
    @Timeout(60)
    void oppositeTransfersExcludeEachOtherAndNeverDeadlock() {
        CompletableFuture<Void> there = CompletableFuture.runAsync(() -> repeat("a", "b"), OWN_THREADS);
        CompletableFuture<Void> back = CompletableFuture.runAsync(() -> repeat("b", "a"), OWN_THREADS);
        CompletableFuture.allOf(there, back).join();
        assertThat(balances.amounts).containsEntry("a", 1_000L).containsEntry("b", 1_000L);
        accounts.transfer("a", "a", 5);
        accounts.transferAll(Map.of("a", 10L), "b");
        assertThat(balances.amounts).containsEntry("a", 990L).containsEntry("b", 1_010L);
    }

    @Test
    @Timeout(60)
    void eitherAccountIsEnoughToWaitFor() {
        CompletableFuture<Void> transfer;
        try (LockHandle elsewhere = locks.holdElsewhere("account:d")) {
            transfer = CompletableFuture.runAsync(() -> accounts.transfer("d", "c", 1));
            await().until(() -> !locks.waiting().isEmpty());
            assertThat(elsewhere.isValid()).isTrue();
            assertThatExceptionOfType(LockNotGrantedException.class)
                    .isThrownBy(() -> accounts.transferAll(Map.of("e", 1L), "d"));
            assertThat(balances.amounts).doesNotContainKey("c");
        }
        transfer.join();
        assertThat(balances.amounts).containsEntry("c", 1L);
    }

    private void repeat(String from, String to) {
        for (int i = 0; i < 100; i++) {
            accounts.transfer(from, to, 1);
        }
    }
}
