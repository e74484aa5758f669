// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kotlin.spring

import io.declock.DecLockException
import io.declock.LockHandle
import io.declock.LockOwner
import io.declock.kotlin.Giving
import io.declock.kotlin.HeldLocks
import io.declock.kotlin.acquireHeld
import io.declock.kotlin.holding
import io.declock.kotlin.ownerFor
import io.declock.spring.DecLockContext
import io.declock.spring.aop.Coroutines
import io.declock.spring.aop.LockedCoroutine
import kotlin.coroutines.intrinsics.suspendCoroutineUninterceptedOrReturn
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.emitAll
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOn
import org.springframework.util.ClassUtils

/**
 * Runs the `@DecLocked` functions of Spring beans that suspend or return a [Flow]. The advice finds it as a service.
 */
public class SpringCoroutines : Coroutines {
    override fun missingForSuspending(): String? =
        when {
            !isPresent("kotlin.reflect.full.KCallables") -> "org.jetbrains.kotlin:kotlin-reflect"
            !REACTOR -> "org.jetbrains.kotlinx:kotlinx-coroutines-reactor"
            else -> null
        }

    override fun suspending(call: LockedCoroutine): Any = SuspendingFunction(call).mono()

    override fun flow(call: LockedCoroutine): Any = flow {
        val held =
            acquire(call) { refused ->
                val instead = call.notGranted(refused, null)
                if (call.fallsBack(refused)) {
                    @Suppress("UNCHECKED_CAST") emitAll(instead as Flow<Any?>)
                }
                return@flow
            }
        val current = CurrentLock(held.handle, held.owner)
        holding(held.handle, GivingBackOf(call), call.isCancelledOnLoss) {
            emitAll(called(call, held).flowOn(held + current))
        }
    }

    /** Calls the function, which may do some of its work before it returns the flow. */
    @Suppress("UNCHECKED_CAST")
    private fun called(call: LockedCoroutine, held: HeldLocks): Flow<Any?> =
        DecLockContext.enter(held.handle, held.owner).use { call.proceed(null) as Flow<Any?> }

    private fun isPresent(name: String) = ClassUtils.isPresent(name, SpringCoroutines::class.java.classLoader)
}

internal val REACTOR: Boolean =
    ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt", SpringCoroutines::class.java.classLoader)

/** Gives back as the annotation says. */
internal class GivingBackOf(private val call: LockedCoroutine) : Giving {
    override fun back(handle: LockHandle) = call.release(handle)

    override fun back(handle: LockHandle, failure: Throwable) = call.release(handle, failure)
}

internal suspend inline fun acquire(call: LockedCoroutine, refused: (DecLockException) -> Nothing): HeldLocks {
    val request = call.request()
    val owner = ownerFor(request) { ownerOfPipeline() ?: LockOwner.named(call.description()) }
    return try {
        call.locks().acquireHeld(request, owner)
    } catch (failure: DecLockException) {
        refused(failure)
    }
}

/** Only without locks of a coroutine around this one: those of a pipeline are further out then. */
internal suspend fun ownerOfPipeline(): LockOwner? =
    if (REACTOR && HeldLocks.current() == null) Pipelines.owner() else null

/** A suspending fallback is called as the compiler would call it: it goes on with this coroutine. */
internal suspend fun notGranted(call: LockedCoroutine, refused: DecLockException): Any? =
    suspendCoroutineUninterceptedOrReturn { continuation ->
        call.notGranted(refused, continuation)
    }
