// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kotlin

import io.declock.LockLostException
import java.io.IOException
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.delay
import kotlinx.coroutines.isActive
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

/** What becomes of a block whose locks are lost, here by their ceiling. */
@Timeout(60)
class LossTests {
    private val ceiling = 150.milliseconds
    private lateinit var processes: TwoProcesses

    @BeforeEach
    fun start() {
        processes = TwoProcesses()
    }

    @AfterEach
    fun stop() {
        processes.awaitHeld(0)
        processes.close()
    }

    private val locks
        get() = processes.mine

    @Test
    fun `a loss cancels the body and all that it launched`(): Unit = runBlocking {
        var child: Throwable? = null
        val thrown = runCatching {
            withTimeout(10.seconds) {
                locks.withWriteLock("order", lease = ceiling) {
                    launch { awaitCancellation() }.invokeOnCompletion { child = it }
                    awaitCancellation()
                }
            }
        }
        assertThat(thrown.exceptionOrNull()).isExactlyInstanceOf(LockLostException::class.java)
        assertThat(thrown.exceptionOrNull()!!.suppressed).isEmpty()
        assertThat(child).isInstanceOf(CancellationException::class.java)
        assertThat(isActive).isTrue()
        assertThat(processes.isFree("order")).isTrue()
    }

    @Test
    fun `what the body throws after its cancellation is suppressed`(): Unit = runBlocking {
        val late = IOException("could not clean up")
        val thrown = runCatching {
            locks.withWriteLock("order", lease = ceiling) {
                try {
                    withTimeout(10.seconds) { awaitCancellation() }
                } finally {
                    throw late
                }
            }
        }
        val chain = thrown.exceptionOrNull()!!.chain()
        assertThat(chain[0]).isExactlyInstanceOf(LockLostException::class.java)
        assertThat(chain.flatMap { it.suppressed.toList() }.flatMap { it.chain() }).contains(late)
    }

    @Test
    fun `a body that does not notice the loss has no result`(): Unit = runBlocking {
        val thrown = runCatching {
            locks.withWriteLock("order", lease = ceiling) {
                withContext(NonCancellable) { delay(ceiling * 3) }
                "result"
            }
        }
        assertThat(thrown.exceptionOrNull()).isExactlyInstanceOf(LockLostException::class.java)
    }

    @Test
    fun `a failure before the loss stays the failure`(): Unit = runBlocking {
        val own = IOException("no paper")
        val thrown = runCatching { locks.withWriteLock("order", lease = ceiling) { throw own } }
        assertThat(thrown.exceptionOrNull()!!.chain()).contains(own)
        assertThat(thrown.exceptionOrNull()).isExactlyInstanceOf(IOException::class.java)
    }

    @OptIn(ExperimentalCoroutinesApi::class)
    @Test
    fun `a caller that is cancelled as well learns that and not the loss`(): Unit = runBlocking {
        val lost = CompletableDeferred<Unit>()
        val caller =
            async(Dispatchers.Default) {
                locks.withWriteLock("order", lease = ceiling) {
                    try {
                        awaitCancellation()
                    } finally {
                        withContext(NonCancellable) {
                            lost.complete(Unit)
                            delay(100)
                        }
                    }
                }
            }
        lost.await()
        caller.cancel()
        caller.join()
        assertThat(caller.getCompletionExceptionOrNull()).isInstanceOf(CancellationException::class.java)
    }

    @Test
    fun `the loss of an inner lock does not cancel the outer block`(): Unit = runBlocking {
        val answer =
            locks.withWriteLock("outer") {
                val inner = runCatching {
                    locks.withWriteLock("inner", lease = ceiling) { withTimeout(10.seconds) { awaitCancellation() } }
                }
                assertThat(inner.exceptionOrNull()).isExactlyInstanceOf(LockLostException::class.java)
                delay(10)
                it.isValid
            }
        assertThat(answer).isTrue()
    }
}
