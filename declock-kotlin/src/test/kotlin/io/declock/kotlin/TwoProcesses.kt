// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kotlin

import io.declock.ComputeNodeSettings
import io.declock.DecLock
import io.declock.LockHandle
import io.declock.LockOwner
import io.declock.LockRequest
import io.declock.internal.tcp.server.LoopbackMemoryNode
import java.time.Duration
import java.util.concurrent.TimeUnit
import org.awaitility.Awaitility.await

/** Two compute nodes at one memory node, over TCP. */
internal class TwoProcesses : AutoCloseable {
    private val memoryNode = LoopbackMemoryNode()
    private val settings = ComputeNodeSettings.builder().lease(Duration.ofSeconds(5)).build()
    val mine: DecLock = memoryNode.open(settings)
    val others: DecLock = memoryNode.open(settings)

    fun heldByOther(name: String): LockHandle = others.acquire(LockRequest.write(name), LockOwner.named("other"))

    fun isFree(name: String): Boolean =
        others
            .acquireAsync(LockRequest.write(name).waitTime(Duration.ofSeconds(5)), LockOwner.named("prober"))
            .handle { handle, _ -> handle?.close() != null }
            .toCompletableFuture()
            .get(10, TimeUnit.SECONDS)

    fun awaitWaiting(count: Int) =
        await().pollInterval(Duration.ofMillis(2)).until { mine.monitor().waitingNow().toInt() == count }

    fun awaitHeld(count: Int) =
        await().pollInterval(Duration.ofMillis(2)).until { mine.monitor().heldNow().toInt() == count }

    override fun close() {
        mine.close()
        others.close()
        memoryNode.close()
    }
}

/** Returns the exception and its causes: coroutines may throw a copy whose cause is the original. */
internal fun Throwable.chain(): List<Throwable> = generateSequence(this) { it.cause }.toList()
