// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kotlin.spring

import io.declock.DecLockException
import io.declock.LockHandle
import io.declock.LockLostException
import io.declock.LockOwner
import io.declock.LockScope
import io.declock.kotlin.Giving
import io.declock.kotlin.HeldLocks
import io.declock.kotlin.acquireHeld
import io.declock.kotlin.emitAllIn
import io.declock.kotlin.holding
import io.declock.spring.DecLockContext
import io.declock.spring.aop.Coroutines
import io.declock.spring.aop.LockedCoroutine
import kotlin.coroutines.intrinsics.suspendCoroutineUninterceptedOrReturn
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.emitAll
import kotlinx.coroutines.flow.flow
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
        holding(held, GivingBackOf(call), call.isCancelledOnLoss) {
            emitAllIn(held + CurrentLock(held.scope), called(call, held))
        }
    }

    /** Calls the function, which may do some of its work before it returns the flow. */
    @Suppress("UNCHECKED_CAST")
    private fun called(call: LockedCoroutine, held: HeldLocks): Flow<Any?> =
        DecLockContext.enter(held.scope).use { call.proceed(null) as Flow<Any?> }

    private fun isPresent(name: String) = ClassUtils.isPresent(name, SpringCoroutines::class.java.classLoader)
}

internal val REACTOR: Boolean =
    ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt", SpringCoroutines::class.java.classLoader)

/** Gives back as the annotation says. */
internal class GivingBackOf(private val call: LockedCoroutine) : Giving {
    override fun back(handle: LockHandle) = call.release(handle)

    override fun back(handle: LockHandle, failure: Throwable) {
        if (failure is CancellationException || failure is LockLostException) {
            Giving.Back.back(handle, failure)
        } else {
            call.release(handle, failure)
        }
    }
}

internal suspend inline fun acquire(call: LockedCoroutine, refused: (DecLockException) -> Nothing): HeldLocks {
    val request = call.request()
    return try {
        call.locks().acquireHeld(request, scopeAround()) { LockOwner.named(call.description()) }
    } catch (failure: DecLockException) {
        refused(failure)
    }
}

/** The locks of a pipeline are looked for only without those of a coroutine, because they are further out. */
internal suspend fun scopeAround(): LockScope? = HeldLocks.current()?.scope ?: if (REACTOR) Pipelines.scope() else null

/** A suspending fallback is called as the compiler would call it: it goes on with this coroutine. */
internal suspend fun notGranted(call: LockedCoroutine, refused: DecLockException): Any? =
    suspendCoroutineUninterceptedOrReturn { continuation ->
        call.notGranted(refused, continuation)
    }
