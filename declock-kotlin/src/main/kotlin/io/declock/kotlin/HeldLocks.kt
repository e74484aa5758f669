// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kotlin

import io.declock.LockHandle
import io.declock.LockOwner
import io.declock.LockRequest
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.CoroutineContext
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.currentCoroutineContext

/** The locks that the code of a coroutine runs under: those of the innermost block, and by [outer] those around it. */
internal class HeldLocks(
    private val names: Set<String>,
    val handle: LockHandle,
    val owner: LockOwner,
    private val outer: HeldLocks?,
) : AbstractCoroutineContextElement(Key) {
    /**
     * Returns the owner that holds one of these names already, or null. Only that one may enter again: coroutines that
     * run side by side inside of one block must exclude each other from every other lock.
     */
    fun ownerOfAny(request: LockRequest): LockOwner? =
        generateSequence(this) { it.outer }.firstOrNull { it.names.any(request.names()::containsKey) }?.owner

    companion object Key : CoroutineContext.Key<HeldLocks> {
        suspend fun current(): HeldLocks? = currentCoroutineContext()[Key]
    }
}

internal suspend fun ownerFor(request: LockRequest, new: suspend () -> LockOwner = { newOwner(request) }): LockOwner =
    HeldLocks.current()?.ownerOfAny(request) ?: new()

private suspend fun newOwner(request: LockRequest): LockOwner {
    val coroutine = currentCoroutineContext()[CoroutineName]?.name ?: "a coroutine"
    return LockOwner.named("$coroutine under ${request.names().keys}")
}
