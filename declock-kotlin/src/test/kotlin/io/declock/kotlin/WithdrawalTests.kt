// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kotlin

import io.declock.DecLockException
import io.declock.DistributedReadWriteLock
import io.declock.LockHandle
import java.util.concurrent.CompletableFuture
import kotlin.time.Duration.Companion.hours
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.async
import kotlinx.coroutines.launch
import kotlinx.coroutines.test.runCurrent
import kotlinx.coroutines.test.runTest
import kotlinx.coroutines.withTimeoutOrNull
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.mockito.ArgumentMatchers.any
import org.mockito.Mockito.mock
import org.mockito.Mockito.never
import org.mockito.Mockito.verify
import org.mockito.Mockito.`when`

/** Acquisitions whose instants a test decides, in virtual time. */
@OptIn(ExperimentalCoroutinesApi::class)
class WithdrawalTests {
    private val handle = mock(LockHandle::class.java)
    private val locks = mock(DistributedReadWriteLock::class.java)

    private fun answering(acquisition: CompletableFuture<LockHandle>) =
        `when`(locks.acquireAsync(any(), any())).thenReturn(acquisition)

    @Test
    fun `a time-out around a wait withdraws the request`() = runTest {
        val acquisition = CompletableFuture<LockHandle>()
        answering(acquisition)
        val answer = withTimeoutOrNull(1.hours) { locks.withWriteLock("order") { "ran" } }
        assertThat(answer).isNull()
        assertThat(acquisition).isCancelled()
    }

    @Test
    fun `a grant that comes after the cancellation is released`() = runTest {
        val uncancellable =
            object : CompletableFuture<LockHandle>() {
                override fun cancel(mayInterruptIfRunning: Boolean) = false
            }
        answering(uncancellable)
        val waiting = launch { locks.withWriteLock("order") { error("must not run") } }
        runCurrent()
        waiting.cancel()
        runCurrent()
        verify(handle, never()).close()
        uncancellable.complete(handle)
        verify(handle).close()
    }

    @Test
    fun `a grant that the coroutine has not seen when it is cancelled is released`() = runTest {
        val acquisition = CompletableFuture<LockHandle>()
        answering(acquisition)
        val waiting = launch { locks.withWriteLock("order") { error("must not run") } }
        runCurrent()
        acquisition.complete(handle)
        // The coroutine is on its way back to its dispatcher, and has not run yet.
        waiting.cancel()
        runCurrent()
        assertThat(waiting.isCancelled).isTrue()
        verify(handle).close()
    }

    @Test
    fun `an acquisition that another party cancels fails and does not look like a cancelled coroutine`() = runTest {
        val acquisition = CompletableFuture<LockHandle>()
        answering(acquisition)
        val waiting = async { runCatching { locks.withWriteLock("order") {} } }
        runCurrent()
        acquisition.cancel(false)
        val thrown = waiting.await().exceptionOrNull()
        assertThat(thrown).isInstanceOf(DecLockException::class.java)
        assertThat(thrown!!.chain()).anyMatch { it is CancellationException }
    }
}
