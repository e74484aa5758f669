// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kotlin

import io.declock.LockHandle
import io.declock.LockScope
import java.util.concurrent.ConcurrentHashMap
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.CoroutineContext
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.Job
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.ThreadContextElement
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.withContext

/**
 * The locks that the code of a coroutine runs under. It is an element of threads only to see each coroutine that has
 * it: one that is no child of the block's coroutine is waited for before the release. Spring runs each call of a
 * suspending function of a bean in such a coroutine.
 */
internal class HeldLocks(val scope: LockScope) : ThreadContextElement<Unit>, AbstractCoroutineContextElement(Key) {
    private val elsewhere: MutableSet<Job> = ConcurrentHashMap.newKeySet()
    @Volatile private var block: Job? = null
    @Volatile private var ended = false

    val handle: LockHandle
        get() = scope.handle()

    /** Called by the coroutine whose children need not be looked for. */
    fun begin(block: Job) {
        this.block = block
    }

    @OptIn(ExperimentalCoroutinesApi::class)
    override fun updateThreadContext(context: CoroutineContext) {
        val job = context[Job]
        if (job == null || ended) {
            return
        }
        if (generateSequence(job) { it.parent }.none { it === block || it in elsewhere }) {
            elsewhere.removeIf { it.isCompleted }
            elsewhere += job
        }
    }

    override fun restoreThreadContext(context: CoroutineContext, oldState: Unit) = Unit

    /**
     * Waits for all coroutines that have begun under the locks, whether or not the caller is cancelled, and lets no
     * other coroutine use the owner again. A coroutine that was cancelled and has not been seen by now never begins.
     */
    suspend fun end() {
        while (true) {
            val job = elsewhere.firstOrNull { !it.isCompleted } ?: break
            withContext(NonCancellable) { job.join() }
        }
        ended = true
        scope.end()
    }

    companion object Key : CoroutineContext.Key<HeldLocks> {
        suspend fun current(): HeldLocks? = currentCoroutineContext()[Key]
    }
}
