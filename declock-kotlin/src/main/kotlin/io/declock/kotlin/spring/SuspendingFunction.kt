// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kotlin.spring

import io.declock.LockScope
import io.declock.kotlin.HeldLocks
import io.declock.kotlin.holding
import io.declock.spring.aop.LockedCoroutine
import io.declock.spring.reactive.ReactiveDecLockContext
import kotlin.coroutines.Continuation
import kotlin.coroutines.CoroutineContext
import kotlinx.coroutines.Job
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.reactor.ReactorContext
import kotlinx.coroutines.reactor.awaitSingleOrNull
import kotlinx.coroutines.reactor.mono
import reactor.core.publisher.Mono

/**
 * One call of a locked suspending function. Spring hands such a call through its advice as a [Mono], and runs the
 * function in a coroutine that is no child of the caller's: a cancelled caller goes on before the function has ended.
 * The lock is held until that coroutine has completed, and every other that has begun under the lock.
 */
internal class SuspendingFunction(private val call: LockedCoroutine) {
    @Suppress("UNCHECKED_CAST") private val caller = call.continuation() as Continuation<Any?>

    fun mono(): Mono<Any> = mono(caller.context.minusKey(Job)) { locked() }

    private suspend fun locked(): Any? {
        val held =
            acquire(call) { refused ->
                return notGranted(call, refused)
            }
        return holding(held, GivingBackOf(call), call.isCancelledOnLoss) { called(held) }
    }

    @Suppress("UNCHECKED_CAST")
    private suspend fun called(held: HeldLocks): Any? {
        val inside = Inside(caller, caller.context + held + CurrentLock(held.scope))
        val result =
            (call.proceed(inside) as Mono<Any>)
                .contextWrite { ReactiveDecLockContext.with(it, held.scope) }
                .awaitSingleOrNull()
        call.checkFinished(result)
        return result
    }

    /** Only its context is used: the result comes by the Mono. */
    private class Inside(caller: Continuation<Any?>, override val context: CoroutineContext) :
        Continuation<Any?> by caller
}

/** The locks of the pipeline that a coroutine is a part of. */
internal object Pipelines {
    suspend fun scope(): LockScope? =
        currentCoroutineContext()[ReactorContext]?.let { ReactiveDecLockContext.scope(it.context) }
}
