// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kotlin

import java.util.concurrent.atomic.AtomicInteger

/** Counts the callers inside of a lock. */
class Inside {
    private val now = AtomicInteger()
    private val most = AtomicInteger()
    private val all = AtomicInteger()

    val mostAtATime
        get() = most.get()

    val entered
        get() = all.get()

    fun enter() {
        all.incrementAndGet()
        most.accumulateAndGet(now.incrementAndGet(), ::maxOf)
    }

    fun leave() {
        now.decrementAndGet()
    }
}
