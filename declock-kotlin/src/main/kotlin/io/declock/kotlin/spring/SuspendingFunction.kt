// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kotlin.spring

import io.declock.LockOwner
import io.declock.kotlin.HeldLocks
import io.declock.kotlin.holding
import io.declock.spring.aop.LockedCoroutine
import io.declock.spring.reactive.ReactiveDecLockContext
import kotlin.coroutines.Continuation
import kotlin.coroutines.CoroutineContext
import kotlinx.coroutines.Job
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.reactor.ReactorContext
import kotlinx.coroutines.reactor.awaitSingleOrNull
import kotlinx.coroutines.reactor.mono
import kotlinx.coroutines.withContext
import reactor.core.publisher.Mono

/**
 * One call of a locked suspending function. Spring hands such a call through its advice as a [Mono], and runs the
 * function in a coroutine that is no child of the caller's: a cancelled caller goes on before the function has ended.
 * The lock is held until that coroutine has completed.
 */
internal class SuspendingFunction(private val call: LockedCoroutine) {
    @Suppress("UNCHECKED_CAST") private val caller = call.continuation() as Continuation<Any?>

    fun mono(): Mono<Any> = mono(caller.context.minusKey(Job)) { locked() }

    private suspend fun locked(): Any? {
        val held =
            acquire(call) { refused ->
                return notGranted(call, refused)
            }
        return holding(held.handle, GivingBackOf(call), call.isCancelledOnLoss) {
            val current = CurrentLock(held.handle, held.owner)
            try {
                called(held, current)
            } finally {
                // A function that has not been seen by now never begins: its coroutine was cancelled before.
                withContext(NonCancellable) { current.job?.join() }
            }
        }
    }

    @Suppress("UNCHECKED_CAST")
    private suspend fun called(held: HeldLocks, current: CurrentLock): Any? {
        val inside = Inside(caller, caller.context + held + current)
        val result =
            (call.proceed(inside) as Mono<Any>)
                .contextWrite { ReactiveDecLockContext.with(it, held.handle, held.owner) }
                .awaitSingleOrNull()
        call.checkFinished(result)
        return result
    }

    /** Only its context is used: the result comes by the Mono. */
    private class Inside(caller: Continuation<Any?>, override val context: CoroutineContext) :
        Continuation<Any?> by caller
}

/** The owner of the pipeline that a coroutine is a part of. */
internal object Pipelines {
    suspend fun owner(): LockOwner? =
        currentCoroutineContext()[ReactorContext]?.let { ReactiveDecLockContext.owner(it.context).orElse(null) }
}
