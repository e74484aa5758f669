// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kotlin

import io.declock.DecLockException
import io.declock.DistributedReadWriteLock
import io.declock.LockHandle
import io.declock.LockLostException
import io.declock.LockOwner
import io.declock.LockRequest
import io.declock.LockScope
import java.util.concurrent.CompletionException
import java.util.concurrent.ExecutionException
import java.util.concurrent.atomic.AtomicReference
import kotlin.coroutines.resumeWithException
import kotlinx.coroutines.CancellableContinuation
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.isActive
import kotlinx.coroutines.job
import kotlinx.coroutines.suspendCancellableCoroutine

/** How a hold is given back. */
internal interface Giving {
    /** After the code returned; throws if the caller must not rely on its result. */
    fun back(handle: LockHandle)

    /** After the code failed. */
    fun back(handle: LockHandle, failure: Throwable)

    /** Closes the handle. */
    object Back : Giving {
        override fun back(handle: LockHandle) = handle.close()

        override fun back(handle: LockHandle, failure: Throwable) {
            try {
                handle.close()
            } catch (lost: LockLostException) {
                // Coroutines share their cancellations, so nothing is added to one.
                if (failure !is CancellationException && failure !is LockLostException) {
                    failure.addSuppressed(lost)
                }
            }
        }
    }
}

/**
 * Acquires by the owner of the scope around that holds the locks already, else by a new owner: coroutines that run side
 * by side in one block must exclude each other from every other lock.
 */
internal suspend fun DistributedReadWriteLock.acquireHeld(
    request: LockRequest,
    outer: LockScope?,
    newOwner: suspend () -> LockOwner,
): HeldLocks {
    val around = LockScope.holding(this, outer, request)
    val owner = around?.owner() ?: newOwner()
    val handle = awaitGrant(request, owner)
    around?.checkEntered(handle)
    return HeldLocks(LockScope.of(this, handle, owner, outer))
}

/** Acquires for a block of the calling coroutine. */
internal suspend fun DistributedReadWriteLock.acquireHeld(request: LockRequest): HeldLocks =
    acquireHeld(request, HeldLocks.current()?.scope) {
        val coroutine = currentCoroutineContext()[CoroutineName]?.name ?: "a coroutine"
        LockOwner.named("$coroutine under ${request.names().keys}")
    }

/** Suspends until the grant. Cancellation withdraws the request; a grant that comes too late is released. */
private suspend fun DistributedReadWriteLock.awaitGrant(request: LockRequest, owner: LockOwner): LockHandle =
    suspendCancellableCoroutine { continuation ->
        val acquiring = acquireAsync(request, owner).toCompletableFuture()
        acquiring.whenComplete { handle: LockHandle?, failure: Throwable? ->
            if (handle == null) {
                continuation.resumeWithException(reason(failure, continuation))
            } else {
                // Cancelled before or after this line, the coroutine never sees the handle.
                continuation.resume(handle) { _, late, _ -> closeQuietly(late) }
            }
        }
        continuation.invokeOnCancellation { acquiring.cancel(false) }
    }

private fun reason(failure: Throwable?, waiting: CancellableContinuation<*>): Throwable {
    val cause =
        generateSequence(failure) { it.cause.takeIf { _ -> it is CompletionException || it is ExecutionException } }
            .lastOrNull() ?: DecLockException("no handle was granted")
    // To a coroutine, this class would mean that itself was cancelled.
    return if (cause is CancellationException && waiting.isActive) {
        DecLockException("the acquisition was cancelled by another party than the coroutine that waits for it", cause)
    } else {
        cause
    }
}

private fun closeQuietly(handle: LockHandle) {
    try {
        handle.close()
    } catch (_: LockLostException) {
        // Its coroutine was cancelled, and never knew that it had the lock.
    }
}

/**
 * Runs [code] and everything that begins under the locks, then releases. If [cancelOnLoss], the loss of the hold
 * cancels [code] and what it has launched, and the caller gets a [LockLostException] in place of what that led to.
 */
internal suspend fun <T> holding(
    held: HeldLocks,
    giving: Giving = Giving.Back,
    cancelOnLoss: Boolean = true,
    code: suspend CoroutineScope.() -> T,
): T {
    val handle = held.handle
    val lost = AtomicReference<LockLostException?>()
    val result =
        try {
            coroutineScope {
                val job = coroutineContext.job
                held.begin(job)
                if (cancelOnLoss) {
                    handle.onLost { _, why ->
                        lost.set(why)
                        job.cancel(CancellationException(why.message, why))
                    }
                }
                code()
            }
        } catch (failure: Throwable) {
            held.end()
            val thrown = lost.get()?.let { failureOf(it, failure) } ?: failure
            giving.back(handle, thrown)
            throw thrown
        }
    held.end()
    giving.back(handle)
    return result
}

/** The failure of code that was cancelled because its lock was lost. */
private suspend fun failureOf(loss: LockLostException, failure: Throwable): Throwable {
    if (!currentCoroutineContext().isActive) {
        // The caller was cancelled as well, and must learn that.
        return failure
    }
    val thrown = LockLostException(loss.message, loss)
    if (failure !is CancellationException) {
        thrown.addSuppressed(failure)
    }
    return thrown
}
