// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs.pages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.declock.LockHandle;
import io.declock.LockInterruptedException;
import io.declock.LockTemplate;
import io.declock.spring.test.DecLockTest;
import io.declock.spring.test.TestLocks;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** The code of docs/spring.md that asks for a lock once. */
@DecLockTest
class TryingTests {
    private record Receipt(long order, long token) {}

    private static class Orders {
        private final List<Receipt> shipped = new ArrayList<>();

        Receipt ship(long order, long token) {
            Receipt receipt = new Receipt(order, token);
            shipped.add(receipt);
            return receipt;
        }
    }

    private final Orders orders = new Orders();

    @Autowired
    private LockTemplate template;

    @Autowired
    private TestLocks testLocks;

    @Test
    void aHandleOrNull() {
        try (LockHandle elsewhere = testLocks.holdElsewhere("order:42")) {
            assertThat(elsewhere.isValid()).isTrue();
            shipByHandle();
        }
        assertThat(orders.shipped).isEmpty();
        shipByHandle();
        assertThat(orders.shipped).hasSize(1);
        assertThat(testLocks.held()).isEmpty();
    }

    private void shipByHandle() {
        // tag::spring-try[]
        try (LockHandle held = template.tryAcquire("order:42")) {
            if (held != null) {
                orders.ship(42, held.fencingToken());
            }
        }
        // end::spring-try[]
    }

    @Test
    void codeThatRunsOrDoesNot() {
        try (LockHandle elsewhere = testLocks.holdElsewhere("order:42")) {
            assertThat(elsewhere.isValid()).isTrue();
            assertThat(shipByTemplate()).isFalse();
        }
        assertThat(shipByTemplate()).isTrue();
        assertThat(orders.shipped).hasSize(1);
        assertThat(testLocks.held()).isEmpty();
    }

    @Test
    void anInterruptedThreadGetsAnExceptionThatItNeedNotDeclare() {
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(LockInterruptedException.class)
                .isThrownBy(() -> template.run("order:42", held -> orders.ship(42, held.fencingToken())));
        assertThat(Thread.interrupted()).as("the thread's interrupt status").isTrue();
        assertThat(orders.shipped).isEmpty();
    }

    private boolean shipByTemplate() {
        // tag::spring-try-template[]
        boolean shipped = template.tryRun("order:42", held -> orders.ship(42, held.fencingToken()));
        // end::spring-try-template[]
        return shipped;
    }
}
