// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kotlin

import io.declock.LockOutcome
import io.declock.LockRequest
import kotlin.time.Duration
import kotlin.time.Duration.Companion.days
import kotlin.time.toJavaDuration

/** Longer than any process lives, and short enough to be counted in nanoseconds. */
private val ENDLESS = 36_500.days

/**
 * Bounds the wait for all names together; see [LockRequest.waitTime].
 *
 * @param wait the bound; zero asks once and does not wait, [Duration.INFINITE] waits for as long as it takes
 * @return the new request
 */
public fun LockRequest.waitTime(wait: Duration): LockRequest = waitTime(wait.bounded())

/**
 * Sets a ceiling on the hold; see [LockRequest.leaseTime].
 *
 * @param lease the ceiling; [Duration.INFINITE] is none that any process lives to see
 * @return the new request
 */
public fun LockRequest.leaseTime(lease: Duration): LockRequest = leaseTime(lease.bounded())

/**
 * Has the locks stay taken for a while even if they are given back earlier; see [LockRequest.holdAtLeast].
 *
 * @param time how long the locks stay taken at least
 * @return the new request
 * @throws IllegalArgumentException if it is zero, negative or infinite, or if a lock is asked for in READ mode
 */
public fun LockRequest.holdAtLeast(time: Duration): LockRequest {
    require(time.isFinite()) {
        "holdAtLeast must be finite, because nobody could take these locks ever again: ${names().keys}. To hold locks for" +
            " as long as some code runs, run it in withLock"
    }
    return holdAtLeast(time.bounded())
}

/** Returns the result of the code; null if it did not run, or if its result was null. */
public fun <T> LockOutcome<T>.getOrNull(): T? = if (ran()) get() else null

/**
 * Returns the result of the code, or that of [busy] if it did not run.
 *
 * @param busy makes the other value, and may suspend or leave the calling function
 */
public inline fun <T> LockOutcome<T>.getOrElse(busy: () -> T): T = if (ran()) get() else busy()

internal fun LockRequest.timed(wait: Duration?, lease: Duration?): LockRequest {
    val waiting = if (wait == null) this else waitTime(wait)
    return if (lease == null) waiting else waiting.leaseTime(lease)
}

private fun Duration.bounded(): java.time.Duration = coerceAtMost(ENDLESS).toJavaDuration()
