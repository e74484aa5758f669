// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kotlin.spring

import io.declock.LockScope
import io.declock.spring.DecLockContext
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.CoroutineContext
import kotlinx.coroutines.ThreadContextElement

/** Makes a lock the one of [DecLockContext] on each thread while a coroutine under that lock runs there. */
internal class CurrentLock(private val scope: LockScope) :
    ThreadContextElement<DecLockContext.Scope>, AbstractCoroutineContextElement(Key) {
    override fun updateThreadContext(context: CoroutineContext): DecLockContext.Scope = DecLockContext.enter(scope)

    override fun restoreThreadContext(context: CoroutineContext, oldState: DecLockContext.Scope) = oldState.close()

    private companion object Key : CoroutineContext.Key<CurrentLock>
}
