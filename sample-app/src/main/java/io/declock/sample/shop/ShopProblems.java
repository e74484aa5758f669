// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.shop;

import io.declock.DecLockException;
import io.declock.LockLostException;
import io.declock.LockNotGrantedException;
import io.declock.MemoryNodeUnavailableException;
import io.declock.spring.jdbc.FencedOffException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Tells customers what failed: their order, the stock, or the lock. Ordered before Spring's own advice, which explains less. */
@RestControllerAdvice
@Order(Ordered.HIGHEST_PRECEDENCE)
class ShopProblems {
    private static final Logger log = LoggerFactory.getLogger(ShopProblems.class);

    private final Turnover turnover;

    ShopProblems(Turnover turnover) {
        this.turnover = turnover;
    }

    @ExceptionHandler
    ProblemDetail soldOut(SoldOutException e) {
        return problem(HttpStatus.CONFLICT, "Sold out", e);
    }

    @ExceptionHandler
    ProblemDetail unknown(UnknownProductException e) {
        return problem(HttpStatus.NOT_FOUND, "Unknown product", e);
    }

    @ExceptionHandler
    ProblemDetail unreadable(HttpMessageNotReadableException e) {
        return problem(HttpStatus.BAD_REQUEST, "Not an order", e.getMostSpecificCause());
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> stale(FencedOffException e) {
        turnover.countStale();
        log.warn("The fence refused an order: {}", e.getMessage());
        return again(problem(HttpStatus.SERVICE_UNAVAILABLE, "Lock lost", e));
    }

    /** The lock was lost before the order was committed: nothing was sold, so trying again is safe. */
    @ExceptionHandler
    ResponseEntity<ProblemDetail> lost(LockLostException e) {
        turnover.countLost();
        log.warn("An order was rolled back: {}", e.getMessage());
        return again(problem(HttpStatus.SERVICE_UNAVAILABLE, "Lock lost", e));
    }

    /** The lock was busy for too long, or its memory node is unavailable: nothing was sold, so trying again is safe. */
    @ExceptionHandler({LockNotGrantedException.class, MemoryNodeUnavailableException.class})
    ResponseEntity<ProblemDetail> notGranted(DecLockException e) {
        return again(problem(HttpStatus.SERVICE_UNAVAILABLE, "Lock not granted", e));
    }

    private static ResponseEntity<ProblemDetail> again(ProblemDetail problem) {
        return ResponseEntity.status(problem.getStatus())
                .header(HttpHeaders.RETRY_AFTER, "1")
                .body(problem);
    }

    private static ProblemDetail problem(HttpStatus status, String title, Throwable cause) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, String.valueOf(cause.getMessage()));
        problem.setTitle(title);
        return problem;
    }
}
