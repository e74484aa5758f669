// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kotlin

import io.declock.DistributedReadWriteLock
import io.declock.LockHandle
import io.declock.LockLostException
import io.declock.LockNotGrantedException
import io.declock.LockOutcome
import io.declock.LockRequest
import io.declock.MemoryNodeUnavailableException
import kotlin.time.Duration
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.withContext

/**
 * Runs [code] while locks are held, and suspends until they are granted; no thread is blocked.
 *
 * The locks are held until [code] and all coroutines that it launched in its scope have completed, and every other
 * coroutine that has begun with the context of [code], such as those in which Spring runs the suspending functions of
 * beans. They are released on whatever thread that happens.
 *
 * **Cancellation.** While the coroutine waits, its cancellation withdraws the request, and a grant that comes too late
 * is released. Later it cancels [code], and the locks are released when that has completed.
 *
 * **Loss.** When the locks are lost, [code] is cancelled, and the call throws [LockLostException]; an exception that
 * [code] threw after its cancellation is suppressed in that. Code that does not suspend is not interrupted: it runs on
 * until it suspends or returns, so that only the fencing token protects what it writes.
 *
 * **Reentry.** A request inside of [code] for locks that are held around it has the same owner, and is granted ahead of
 * all waiters. Any other request has an owner of its own, so that coroutines that run side by side in [code] exclude
 * each other. The owner is not used again once the locks are given back.
 *
 * @param request names, modes, wait time and ceiling
 * @param code what to run; it is given the handle, for the fencing token and for checks, and does not close it
 * @return the result of [code]
 * @throws LockNotGrantedException if the wait time ran out
 * @throws LockLostException if the locks were lost while [code] ran, or those of a block around while this request
 *   entered them again
 * @throws MemoryNodeUnavailableException if a memory node that is needed is unavailable
 * @throws IllegalStateException if blocks around hold some of the locks and not the others, or by several owners
 */
public suspend fun <T> DistributedReadWriteLock.withLock(
    request: LockRequest,
    code: suspend CoroutineScope.(LockHandle) -> T,
): T = runHolding(acquireHeld(request), code)

/**
 * Runs [code] while the lock is held for writing; see [withLock].
 *
 * @param name the lock's name
 * @param wait the longest wait, null for the default of the locks; zero asks once and does not wait
 * @param lease ceiling on the hold, null for none
 * @param code what to run
 * @return the result of [code]
 */
public suspend fun <T> DistributedReadWriteLock.withWriteLock(
    name: String,
    wait: Duration? = null,
    lease: Duration? = null,
    code: suspend CoroutineScope.(LockHandle) -> T,
): T = withLock(LockRequest.write(name).timed(wait, lease), code)

/**
 * Runs [code] while the lock is held for reading, which others may do at the same time; see [withLock].
 *
 * @param name the lock's name
 * @param wait the longest wait, null for the default of the locks; zero asks once and does not wait
 * @param lease ceiling on the hold, null for none
 * @param code what to run
 * @return the result of [code]
 */
public suspend fun <T> DistributedReadWriteLock.withReadLock(
    name: String,
    wait: Duration? = null,
    lease: Duration? = null,
    code: suspend CoroutineScope.(LockHandle) -> T,
): T = withLock(LockRequest.read(name).timed(wait, lease), code)

/**
 * Runs [code] while locks are held, if they are granted within the request's wait time; see [withLock]. An unavailable
 * memory node still causes an exception, because it is not known then whether another owner has the locks.
 *
 * @param request names, modes, wait time and ceiling
 * @param code what to run
 * @return the result of [code], or that it did not run
 * @throws LockLostException if the locks were lost while [code] ran
 * @throws MemoryNodeUnavailableException if a memory node that is needed is unavailable
 */
public suspend fun <T> DistributedReadWriteLock.tryWithLock(
    request: LockRequest,
    code: suspend CoroutineScope.(LockHandle) -> T,
): LockOutcome<T> {
    val held =
        try {
            acquireHeld(request)
        } catch (busy: LockNotGrantedException) {
            return LockOutcome.notRun(busy.message ?: "another owner has one of the locks ${request.names()}")
        }
    return LockOutcome.of(runHolding(held, code))
}

/**
 * Runs [code] while the lock is held for writing, if it is granted in time; see [tryWithLock].
 *
 * @param name the lock's name
 * @param wait the longest wait; zero asks once and does not wait
 * @param lease ceiling on the hold, null for none
 * @param code what to run
 * @return the result of [code], or that it did not run
 */
public suspend fun <T> DistributedReadWriteLock.tryWithWriteLock(
    name: String,
    wait: Duration = Duration.ZERO,
    lease: Duration? = null,
    code: suspend CoroutineScope.(LockHandle) -> T,
): LockOutcome<T> = tryWithLock(LockRequest.write(name).timed(wait, lease), code)

/**
 * Runs [code] while the lock is held for reading, if it is granted in time; see [tryWithLock].
 *
 * @param name the lock's name
 * @param wait the longest wait; zero asks once and does not wait
 * @param lease ceiling on the hold, null for none
 * @param code what to run
 * @return the result of [code], or that it did not run
 */
public suspend fun <T> DistributedReadWriteLock.tryWithReadLock(
    name: String,
    wait: Duration = Duration.ZERO,
    lease: Duration? = null,
    code: suspend CoroutineScope.(LockHandle) -> T,
): LockOutcome<T> = tryWithLock(LockRequest.read(name).timed(wait, lease), code)

/**
 * Makes a flow of which each collection acquires the locks, collects this flow, and releases when the collection has
 * completed, failed or was cancelled. This flow and the collector take turns. The collector's code runs while the locks
 * are held; their loss cancels it, as with [withLock]. Only this flow has the locks in its context, so a request of the
 * collector's code for one of them waits for itself.
 *
 * Operators that come after this one and have a buffer, such as `buffer`, `conflate`, `flowOn`, `shareIn` and
 * `stateIn`, end the collection of the locked flow before the collector's code has worked on the last elements, and the
 * locks are released then: put such operators before this one.
 *
 * @param locks the locks
 * @param request names, modes, wait time and ceiling
 * @return the flow
 */
public fun <T> Flow<T>.locked(locks: DistributedReadWriteLock, request: LockRequest): Flow<T> = flow {
    val held = locks.acquireHeld(request)
    holding(held) { emitAllIn(held, this@locked) }
}

/**
 * Returns the handle of the innermost locks that the calling coroutine runs under, or null: those of [withLock] and its
 * kin, and those of a suspending `@DecLocked` function. Do not close it. A coroutine that goes on with the context of a
 * block that has ended gets a handle that is closed.
 */
public suspend fun currentLockHandle(): LockHandle? = HeldLocks.current()?.handle

private suspend fun <T> runHolding(held: HeldLocks, code: suspend CoroutineScope.(LockHandle) -> T): T =
    holding(held) { withContext(held) { code(held.handle) } }
