// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.LockHandle;
import io.declock.LockNotGrantedException;
import io.declock.MemoryNodeUnavailableException;
import io.declock.spring.DecLocked;
import io.declock.spring.test.AutoConfigureDecLock;
import io.declock.spring.test.TestLocks;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;

@WebMvcTest
@AutoConfigureDecLock
@TestPropertySource(properties = "declock.fail-fast=true")
@Import({BusyTests.OrderController.class, BusyTests.LockProblems.class})
class BusyTests {
    record Receipt(long order) {}

    // tag::busy[]
    @RestController
    static class OrderController {
        @PostMapping("/orders/{id}/shipment")
        @DecLocked(name = "order", key = "#id", waitTime = "0")
        public Receipt ship(@PathVariable long id) {
            return new Receipt(id);
        }
    }

    @RestControllerAdvice
    static class LockProblems {
        @ExceptionHandler(LockNotGrantedException.class)
        ProblemDetail busy() {
            return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, "Another request works on this order.");
        }

        @ExceptionHandler(MemoryNodeUnavailableException.class)
        ProblemDetail unavailable() {
            return ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, "Try again in a moment.");
        }
    }
    // end::busy[]

    @Autowired
    private MockMvcTester mvc;

    @Autowired
    private TestLocks locks;

    @Test
    void aBusyOrderIsAConflictAndAnOutageIsNot() {
        assertThat(mvc.post().uri("/orders/42/shipment")).hasStatusOk();
        try (LockHandle elsewhere = locks.holdElsewhere("order:42")) {
            assertThat(elsewhere.isValid()).isTrue();
            assertThat(mvc.post().uri("/orders/42/shipment")).hasStatus(HttpStatus.CONFLICT);
            assertThat(mvc.post().uri("/orders/43/shipment")).hasStatusOk();
        }
        try (TestLocks.Outage outage = locks.unavailable()) {
            assertThat(outage).isNotNull();
            assertThat(mvc.post().uri("/orders/42/shipment")).hasStatus(HttpStatus.SERVICE_UNAVAILABLE);
        }
    }
}
