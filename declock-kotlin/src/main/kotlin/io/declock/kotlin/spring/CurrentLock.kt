// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kotlin.spring

import io.declock.LockHandle
import io.declock.LockOwner
import io.declock.spring.DecLockContext
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.CoroutineContext
import kotlinx.coroutines.Job
import kotlinx.coroutines.ThreadContextElement

/** Makes a lock the one of [DecLockContext] on each thread while a coroutine under that lock runs there. */
internal class CurrentLock(private val handle: LockHandle, private val owner: LockOwner) :
    ThreadContextElement<DecLockContext.Scope>, AbstractCoroutineContextElement(Key) {
    /** The outermost coroutine that has begun under the lock, null before that. */
    @Volatile
    var job: Job? = null
        private set

    override fun updateThreadContext(context: CoroutineContext): DecLockContext.Scope {
        if (job == null) {
            job = context[Job]
        }
        return DecLockContext.enter(handle, owner)
    }

    override fun restoreThreadContext(context: CoroutineContext, oldState: DecLockContext.Scope) = oldState.close()

    private companion object Key : CoroutineContext.Key<CurrentLock>
}
